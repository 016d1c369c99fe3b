import type { ManualClock } from '../../kernel/clock.ts';
import type { Timers } from '../keep-alive.ts';

/** Timers that run when their clock is moved. */
export interface ManualTimers extends Timers {
  /** Moves the clock on and runs what falls due on the way, each at its own moment. */
  advance(ms: number): void;
  /** Timers that wait. */
  readonly pending: number;
}

/** Makes timers on a clock that is moved by hand. */
export function manualTimers(clock: ManualClock): ManualTimers {
  const waiting = new Set<{ at: number; run: () => void }>();
  return {
    after(ms, run) {
      const timer = { at: clock.monotonic() + ms, run };
      waiting.add(timer);
      return timer;
    },
    cancel: (timer) => void waiting.delete(timer as { at: number; run: () => void }),
    advance(ms) {
      const end = clock.monotonic() + ms;
      for (;;) {
        const [next] = [...waiting].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        waiting.delete(next);
        clock.advance(next.at - clock.monotonic());
        next.run();
      }
      clock.advance(end - clock.monotonic());
    },
    get pending() {
      return waiting.size;
    },
  };
}

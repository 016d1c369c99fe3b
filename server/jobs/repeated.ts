import { faultOf } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';

/** What a timer must offer; the host's `setTimeout` and `clearTimeout` fit. */
export interface Timers {
  start(run: () => void, ms: number): unknown;
  stop(timer: unknown): void;
}

/** What repeated work tells of its faults with. */
interface RepeatedParts {
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'faults'>;
  readonly timers?: Timers;
}

/** Pause after a fault. */
const AGAIN_MS = 60_000;

const HOST_TIMERS: Timers = {
  start: (run, ms) => {
    const timer = setTimeout(run, ms);
    timer.unref();
    return timer;
  },
  stop: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/** Work that is done again and again. */
export interface Repeated {
  /** Does the work in `ms` milliseconds and not when was said before; once more where it runs just now. */
  soon(ms: number): void;
  stop(): Promise<void>;
}

/**
 * Work that is never done twice at once. It says after how many milliseconds it is to be done again (null: when it is
 * asked for). A fault is logged and counted, and it is tried again.
 */
export function repeated(
  { log, metrics, timers = HOST_TIMERS }: RepeatedParts,
  name: string,
  work: () => Promise<number | null>,
): Repeated {
  let timer: { readonly handle: unknown } | null = null;
  let running: Promise<void> | null = null;
  let again: number | null = null;
  let stopped = false;

  async function run(): Promise<void> {
    timer = null;
    let next: number | null;
    try {
      next = await work();
    } catch (thrown) {
      if (!stopped) {
        metrics.faults.inc({ where: `housekeeping_${name}` });
        log.warn({ reason: faultOf(thrown), work: name }, 'housekeeping failed and is tried again');
      }
      next = AGAIN_MS;
    }
    running = null;
    const ms = again ?? next;
    again = null;
    if (ms !== null) soon(ms);
  }

  function soon(ms: number): void {
    if (stopped) return;
    if (running !== null) {
      again = ms;
      return;
    }
    if (timer !== null) timers.stop(timer.handle);
    timer = {
      handle: timers.start(() => {
        running = run();
      }, ms),
    };
  }

  return {
    soon,
    async stop() {
      stopped = true;
      if (timer !== null) timers.stop(timer.handle);
      await running;
    },
  };
}

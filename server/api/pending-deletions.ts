import type { Millis } from '../kernel/clock.ts';

/** How long a deletion asked for in the console waits, so that it can be undone. Milliseconds. */
export const UNDO_MS = 12_000;

/** What a timer must offer; the host's `setTimeout` and `clearTimeout` fit. */
export interface Timers {
  start(run: () => void, ms: number): unknown;
  stop(timer: unknown): void;
}

interface Pending {
  readonly due: Millis;
  readonly timer: unknown;
}

/**
 * Deletions that were asked for and are not carried out yet. They live in this process alone: if it ends before one is
 * due, nothing is deleted, which is the safe side.
 */
export class PendingDeletions {
  readonly #pending = new Map<string, Pending>();
  readonly #timers: Timers;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Plans `carryOut` for `UNDO_MS` after `now`; returns when. A second call for the same id changes nothing. */
  plan(id: string, now: Millis, carryOut: () => void): Millis {
    const known = this.#pending.get(id);
    if (known !== undefined) return known.due;
    const due = (now + UNDO_MS) as Millis;
    const timer = this.#timers.start(() => {
      this.#pending.delete(id);
      carryOut();
    }, UNDO_MS);
    this.#pending.set(id, { due, timer });
    return due;
  }

  /** Takes a planned deletion back; false if there is none, because it was carried out or never planned. */
  undo(id: string): boolean {
    const known = this.#pending.get(id);
    if (known === undefined) return false;
    this.#timers.stop(known.timer);
    this.#pending.delete(id);
    return true;
  }

  /** When the deletion of `id` is due; null if none is planned. */
  dueOf(id: string): Millis | null {
    return this.#pending.get(id)?.due ?? null;
  }
}

const KEY = Symbol.for('context-mode.pending-deletions');

/** The process's own list. It hangs on the global object because a bundler may load this module more than once. */
export function pendingDeletions(): PendingDeletions {
  const holder = globalThis as { [KEY]?: PendingDeletions };
  holder[KEY] ??= new PendingDeletions({
    start: (run, ms) => {
      const timer = setTimeout(run, ms);
      timer.unref();
      return timer;
    },
    stop: (timer) => clearTimeout(timer as NodeJS.Timeout),
  });
  return holder[KEY];
}

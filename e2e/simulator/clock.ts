type Sleeper = { readonly dueMs: number; readonly wake: () => void; timer: NodeJS.Timeout | undefined };

/**
 * The simulator's time. Unfrozen, it runs with the machine's clock plus what was advanced by hand; frozen, it moves
 * by hand alone. Cache lifetimes, dates in headers and every pause inside an answer follow it.
 */
export class SimulatorClock {
  #frozenAtMs: number | undefined;
  #offsetMs: number;
  readonly #sleepers = new Set<Sleeper>();

  /** `startMs` is the time shown first (Unix milliseconds); left out, it is the machine's. */
  constructor(options: { readonly startMs?: number; readonly frozen?: boolean } = {}) {
    const machineMs = Date.now();
    this.#offsetMs = (options.startMs ?? machineMs) - machineMs;
    this.#frozenAtMs = options.frozen === true ? machineMs + this.#offsetMs : undefined;
  }

  /** The simulator's time in Unix milliseconds. */
  now(): number {
    return this.#frozenAtMs ?? Date.now() + this.#offsetMs;
  }

  /** Moves the time forward; pauses that end by then end at once. A negative step is refused with a RangeError. */
  advance(ms: number): void {
    if (!(ms >= 0)) throw new RangeError('The clock only moves forward.');
    if (this.#frozenAtMs === undefined) this.#offsetMs += ms;
    else this.#frozenAtMs += ms;
    const now = this.now();
    for (const sleeper of [...this.#sleepers]) {
      if (sleeper.dueMs <= now) this.#wake(sleeper);
      else this.#arm(sleeper);
    }
  }

  /** Resolves when the clock reaches now + `ms`, or when the signal fires, whichever is first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.sleepUntil(this.now() + ms, signal);
  }

  /** Resolves when the clock reaches that time (at once if it has), or when the signal fires. */
  sleepUntil(dueMs: number, signal?: AbortSignal): Promise<void> {
    if (dueMs <= this.now() || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const stop = () => this.#wake(sleeper);
      const wake = () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const sleeper: Sleeper = { dueMs, wake, timer: undefined };
      this.#sleepers.add(sleeper);
      this.#arm(sleeper);
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  #arm(sleeper: Sleeper): void {
    clearTimeout(sleeper.timer);
    if (this.#frozenAtMs !== undefined) return;
    const waitMs = Math.min(Math.max(0, sleeper.dueMs - this.now()), 2 ** 31 - 1);
    sleeper.timer = setTimeout(() => {
      if (sleeper.dueMs <= this.now()) this.#wake(sleeper);
      else this.#arm(sleeper);
    }, waitMs);
  }

  #wake(sleeper: Sleeper): void {
    clearTimeout(sleeper.timer);
    this.#sleepers.delete(sleeper);
    sleeper.wake();
  }
}

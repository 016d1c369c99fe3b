import type { Clock } from '../../kernel/clock.ts';

/** Failures in this time above which a person is told. */
const WINDOW_MS = 5 * 60_000;
const QUIET = 5;

/** Failures of a process that are counted; the time of older ones is not known any more. */
const MOST = 1_000;

/** What failed lately in putting requests together, whether or not the database can be told of it. */
export class Failures {
  readonly #clock: Clock;
  #times: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something failed now. */
  add(): void {
    this.#times.push(this.#clock.monotonic());
    if (this.#times.length > MOST) this.#times.shift();
  }

  /** A sentence for a person where there were more than five in the last five minutes; null: all is well. */
  note(): string | null {
    const since = this.#clock.monotonic() - WINDOW_MS;
    this.#times = this.#times.filter((time) => time > since);
    const count = this.#times.length;
    if (count <= QUIET) return null;
    return (
      `${count === MOST ? `${MOST} or more` : count} requests of the last five minutes went out without what Recall ` +
      'was to do, because a step of it failed or was late. Nothing is lost by it; prompts stay longer.'
    );
  }
}

import type { Clock } from '../kernel/clock.ts';

/** Timers as the gateway takes them, so that tests move time by hand. */
export interface Timers {
  /** Calls `run` once after `ms`; what it returns is given to `cancel`. Never keeps the process alive. */
  after(ms: number, run: () => void): unknown;
  cancel(timer: unknown): void;
}

/** The host's own timers. */
export const systemTimers: Timers = {
  after: (ms, run) => setTimeout(run, ms).unref(),
  cancel: (timer) => clearTimeout(timer as NodeJS.Timeout),
};

/** Milliseconds of silence after which an event stream gets a comment line, for proxies on the way that count. */
export const SILENCE_MS = 15_000;

/** An SSE comment with the empty line that ends it: no event, no field, ignored by every parser. */
export const COMMENT = Buffer.from(': keep-alive\n\n');

/**
 * Follows the bytes of an event stream and says whether the last ones ended an event, so that something may stand
 * between. Looks at the last three bytes alone, however the stream was cut.
 */
export class EventBoundary {
  #last = 0;
  #second = 0;
  #third = 0;
  #empty = true;

  /** Takes the next bytes of the stream. */
  saw(chunk: Uint8Array): void {
    const length = chunk.length;
    if (length === 0) return;
    this.#empty = false;
    const [last, second] = [this.#last, this.#second];
    this.#last = chunk[length - 1] ?? 0;
    this.#second = length > 1 ? (chunk[length - 2] ?? 0) : last;
    this.#third = length > 2 ? (chunk[length - 3] ?? 0) : length > 1 ? last : second;
  }

  /** True before the first byte and right behind an empty line (`\n\n`, `\r\n\r\n`, `\n\r\n`). */
  get between(): boolean {
    if (this.#empty) return true;
    if (this.#last !== LF) return false;
    return this.#second === LF || (this.#second === CR && this.#third === LF);
  }
}

const LF = 10;
const CR = 13;

/** Sends a comment whenever a stream has been silent for {@link SILENCE_MS} and stands between two events. */
export class KeepAlive {
  readonly #timers: Timers;
  readonly #clock: Clock;
  readonly #send: (comment: Uint8Array) => void;
  readonly #boundary = new EventBoundary();
  #lastAt: number;
  #timer: unknown;

  /** @param send called with the comment; it may decide not to send while the client does not read */
  constructor(timers: Timers, clock: Clock, send: (comment: Uint8Array) => void) {
    this.#timers = timers;
    this.#clock = clock;
    this.#send = send;
    this.#lastAt = clock.monotonic();
    this.#timer = timers.after(SILENCE_MS, this.#onTimer);
  }

  /** Takes the bytes that go to the client. One clock reading and three bytes: no timer is touched. */
  saw(chunk: Uint8Array): void {
    this.#lastAt = this.#clock.monotonic();
    this.#boundary.saw(chunk);
  }

  /** Ends it; nothing is sent after this. */
  stop(): void {
    this.#timers.cancel(this.#timer);
  }

  #onTimer = (): void => {
    const silent = this.#clock.monotonic() - this.#lastAt;
    if (silent + 1 >= SILENCE_MS) {
      this.#lastAt = this.#clock.monotonic();
      if (this.#boundary.between) this.#send(COMMENT);
      this.#timer = this.#timers.after(SILENCE_MS, this.#onTimer);
    } else {
      this.#timer = this.#timers.after(SILENCE_MS - silent, this.#onTimer);
    }
  };
}

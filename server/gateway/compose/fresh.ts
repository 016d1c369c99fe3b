import { bounded } from '../../kernel/bounded.ts';
import type { Clock } from '../../kernel/clock.ts';

/** How long reading may take where a value is known, in milliseconds. */
const LATE_MS = 100;

/**
 * Values that are read again once they are older than so many milliseconds; where reading fails or is late, the last one
 * known. Where only this process changes them, what is known holds while it is read again: whoever changes one forgets it.
 */
export class Fresh<Value> {
  readonly #clock: Clock;
  readonly #forMs: number;
  readonly #isOurs: boolean;
  /** Keys that are being read behind what is known at once. */
  readonly #peeked = new Set<string>();
  /** How often all was forgotten. */
  #forgotten = 0;
  readonly #known = new Map<string, { readonly value: Value; readonly at: number }>();

  /** @param isOurs nobody but this process changes the values */
  constructor(clock: Clock, forMs: number, isOurs = false) {
    this.#clock = clock;
    this.#forMs = forMs;
    this.#isOurs = isOurs;
  }

  /** @throws what reading throws, where nothing is known */
  async get(key: string, read: () => Promise<Value>): Promise<Value> {
    const known = this.#known.get(key);
    const now = this.#clock.monotonic();
    if (known !== undefined && now - known.at < this.#forMs) return known.value;
    const times = this.#forgotten;
    const reading = read().then((value) =>
      // What was read before it was forgotten may be what it was before that.
      times === this.#forgotten ? this.#keep(key, value, now) : value,
    );
    if (known === undefined) return reading;
    if (this.#isOurs) {
      // Who asks meanwhile does not read it once more.
      this.#keep(key, known.value, now);
      reading.catch(() => undefined);
      return known.value;
    }
    const isThere = await bounded(reading, LATE_MS).catch(() => false);
    return isThere ? reading : known.value;
  }

  /** What is known, at once, and read again behind where it is old; undefined: nothing is, or others change it too. */
  peek(key: string, read: () => Promise<Value>): Value | undefined {
    if (!this.#isOurs) return undefined;
    if (!this.#peeked.has(key)) {
      this.#peeked.add(key);
      const isRead = () => this.#peeked.delete(key);
      this.get(key, read).then(isRead, isRead);
    }
    return this.#known.get(key)?.value;
  }

  #keep(key: string, value: Value, at: number): Value {
    const known = this.#known.get(key);
    // What was late must not take the place of what was read after it.
    if (known !== undefined && known.at > at) return value;
    this.#known.delete(key);
    this.#known.set(key, { value, at });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST) break;
      this.#known.delete(oldest);
    }
    return value;
  }

  clear(): void {
    this.#forgotten += 1;
    this.#known.clear();
  }
}

const MOST = 5_000;

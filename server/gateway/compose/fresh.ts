import type { Clock } from '../../kernel/clock.ts';

/** Values that are read again once they are older than so many milliseconds; where reading fails, the last one known. */
export class Fresh<Value> {
  readonly #clock: Clock;
  readonly #forMs: number;
  readonly #known = new Map<string, { readonly value: Value; readonly at: number }>();

  constructor(clock: Clock, forMs: number) {
    this.#clock = clock;
    this.#forMs = forMs;
  }

  /** @throws what reading throws, where nothing is known */
  async get(key: string, read: () => Promise<Value>): Promise<Value> {
    const known = this.#known.get(key);
    const now = this.#clock.monotonic();
    if (known !== undefined && now - known.at < this.#forMs) return known.value;
    try {
      const value = await read();
      this.#known.delete(key);
      this.#known.set(key, { value, at: now });
      for (const oldest of this.#known.keys()) {
        if (this.#known.size <= MOST) break;
        this.#known.delete(oldest);
      }
      return value;
    } catch (thrown) {
      if (known === undefined) throw thrown;
      return known.value;
    }
  }

  clear(): void {
    this.#known.clear();
  }
}

const MOST = 5_000;

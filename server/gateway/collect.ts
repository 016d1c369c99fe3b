/** Bytes of one answer that are held for the recorder; a larger answer is counted and not held. */
export const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Bytes of all answers on their way together; beyond this the next to grow is not held. */
export const MAX_HELD_BYTES = 256 * 1024 * 1024;

/** How much all collectors of a process hold together. */
export interface HeldBytes {
  total: number;
}

/** Keeps an answer's pieces for the recorder, by reference, within bounds. */
export class Collector {
  readonly #held: HeldBytes;
  readonly #limit: number;
  #chunks: Uint8Array[] = [];
  #size = 0;
  #overflow = false;

  /** @param held shared by all answers of the process */
  constructor(held: HeldBytes, limit: number = MAX_ANSWER_BYTES) {
    this.#held = held;
    this.#limit = limit;
  }

  /** Takes a piece. It is not copied, so it must not be written to afterwards. */
  add(chunk: Uint8Array): void {
    if (this.#overflow) return;
    if (this.#size + chunk.length > this.#limit || this.#held.total + chunk.length > MAX_HELD_BYTES) {
      this.#overflow = true;
      this.#release();
      return;
    }
    this.#size += chunk.length;
    this.#held.total += chunk.length;
    this.#chunks.push(chunk);
  }

  /** Gives what was kept and lets go of it. */
  take(): { readonly chunks: readonly Uint8Array[]; readonly overflow: boolean } {
    const chunks = this.#chunks;
    this.#release();
    return { chunks, overflow: this.#overflow };
  }

  #release(): void {
    this.#held.total -= this.#size;
    this.#size = 0;
    this.#chunks = [];
  }
}

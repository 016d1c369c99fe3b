import type { LeftOut, LineFault } from './types.ts';

/** What a reader did not take over and what it could not read, counted as it goes. */
export class Books {
  readonly #leftOut = new Map<string, number>();
  readonly #faults: LineFault[] = [];

  /** Counts something that is not taken over, under words for a person. */
  leaveOut(what: string, count = 1): void {
    this.#leftOut.set(what, (this.#leftOut.get(what) ?? 0) + count);
  }

  /** Notes a line that cannot be read. */
  fault(file: string, line: number, reason: string): void {
    this.#faults.push({ file, line, reason });
  }

  get leftOut(): LeftOut {
    return this.#leftOut;
  }

  get faults(): readonly LineFault[] {
    return this.#faults;
  }
}

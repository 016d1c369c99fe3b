/**
 * Choices read one after the other from a list of numbers; where the list ends, each is the first. So a random list is
 * a random case, and a shorter list is a simpler one.
 */
export class Choices {
  private at = 0;

  constructor(private readonly numbers: ArrayLike<number>) {}

  /** A whole number from 0 to before `count`. */
  below(count: number): number {
    const number = this.numbers[this.at++] ?? 0;
    return count <= 0 ? 0 : number % count;
  }

  /** One of these; the first is the simplest. */
  of<T>(first: T, ...others: readonly T[]): T {
    return others[this.below(others.length + 1) - 1] ?? first;
  }

  /** True once in so many times. */
  once(times: number): boolean {
    return this.below(times) === times - 1;
  }

  /** As many as chosen, at most `most`. */
  list<T>(most: number, make: () => T): T[] {
    return Array.from({ length: this.below(most + 1) }, make);
  }

  /** The same values in another order. */
  shuffled<T>(values: readonly T[]): T[] {
    const rest = [...values];
    return values.flatMap(() => rest.splice(this.below(rest.length), 1));
  }
}

/** A source of numbers that gives the same ones for the same seed on every machine. */
export interface Random {
  /** From 0 up to 1, left out. */
  next(): number;
  /** A whole number from 0 up to `below`, left out. */
  below(below: number): number;
  pick<One>(from: readonly One[]): One;
  /** Like `pick`, with the first ones taken much more often than the last: the place is spread as 1/place. */
  pickSkewed<One>(from: readonly One[]): One;
  /** The same things in another order. */
  shuffled<One>(things: readonly One[]): One[];
}

/** Makes a {@link Random} (a 32-bit multiply-and-mix generator). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const at = <One>(from: readonly One[], place: number): One => {
    const one = from[Math.min(place, from.length - 1)];
    if (one === undefined) throw new Error('nothing to pick from');
    return one;
  };
  return {
    next,
    below,
    pick: (from) => at(from, below(from.length)),
    pickSkewed: (from) => at(from, Math.floor(from.length ** next()) - 1),
    shuffled(things) {
      const left = [...things];
      for (let last = left.length - 1; last > 0; last -= 1) {
        const other = below(last + 1);
        [left[last], left[other]] = [at(left, other), at(left, last)];
      }
      return left;
    },
  };
}

/** True in `npm run faults`: every count in full, at moments of its own. Otherwise the share of `npm test`. */
const isFull = process.env.FAULTS === 'full';

/** Where the moments and bodies of a run come from; the same seed gives the same ones. */
export const SEED = Number(process.env.FAULTS_SEED ?? 1);

/** How often something is done: in the share, and in full. */
export function times(share: number, full: number): number {
  return isFull ? full : share;
}

/** A source of numbers in [0, 1) that depends on the seed and the name alone (mulberry32). */
export function numbers(name: string): () => number {
  let state = [...name].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), SEED);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

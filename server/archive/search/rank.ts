import { eachPosting, wordsOfCoarse } from './postings.ts';

/**
 * Ranking by BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009). A word's
 * worth in a document is its worth in the chunk where it is worth most, so that words of one document count together
 * wherever they stand in it, and a long document is not worth more for its length.
 */

/** How soon further occurrences of a word in a chunk stop counting, and how much longer chunks are held down. */
const K1 = 1.2;
const B = 0.75;

/** Words that are ranked at once at most: one bit each of what a document holds. */
export const MOST_LISTS = 31;

/** Where one word (or any word with one beginning) stands. */
export interface PostingList {
  /** Chunks of the account that it stands in. */
  readonly chunks: number;
  /** Its postings, or the newest of them. */
  readonly rows: readonly Uint8Array[];
}

/** How much there is in an account. */
export interface Totals {
  readonly chunks: number;
  readonly words: number;
  /** One more than the highest number of a document. */
  readonly docs: number;
}

/** What a document must hold, and which documents count at all. Lists are named by their bits. */
export interface Conditions {
  readonly required: number;
  readonly excluded: (doc: number) => boolean;
  readonly allowed: ((doc: number) => boolean) | null;
}

/** Documents that hold at least one word, with their scores and which words they hold. */
export interface Scored {
  readonly docs: readonly number[];
  score(doc: number): number;
  /** Bits of the lists that the document is in. */
  holds(doc: number): number;
}

/** Inverse document frequency as BM25 has it, never negative. */
export function rarity(chunks: number, all: number): number {
  return Math.log(1 + (Math.max(all, chunks) - chunks + 0.5) / (chunks + 0.5));
}

/** For each coarse length, what a single occurrence is divided by beside its own count. */
function dampingOf({ chunks, words }: Totals): Float64Array {
  const average = Math.max(1, words / Math.max(1, chunks));
  return Float64Array.from(
    { length: 256 },
    (_, length) => K1 * (1 - B + (B * wordsOfCoarse(length)) / average),
  );
}

/** Scores every document that the lists name and the conditions let through. */
export function scoreDocuments(
  lists: readonly PostingList[],
  totals: Totals,
  { required, excluded, allowed }: Conditions,
): Scored {
  const scores = new Float32Array(totals.docs);
  const masks = new Uint32Array(totals.docs);
  const touched: number[] = [];
  const damping = dampingOf(totals);
  for (const [at, list] of lists.entries()) {
    const bit = 1 << at;
    const worth = rarity(list.chunks, totals.chunks) * (K1 + 1);
    let current = -1;
    let most = 0;
    const settle = () => {
      if (current < 0) return;
      const mask = masks[current] ?? 0;
      if (mask === 0) touched.push(current);
      // A document's chunks stand together, except where a result came in another batch than its call.
      if ((mask & bit) === 0) scores[current] = (scores[current] ?? 0) + most;
      masks[current] = mask | bit;
    };
    for (const row of list.rows) {
      eachPosting(row, (doc, _n, count, length) => {
        if (doc !== current) {
          settle();
          current = doc < totals.docs ? doc : -1;
          most = 0;
        }
        const value = (worth * count) / (count + (damping[length] ?? 1));
        if (value > most) most = value;
      });
    }
    settle();
  }
  const docs = touched.filter(
    (doc) =>
      ((masks[doc] ?? 0) & required) === required && !excluded(doc) && (allowed === null || allowed(doc)),
  );
  return { docs, score: (doc) => scores[doc] ?? 0, holds: (doc) => masks[doc] ?? 0 };
}

/** The `count` best documents, best first; among equals the newest (highest number) first. */
export function bestOf({ docs, score }: Scored, count: number): readonly number[] {
  const isBetter = (one: number, other: number) => {
    const difference = score(one) - score(other);
    return difference > 0 || (difference === 0 && one > other);
  };
  const order = (one: number, other: number) => (isBetter(one, other) ? -1 : 1);
  if (docs.length <= count) return [...docs].sort(order);
  // A heap whose top is the worst of the best.
  const heap = docs.slice(0, count).sort((one, other) => order(other, one));
  for (let next = count; next < docs.length; next += 1) {
    const doc = docs[next] ?? 0;
    const top = heap[0] ?? 0;
    if (isBetter(doc, top)) {
      heap[0] = doc;
      sink(heap, isBetter);
    }
  }
  return heap.sort(order);
}

function sink(heap: number[], isBetter: (one: number, other: number) => boolean): void {
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    if (left >= heap.length) return;
    const right = left + 1;
    const lower = right < heap.length && isBetter(heap[left] ?? 0, heap[right] ?? 0) ? right : left;
    const child = heap[lower] ?? 0;
    const parent = heap[at] ?? 0;
    if (!isBetter(parent, child)) return;
    heap[at] = child;
    heap[lower] = parent;
    at = lower;
  }
}

/** A chunk with what its words are worth and which it holds. */
export interface ScoredChunk {
  readonly n: number;
  readonly score: number;
  readonly holds: number;
}

/** The chunks of some documents that hold at least one word, best first (of equals the first in the text). */
export function scoreChunks(
  lists: readonly PostingList[],
  totals: Totals,
  docs: readonly number[],
): ReadonlyMap<number, readonly ScoredChunk[]> {
  const wanted = new Uint8Array(totals.docs);
  for (const doc of docs) wanted[doc] = 1;
  const damping = dampingOf(totals);
  const found = new Map<number, Map<number, { n: number; score: number; holds: number }>>();
  for (const [at, list] of lists.entries()) {
    const worth = rarity(list.chunks, totals.chunks) * (K1 + 1);
    for (const row of list.rows) {
      eachPosting(row, (doc, n, count, length) => {
        if (wanted[doc] !== 1) return;
        const chunks = found.get(doc) ?? new Map<number, { n: number; score: number; holds: number }>();
        if (chunks.size === 0) found.set(doc, chunks);
        const chunk = chunks.get(n) ?? { n, score: 0, holds: 0 };
        chunk.score += (worth * count) / (count + (damping[length] ?? 1));
        chunk.holds |= 1 << at;
        chunks.set(n, chunk);
      });
    }
  }
  return new Map(
    [...found].map(([doc, chunks]) => [
      doc,
      [...chunks.values()].sort((one, other) => other.score - one.score || one.n - other.n),
    ]),
  );
}

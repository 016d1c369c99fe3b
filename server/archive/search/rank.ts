import { POSTING_BYTES, wordsOfCoarse } from './postings.ts';

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
  readonly docs: Uint32Array;
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
  const damping = dampingOf(totals);
  for (const [at, list] of lists.entries()) {
    const worth = rarity(list.chunks, totals.chunks) * (K1 + 1);
    for (const row of list.rows) addRow(row, 1 << at, worth, { scores, masks, damping });
  }
  const docs = new Uint32Array(totals.docs);
  let count = 0;
  for (let doc = 0; doc < masks.length; doc += 1) {
    const mask = masks[doc] ?? 0;
    if (mask === 0 || (mask & required) !== required) continue;
    if (excluded(doc) || (allowed !== null && !allowed(doc))) continue;
    docs[count] = doc;
    count += 1;
  }
  return { docs: docs.subarray(0, count), score: (doc) => scores[doc] ?? 0, holds: (doc) => masks[doc] ?? 0 };
}

/** What documents come to while lists are read. */
interface Sums {
  readonly scores: Float32Array;
  readonly masks: Uint32Array;
  readonly damping: Float64Array;
}

/**
 * Adds one row of a list's postings. It is read in place: a function that is called for each posting would take most of
 * the time of a search.
 */
function addRow(row: Uint8Array, bit: number, worth: number, { scores, masks, damping }: Sums): void {
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
  const end = row.byteLength - POSTING_BYTES;
  for (let at = 0; at <= end; ) {
    const doc = view.getInt32(at, true);
    let most = 0;
    // A document's chunks stand together, except where a result came in another batch than its call.
    do {
      const rest = view.getInt32(at + 4, true);
      const count = (rest >>> 16) & 0xff;
      const value = (worth * count) / (count + (damping[rest >>> 24] ?? 1));
      if (value > most) most = value;
      at += POSTING_BYTES;
    } while (at <= end && view.getInt32(at, true) === doc);
    if (doc >= scores.length) continue;
    const mask = masks[doc] ?? 0;
    if ((mask & bit) === 0) scores[doc] = (scores[doc] ?? 0) + most;
    masks[doc] = mask | bit;
  }
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
  const heap = [...docs.subarray(0, count)].sort((one, other) => order(other, one));
  let least = score(heap[0] ?? 0);
  for (let next = count; next < docs.length; next += 1) {
    const doc = docs[next] ?? 0;
    if (score(doc) < least || !isBetter(doc, heap[0] ?? 0)) continue;
    heap[0] = doc;
    sink(heap, isBetter);
    least = score(heap[0] ?? 0);
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
  const places = new Uint32Array(totals.docs);
  for (const [at, doc] of docs.entries()) places[doc] = at + 1;
  const damping = dampingOf(totals);
  const found = docs.map(() => new Map<number, Mutable>());
  for (const [at, list] of lists.entries()) {
    const worth = rarity(list.chunks, totals.chunks) * (K1 + 1);
    for (const row of list.rows) addChunks(row, 1 << at, worth, { places, found, damping });
  }
  return new Map(
    docs.map((doc, at) => [
      doc,
      [...(found[at]?.values() ?? [])].sort((one, other) => other.score - one.score || one.n - other.n),
    ]),
  );
}

type Mutable = { -readonly [Key in keyof ScoredChunk]: ScoredChunk[Key] };

interface Gathered {
  /** By document: one more than its index in `found`, 0 where it is not asked for. */
  readonly places: Uint32Array;
  readonly found: readonly Map<number, Mutable>[];
  readonly damping: Float64Array;
}

function addChunks(row: Uint8Array, bit: number, worth: number, { places, found, damping }: Gathered): void {
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
  for (let at = 0; at + POSTING_BYTES <= row.byteLength; at += POSTING_BYTES) {
    const place = places[view.getInt32(at, true)] ?? 0;
    if (place === 0) continue;
    const chunks = found[place - 1];
    if (chunks === undefined) continue;
    const rest = view.getInt32(at + 4, true);
    const count = (rest >>> 16) & 0xff;
    const value = (worth * count) / (count + (damping[rest >>> 24] ?? 1));
    const n = rest & 0xffff;
    const chunk = chunks.get(n);
    if (chunk) {
      chunk.score += value;
      chunk.holds |= bit;
    } else chunks.set(n, { n, score: value, holds: bit });
  }
}

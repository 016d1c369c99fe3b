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
  /** For each row what stands beside the word there; null where that is not known. Left out where it was not read. */
  readonly neighbours?: readonly (Uint8Array | null)[];
}

/** How much there is in an account. */
export interface Totals {
  readonly chunks: number;
  readonly words: number;
  /** One more than the highest number of a document. */
  readonly docs: number;
}

/** Numbers of documents. */
type Documents = Pick<ReadonlySet<number>, 'has' | 'size'>;

/** What a document must hold, and which documents count at all. Lists are named by their bits. */
export interface Conditions {
  readonly required: number;
  /** Documents with this number and higher do not count. */
  readonly below: number;
  readonly excluded: Documents;
  /** Null: all but the excluded ones. */
  readonly allowed: Documents | null;
}

/** Documents that hold at least one word, each once and in no order: what they are called, are worth and hold, by place. */
export interface Scored {
  readonly docs: Uint32Array;
  readonly scores: Float32Array;
  /** Bits of the lists that each document is in. */
  readonly holds: Uint32Array;
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
  conditions: Conditions,
): Scored {
  const sums = sumsFor(lists, totals);
  try {
    for (const [at, list] of lists.entries()) {
      const worth = rarity(list.chunks, totals.chunks) * (K1 + 1);
      for (const row of list.rows) addRow(row, 1 << at, worth, sums);
    }
    return kept(sums, conditions);
  } finally {
    for (let at = 0; at < sums.count; at += 1) {
      const doc = sums.named[at] ?? 0;
      sums.scores[doc] = 0;
      sums.masks[doc] = 0;
    }
  }
}

/** Those of the named documents that hold what is required and count. */
function kept(
  { named, count, scores, masks }: Sums,
  { required, below, excluded, allowed }: Conditions,
): Scored {
  const docs = new Uint32Array(count);
  const values = new Float32Array(count);
  const holds = new Uint32Array(count);
  const excludes = excluded.size > 0;
  let size = 0;
  for (let at = 0; at < count; at += 1) {
    const doc = named[at] ?? 0;
    const mask = masks[doc] ?? 0;
    if ((mask & required) !== required || doc >= below) continue;
    if ((excludes && excluded.has(doc)) || (allowed !== null && !allowed.has(doc))) continue;
    docs[size] = doc;
    values[size] = scores[doc] ?? 0;
    holds[size] = mask;
    size += 1;
  }
  return { docs: docs.subarray(0, size), scores: values.subarray(0, size), holds: holds.subarray(0, size) };
}

/** What documents come to while lists are read. */
interface Sums {
  /** By document; 0 for every one that no list has named yet. */
  readonly scores: Float32Array;
  readonly masks: Uint32Array;
  readonly damping: Float64Array;
  /** The documents that were named, each once, and how many these are. */
  readonly named: Uint32Array;
  count: number;
  /** One more than the highest number of a document. */
  readonly docs: number;
}

/** Documents for which arrays are kept between searches: making them anew costs more than most searches. */
const KEPT_DOCS = 4_000_000;
let ours = { scores: new Float32Array(0), masks: new Uint32Array(0) };

/** Arrays with a place for each document, all 0. Who uses them leaves them so, and gives nothing else a turn meanwhile. */
function arraysFor(docs: number): typeof ours {
  if (ours.scores.length >= docs) return ours;
  const size = Math.ceil(docs * 1.25);
  const made = { scores: new Float32Array(size), masks: new Uint32Array(size) };
  if (size <= KEPT_DOCS) ours = made;
  return made;
}

function sumsFor(lists: readonly PostingList[], totals: Totals): Sums {
  const { scores, masks } = arraysFor(totals.docs);
  const postings = lists.reduce(
    (sum, { rows }) => sum + rows.reduce((bytes, row) => bytes + row.byteLength, 0) / POSTING_BYTES,
    0,
  );
  const named = new Uint32Array(Math.min(totals.docs, Math.ceil(postings)));
  return { scores, masks, damping: dampingOf(totals), named, count: 0, docs: totals.docs };
}

/** Rows that were read and whose documents ascend: what one of them says of a document is found without reading it all. */
const ascending = new WeakSet<Uint8Array>();

/**
 * Adds one row of a list's postings. It is read in place: a function that is called for each posting would take most of
 * the time of a search.
 */
function addRow(row: Uint8Array, bit: number, worth: number, sums: Sums): void {
  const { scores, masks, damping, named, docs } = sums;
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
  const end = row.byteLength - POSTING_BYTES;
  let { count } = sums;
  let before = -1;
  let ascends = true;
  for (let at = 0; at <= end; ) {
    const doc = view.getInt32(at, true);
    if (doc <= before) ascends = false;
    before = doc;
    let most = 0;
    // A document's chunks stand together, except where a result came in another batch than its call.
    do {
      const rest = view.getInt32(at + 4, true);
      const times = (rest >>> 16) & 0xff;
      const value = (worth * times) / (times + (damping[rest >>> 24] ?? 1));
      if (value > most) most = value;
      at += POSTING_BYTES;
    } while (at <= end && view.getInt32(at, true) === doc);
    if (doc >= docs) continue;
    const mask = masks[doc] ?? 0;
    if (mask === 0) {
      named[count] = doc;
      count += 1;
    }
    if ((mask & bit) === 0) scores[doc] = (scores[doc] ?? 0) + most;
    masks[doc] = mask | bit;
  }
  sums.count = count;
  if (ascends) ascending.add(row);
}

/** Places of the `count` best documents, best first; among equals the newest (highest number) first. */
export function bestOf({ docs, scores }: Scored, count: number): Uint32Array {
  // A heap whose top is the worst of the best.
  const heap = new Heap(docs, scores, Math.min(count, docs.length));
  for (let next = heap.size; next < docs.length; next += 1) heap.offer(next);
  return heap.sorted();
}

class Heap {
  readonly #places: Uint32Array;
  readonly #docs: Uint32Array;
  readonly #scores: Float32Array;
  #least = 0;

  /** The first `size` documents. */
  constructor(docs: Uint32Array, scores: Float32Array, size: number) {
    this.#docs = docs;
    this.#scores = scores;
    this.#places = Uint32Array.from({ length: size }, (_, place) => place);
    for (let at = (size >> 1) - 1; at >= 0; at -= 1) this.#sink(at);
    this.#least = scores[this.#places[0] ?? 0] ?? 0;
  }

  get size(): number {
    return this.#places.length;
  }

  /** Takes a document in for the worst where it is better. */
  offer(place: number): void {
    if ((this.#scores[place] ?? 0) < this.#least || this.#places.length === 0) return;
    if (!this.#isBetter(place, this.#places[0] ?? 0)) return;
    this.#places[0] = place;
    this.#sink(0);
    this.#least = this.#scores[this.#places[0] ?? 0] ?? 0;
  }

  sorted(): Uint32Array {
    return this.#places.sort((one, other) => (this.#isBetter(one, other) ? -1 : 1));
  }

  #isBetter(one: number, other: number): boolean {
    const difference = (this.#scores[one] ?? 0) - (this.#scores[other] ?? 0);
    return difference > 0 || (difference === 0 && (this.#docs[one] ?? 0) > (this.#docs[other] ?? 0));
  }

  #sink(from: number): void {
    const heap = this.#places;
    for (let at = from; ; ) {
      const left = 2 * at + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const isRightWorse = right < heap.length && this.#isBetter(heap[left] ?? 0, heap[right] ?? 0);
      const child = isRightWorse ? right : left;
      const parent = heap[at] ?? 0;
      const worse = heap[child] ?? 0;
      if (!this.#isBetter(parent, worse)) return;
      heap[at] = worse;
      heap[child] = parent;
      at = child;
    }
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
  const places = new Map([...docs].sort((one, other) => one - other).map((doc, at) => [doc, at]));
  const gathered = {
    docs: Int32Array.from(places.keys()),
    places,
    marks: marksOf(docs),
    found: docs.map(() => [] as Mutable[]),
    byNumber: new Map<number, Map<number, Mutable>>(),
    damping: dampingOf(totals),
  };
  for (const [at, list] of lists.entries()) {
    const worth = rarity(list.chunks, totals.chunks) * (K1 + 1);
    for (const row of list.rows) {
      if (ascending.has(row)) seekChunks(row, 1 << at, worth, gathered);
      else addChunks(row, 1 << at, worth, gathered);
    }
  }
  const inOrder = (one: ScoredChunk, other: ScoredChunk) => other.score - one.score || one.n - other.n;
  return new Map([...places].map(([doc, at]) => [doc, (gathered.found[at] ?? []).sort(inOrder)]));
}

type Mutable = { -readonly [Key in keyof ScoredChunk]: ScoredChunk[Key] };

interface Gathered {
  /** The documents that are asked for, ascending, and the place of each. */
  readonly docs: Int32Array;
  readonly places: ReadonlyMap<number, number>;
  /** 1 at the last bits of each document's number: what has 0 there is not asked for. Small, so that it is at hand. */
  readonly marks: Uint8Array;
  /** By place. */
  readonly found: readonly Mutable[][];
  /** By place, where there are many. */
  readonly byNumber: Map<number, Map<number, Mutable>>;
  readonly damping: Float64Array;
}

function marksOf(docs: readonly number[]): Uint8Array {
  const marks = new Uint8Array(2 ** Math.ceil(Math.log2(64 * Math.max(64, docs.length))));
  for (const doc of docs) marks[doc & (marks.length - 1)] = 1;
  return marks;
}

/** Takes what a row says of the documents, by looking at all of it. */
function addChunks(row: Uint8Array, bit: number, worth: number, gathered: Gathered): void {
  const { places, marks } = gathered;
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
  const last = marks.length - 1;
  for (let at = 0; at + POSTING_BYTES <= row.byteLength; at += POSTING_BYTES) {
    const doc = view.getInt32(at, true);
    if (marks[doc & last] === 0) continue;
    const place = places.get(doc);
    if (place !== undefined) take(view.getInt32(at + 4, true), bit, worth, place, gathered);
  }
}

/** The same of a row whose documents ascend: each is sought among those that are left. */
function seekChunks(row: Uint8Array, bit: number, worth: number, gathered: Gathered): void {
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
  const postings = row.byteLength / POSTING_BYTES;
  let from = 0;
  for (const [place, doc] of gathered.docs.entries()) {
    let to = postings;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (view.getInt32(middle * POSTING_BYTES, true) < doc) from = middle + 1;
      else to = middle;
    }
    if (from >= postings) return;
    for (; from < postings && view.getInt32(from * POSTING_BYTES, true) === doc; from += 1)
      take(view.getInt32(from * POSTING_BYTES + 4, true), bit, worth, place, gathered);
  }
}

function take(rest: number, bit: number, worth: number, place: number, gathered: Gathered): void {
  const { found, damping } = gathered;
  const count = (rest >>> 16) & 0xff;
  const score = (worth * count) / (count + (damping[rest >>> 24] ?? 1));
  const n = rest & 0xffff;
  const chunk = chunkOf(place, n, gathered);
  if (chunk) {
    chunk.score += score;
    chunk.holds |= bit;
    return;
  }
  const made = { n, score, holds: bit };
  found[place]?.push(made);
  gathered.byNumber.get(place)?.set(n, made);
}

/** Chunks of a document that are gone through one by one; most have one or two. */
const FEW = 8;

function chunkOf(place: number, n: number, { found, byNumber }: Gathered): Mutable | undefined {
  const chunks = found[place] ?? [];
  if (chunks.length <= FEW) return chunks.find((chunk) => chunk.n === n);
  const known = byNumber.get(place) ?? new Map(chunks.map((chunk) => [chunk.n, chunk]));
  byNumber.set(place, known);
  return known.get(n);
}

import type { CountedTerm } from './words.ts';

/**
 * Postings: which chunks a word stands in. Eight bytes each, little-endian: the document's number (32 bits), the chunk's
 * number in it (16), how often (8), how long the chunk is (8, coarse). All of a row have one length and stand by
 * themselves, so that rows are joined by writing one behind the other.
 */

/** Bytes of one posting. */
export const POSTING_BYTES = 8;
/** Numbers by which a posting is kept in memory: its document, what else it says, and what stands beside the word. */
export const POSTING_NUMBERS = 3;
/** Bytes that say which words stand beside a posting's word, in a row of their own. */
export const NEIGHBOUR_BYTES = 4;

/** One posting, read. */
export interface Posting {
  readonly doc: number;
  readonly n: number;
  /** How often the word stands in the chunk; 255 stands for more. */
  readonly count: number;
  /** The chunk's length as {@link coarseLength} gives it. */
  readonly length: number;
}

/** Largest number of a chunk in its document. */
export const LAST_CHUNK = 0xffff;

/** A number of words in a byte: exact enough for ranking, from 0 to about 2,600. */
export function coarseLength(words: number): number {
  return Math.min(255, Math.round(Math.sqrt(words) * 5));
}

/** The number of words that a {@link coarseLength} stands for. */
export function wordsOfCoarse(length: number): number {
  return (length / 5) ** 2;
}

/** What names a chunk of an account: one number for its document's and its own. */
export function chunkKey(doc: number, n: number): number {
  return doc * (LAST_CHUNK + 1) + n;
}

/** The document of a {@link chunkKey}. */
export function documentOf(key: number): number {
  return Math.floor(key / (LAST_CHUNK + 1));
}

/** Calls `take` with every posting of some bytes. */
export function eachPosting(
  bytes: Uint8Array,
  take: (doc: number, n: number, count: number, length: number) => void,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + POSTING_BYTES <= bytes.byteLength; at += POSTING_BYTES) {
    const rest = view.getUint32(at + 4, true);
    take(view.getUint32(at, true), rest & 0xffff, (rest >>> 16) & 0xff, rest >>> 24);
  }
}

/** A row of postings, and what is known of the words beside each (null: nothing). */
export interface PostingRow {
  readonly data: Uint8Array;
  readonly neighbours: Uint8Array | null;
}

/** The row without the postings that `drops` names; null where none is named. */
export function withoutPostings(
  { data, neighbours }: PostingRow,
  drops: (doc: number, n: number) => boolean,
): PostingRow | null {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const kept = new Uint8Array(data.byteLength);
  const beside = neighbours === null ? null : new Uint8Array(neighbours.byteLength);
  let left = 0;
  for (let at = 0; (at + 1) * POSTING_BYTES <= data.byteLength; at += 1) {
    const from = at * POSTING_BYTES;
    if (drops(view.getUint32(from, true), view.getUint16(from + 4, true))) continue;
    kept.set(data.subarray(from, from + POSTING_BYTES), left * POSTING_BYTES);
    beside?.set(
      neighbours?.subarray(at * NEIGHBOUR_BYTES, (at + 1) * NEIGHBOUR_BYTES) ?? [],
      left * NEIGHBOUR_BYTES,
    );
    left += 1;
  }
  if (left * POSTING_BYTES === data.byteLength) return null;
  return {
    data: kept.subarray(0, left * POSTING_BYTES),
    neighbours: beside?.subarray(0, left * NEIGHBOUR_BYTES) ?? null,
  };
}

/** Rows of the table of postings that one batch of chunks makes. */
export interface PostingRows {
  readonly terms: readonly string[];
  /** For each term: lowest and highest document, and the bytes that are its postings, as a range of `bytes`. */
  readonly lows: readonly number[];
  readonly highs: readonly number[];
  readonly froms: readonly number[];
  readonly sizes: readonly number[];
  readonly bytes: Uint8Array;
  /** What stands beside each posting's word: half as many bytes, in the same order. */
  readonly neighbours: Uint8Array;
  /** For each term whether they are kept. */
  readonly tells: readonly boolean[];
}

/** Collects the words of chunks and writes them as rows. */
export class PostingsBuilder {
  readonly #lists = new Map<string, number[]>();
  #chunks = 0;

  /** Takes one chunk's words, each with how often it stands there. `words`: how many there are in all. */
  add(doc: number, n: number, terms: ReadonlyMap<string, CountedTerm>, words: number): void {
    const length = coarseLength(words);
    this.#chunks += 1;
    for (const [term, { count, neighbours }] of terms) {
      const rest = (length << 24) | (Math.min(count, 255) << 16) | n;
      const list = this.#lists.get(term);
      if (list) list.push(doc, rest, neighbours);
      else this.#lists.set(term, [doc, rest, neighbours]);
    }
  }

  /** For each term its postings, {@link POSTING_NUMBERS} each. */
  get lists(): ReadonlyMap<string, readonly number[]> {
    return this.#lists;
  }

  /**
   * Whether it is kept what stands beside a term: of one that so few chunks hold, all may be read, and most rows are of
   * such terms.
   */
  tells(list: readonly number[]): boolean {
    return list.length / POSTING_NUMBERS >= this.#chunks * TOLD_SHARE;
  }

  /** The rows, in parts that are small enough to be written out between other work. */
  *parts(terms = PART_TERMS): Generator<PostingRows> {
    let part: (readonly [string, readonly number[]])[] = [];
    let postings = 0;
    for (const entry of this.#lists) {
      part.push(entry);
      postings += entry[1].length / POSTING_NUMBERS;
      if (part.length < terms && postings < PART_POSTINGS) continue;
      yield rowsOf(part, postings, (list) => this.tells(list));
      part = [];
      postings = 0;
    }
    if (part.length > 0) yield rowsOf(part, postings, (list) => this.tells(list));
  }
}

/** Share of a batch's chunks that a term must stand in for its neighbours to be kept. */
const TOLD_SHARE = 1 / 256;

/** Terms and postings of one part at most (a term is never split). */
const PART_TERMS = 8_000;
const PART_POSTINGS = 60_000;

/**
 * Some terms with their postings as rows.
 * @param tells whether it is kept what stands beside a term, by its list
 */
export function rowsOf(
  lists: readonly (readonly [string, readonly number[]])[],
  postings: number,
  tells: (list: readonly number[]) => boolean,
): PostingRows {
  const bytes = new Uint8Array(postings * POSTING_BYTES);
  const view = new DataView(bytes.buffer);
  const neighbours = new Uint8Array(postings * NEIGHBOUR_BYTES);
  const beside = new DataView(neighbours.buffer);
  const rows = {
    terms: [] as string[],
    lows: [] as number[],
    highs: [] as number[],
    froms: [] as number[],
    sizes: [] as number[],
    tells: [] as boolean[],
  };
  let at = 0;
  for (const [term, list] of lists) {
    let low = 0xffffffff;
    let high = 0;
    const from = at;
    for (let n = 0; n < list.length; n += POSTING_NUMBERS) {
      const doc = list[n] ?? 0;
      low = Math.min(low, doc);
      high = Math.max(high, doc);
      view.setUint32(at, doc, true);
      view.setInt32(at + 4, list[n + 1] ?? 0, true);
      beside.setInt32((at / POSTING_BYTES) * NEIGHBOUR_BYTES, list[n + 2] ?? 0, true);
      at += POSTING_BYTES;
    }
    rows.terms.push(term);
    rows.lows.push(low);
    rows.highs.push(high);
    rows.froms.push(from);
    rows.sizes.push(at - from);
    rows.tells.push(tells(list));
  }
  return { ...rows, bytes, neighbours };
}

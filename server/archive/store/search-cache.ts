import type { Uuid } from '../../kernel/ids.ts';
import type { PostingList } from '../search/rank.ts';

/** Postings of one term; `cut` where only the newest were read. */
export interface TermPostings extends PostingList {
  readonly cut: boolean;
}

/** How much of a term is read: its newest places where it is common, also with what stands beside it, or all places. */
export type Reading = 'newest' | 'beside' | 'whole';

/** Bytes of postings that are kept in all, and what a term is counted as beside them. */
const KEPT_BYTES = 64 * 1024 * 1024;
const TERM_BYTES = 256;

interface Entry {
  readonly list: TermPostings;
  readonly bytes: number;
}

/**
 * Postings that were read lately, so that the next page of a search, or a search with some of the same words, reads none
 * of them again. They belong to one state of an account's index: in another state nothing of the account's is answered,
 * and all of it is dropped. What was used longest ago goes first.
 */
export class PostingCache {
  readonly #limit: number;
  readonly #entries = new Map<string, Entry>();
  readonly #states = new Map<Uuid, string>();
  #bytes = 0;

  /** @param limit bytes that are kept at most */
  constructor(limit = KEPT_BYTES) {
    this.#limit = limit;
  }

  /** Bytes that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Those of the terms that are known in this state of the account's index. */
  get(accountId: Uuid, state: string, terms: readonly string[], reading: Reading): Map<string, TermPostings> {
    this.#enter(accountId, state);
    const known = new Map<string, TermPostings>();
    for (const term of terms) {
      const key = keyOf(accountId, term, reading);
      const entry = this.#entries.get(key);
      if (entry === undefined) continue;
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      known.set(term, entry.list);
    }
    return known;
  }

  /** Keeps what was read in a state, unless the account's index has been seen in another one meanwhile. */
  put(accountId: Uuid, state: string, lists: ReadonlyMap<string, TermPostings>, reading: Reading): void {
    if (this.#states.get(accountId) !== state) return;
    for (const [term, list] of lists) {
      const key = keyOf(accountId, term, reading);
      const bytes = TERM_BYTES + bytesOf(list.rows) + bytesOf(list.neighbours ?? []);
      this.#drop(key);
      if (bytes > this.#limit / 4) continue;
      this.#entries.set(key, { list, bytes });
      this.#bytes += bytes;
    }
    for (const key of this.#entries.keys()) {
      if (this.#bytes <= this.#limit) break;
      this.#drop(key);
    }
  }

  #enter(accountId: Uuid, state: string): void {
    if (this.#states.get(accountId) === state) return;
    for (const key of [...this.#entries.keys()]) if (key.startsWith(`${accountId} `)) this.#drop(key);
    this.#states.set(accountId, state);
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

function bytesOf(rows: readonly (Uint8Array | null)[]): number {
  return rows.reduce((sum, row) => sum + (row?.byteLength ?? 0), 0);
}

function keyOf(accountId: Uuid, term: string, reading: Reading): string {
  return `${accountId} ${reading} ${term}`;
}

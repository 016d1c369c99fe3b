import type { Uuid } from '../../kernel/ids.ts';
import { POSTING_BYTES } from '../search/postings.ts';
import type { Query } from '../search/query.ts';
import type { Totals } from '../search/rank.ts';
import { prepared, type Queryable } from './connection.ts';
import { PostingCache, type Reading, type TermPostings } from './search-cache.ts';
import { LEVELS } from './search-levels.ts';
import { MANY } from './search-waiting.ts';

/** A word that stands in a larger share of the chunks than this is ranked by its newest places alone. */
export const COMMON_SHARE = 0.05;
/** By how many of its newest places a common word is ranked. */
export const NEWEST = 20_000;
/** Words of the index that one `prefix*` stands for at most. */
const PREFIX_TERMS = 200;

/** An account's index: how much it holds, and a text that changes whenever a posting of it does. */
export interface Holdings extends Totals {
  readonly state: string;
}

/** What a search begins with. */
export interface Index {
  /** How much the account's index holds; null where it has none. */
  readonly holdings: Holdings | null;
  /** Items that are archived and wait for it; no more than are counted. */
  readonly waiting: number;
}

/** Where an account's index stands. */
export async function readIndex(pool: Queryable, accountId: Uuid): Promise<Index> {
  const { rows } = await pool.query<{
    chunks: number | null;
    words: string;
    next_doc: number;
    next_batch: number;
    version: number;
    waiting: number;
  }>(prepared('search_totals', TOTALS, [accountId]));
  const [row] = rows;
  const waiting = row?.waiting ?? 0;
  if (row === undefined || (row.chunks ?? 0) === 0) return { holdings: null, waiting };
  const holdings = {
    chunks: row.chunks ?? 0,
    words: Number(row.words),
    docs: row.next_doc,
    // A batch raises its number, a deletion lowers the others; joining rows changes none of what a term's rows say.
    state: `${row.version} ${row.next_batch} ${row.chunks} ${row.words}`,
  };
  return { holdings, waiting };
}

const TOTALS = `
SELECT s.chunks, s.words, s.next_doc, s.next_batch, s.version,
  (SELECT count(*)::int FROM (SELECT 1 FROM unindexed_item WHERE account_id = $1 LIMIT ${MANY}) AS first) AS waiting
FROM (SELECT 1) AS one LEFT JOIN search_state s ON s.account_id = $1`;

const EMPTY: TermPostings = { chunks: 0, rows: [], cut: false };

/** What was read through each pool lately. */
const caches = new WeakMap<Queryable, PostingCache>();

/**
 * Where terms stand. Of a common one the newest places are read.
 * @param reading whether also of a common one all places are read, and whether what stands beside the word
 */
export async function readPostings(
  pool: Queryable,
  accountId: Uuid,
  terms: readonly string[],
  holdings: Holdings,
  reading: Reading = 'newest',
): Promise<(term: string) => TermPostings> {
  if (terms.length === 0) return () => EMPTY;
  const cache = caches.get(pool) ?? new PostingCache();
  caches.set(pool, cache);
  const known = cache.get(accountId, holdings.state, terms, reading);
  const missing = terms.filter((term) => !known.has(term));
  if (missing.length > 0) {
    const read = await readRows(pool, accountId, missing, reading, holdings);
    cache.put(accountId, holdings.state, read, reading);
    for (const [term, list] of read) known.set(term, list);
  }
  return (term) => known.get(term) ?? EMPTY;
}

/** Reads the rows of terms. */
async function readRows(
  pool: Queryable,
  accountId: Uuid,
  terms: readonly string[],
  reading: Reading,
  totals: Totals,
): Promise<ReadonlyMap<string, TermPostings>> {
  const common =
    reading === 'whole'
      ? Number.MAX_SAFE_INTEGER
      : Math.max(Math.floor(totals.chunks * COMMON_SHARE), NEWEST);
  const { rows } = await pool.query<ReadRow>(
    reading === 'beside'
      ? prepared('search_read_beside', readOf('data, neighbours'), [accountId, LEVELS, terms, common, NEWEST])
      : prepared('search_read', readOf('data'), [accountId, LEVELS, terms, common, NEWEST]),
  );
  const found = new Map(
    terms.map((term) => [
      term,
      { chunks: 0, read: 0, rows: [] as Buffer[], neighbours: [] as (Buffer | null)[] },
    ]),
  );
  for (const { term, chunks, data, neighbours = null } of rows) {
    const list = found.get(term);
    if (list === undefined) continue;
    list.chunks = Number(chunks);
    list.rows.push(data);
    list.neighbours.push(neighbours);
    list.read += data.length / POSTING_BYTES;
  }
  return new Map(
    [...found].map(([term, { chunks, read, rows: data, neighbours }]) => [
      term,
      { chunks, rows: data, cut: read < chunks, ...(reading === 'beside' ? { neighbours } : {}) },
    ]),
  );
}

interface ReadRow {
  readonly term: string;
  readonly chunks: string;
  readonly data: Buffer;
  readonly neighbours?: Buffer | null;
}

/** `octet_length` does not fetch the values: only the rows that are answered are read. */
const readOf = (columns: string) => `
SELECT term, chunks, ${columns} FROM (
  SELECT term, ${columns}, sum(octet_length(data) / 8) OVER (PARTITION BY term) AS chunks,
    sum(octet_length(data) / 8) OVER (PARTITION BY term ORDER BY batch DESC, level) - octet_length(data) / 8 AS newer
  FROM posting WHERE account_id = $1 AND level = ANY($2::smallint[]) AND term = ANY($3::text[])
) p WHERE chunks <= $4 OR newer < $5`;

/** The terms that begin with a form, or are what its ending was taken off of. `more`: there were too many. */
export async function expandPrefix(
  pool: Queryable,
  accountId: Uuid,
  prefix: Query['prefixes'][number],
): Promise<{ readonly terms: readonly string[]; readonly more: boolean }> {
  const { rows } = await pool.query<{ term: string }>(
    prepared(
      'search_prefix',
      `SELECT DISTINCT p.term FROM unnest($2::smallint[]) AS l(level)
       CROSS JOIN LATERAL (
         SELECT term FROM posting
         WHERE account_id = $1 AND level = l.level AND term >= $3 COLLATE "C" AND term < $4 COLLATE "C"
         ORDER BY term LIMIT ${PREFIX_TERMS + 1}
       ) p LIMIT ${PREFIX_TERMS + 1}`,
      [accountId, LEVELS, prefix.form, `${prefix.form}\u{10ffff}`],
    ),
  );
  const terms = rows.slice(0, PREFIX_TERMS).map((row) => row.term);
  return { terms: [...new Set([...terms, ...prefix.stems])], more: rows.length > PREFIX_TERMS };
}

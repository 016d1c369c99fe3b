import { setImmediate as turn } from 'node:timers/promises';
import type { Uuid } from '../../kernel/ids.ts';
import { chunkKey, withoutPostings } from '../search/postings.ts';
import { readable } from '../search/readable.ts';
import { countTerms } from '../search/words.ts';
import type { Queryable } from './connection.ts';
import { LEVELS } from './search-levels.ts';
import { lockSearch } from './search-state.ts';

/** Messages whose texts are read at once, and terms whose rows are rewritten at once. */
const MESSAGES = 100;
const TERMS = 500;

/**
 * Takes the items of some messages out of the search, inside the transaction that deletes them and before it deletes
 * them: their chunks, and every posting of every word in them, so that no table tells afterwards which words they held.
 * The reference from `chunk` to `item` refuses a deletion of items that leaves this out.
 */
export async function forgetItems(
  connection: Queryable,
  accountId: Uuid,
  messages: readonly Uint8Array[],
): Promise<void> {
  if (messages.length === 0) return;
  // Where nothing was ever indexed there is nothing to forget. Should another transaction be about to index for the first
  // time, the reference from `chunk` to `item` makes this one go again.
  if (!(await hasIndex(connection, accountId))) return;
  await lockSearch(connection, accountId);
  const gone = new Gone();
  for (let at = 0; at < messages.length; at += MESSAGES)
    await readGone(connection, accountId, messages.slice(at, at + MESSAGES), gone);
  if (gone.chunks === 0) return;
  const terms = [...gone.terms];
  for (let at = 0; at < terms.length; at += TERMS)
    await dropPostings(connection, accountId, terms.slice(at, at + TERMS), gone);
  await connection.query('DELETE FROM chunk WHERE account_id = $1 AND message_hash = ANY($2::bytea[])', [
    accountId,
    messages,
  ]);
  await connection.query(
    'UPDATE search_state SET chunks = chunks - $2, words = words - $3 WHERE account_id = $1',
    [accountId, gone.chunks, gone.words],
  );
}

async function hasIndex(connection: Queryable, accountId: Uuid): Promise<boolean> {
  const { rows } = await connection.query('SELECT 1 FROM search_state WHERE account_id = $1', [accountId]);
  return rows.length > 0;
}

/** What goes: which chunks, with which terms. */
class Gone {
  readonly terms = new Set<string>();
  chunks = 0;
  words = 0;
  low = Number.POSITIVE_INFINITY;
  high = 0;
  readonly #chunks = new Set<number>();

  add(doc: number, n: number, words: number): void {
    this.#chunks.add(chunkKey(doc, n));
    this.chunks += 1;
    this.words += words;
    this.low = Math.min(this.low, doc);
    this.high = Math.max(this.high, doc);
  }

  readonly has = (doc: number, n: number): boolean => this.#chunks.has(chunkKey(doc, n));
}

async function readGone(
  connection: Queryable,
  accountId: Uuid,
  messages: readonly Uint8Array[],
  gone: Gone,
): Promise<void> {
  const { rows } = await connection.query<{
    doc: number;
    n: number;
    words: number;
    kind: string;
    text: string;
  }>(
    `SELECT c.doc, c.n, c.words, i.kind, COALESCE(c.text, i.text) AS text
     FROM chunk c
     JOIN item i ON i.account_id = c.account_id AND i.message_hash = c.message_hash AND i.position = c.position
     WHERE c.account_id = $1 AND c.message_hash = ANY($2::bytea[])`,
    [accountId, messages],
  );
  for (const [at, row] of rows.entries()) {
    gone.add(row.doc, row.n, row.words);
    for (const term of countTerms(readable(row.text, row.kind === 'tool_call').text).terms.keys())
      gone.terms.add(term);
    if (at % 32 === 31) await turn();
  }
}

interface StoredRow {
  readonly level: number;
  readonly term: string;
  readonly batch: number;
  readonly data: Buffer;
  readonly neighbours: Buffer | null;
}

async function dropPostings(
  connection: Queryable,
  accountId: Uuid,
  terms: readonly string[],
  gone: Gone,
): Promise<void> {
  const { rows } = await connection.query<StoredRow>(
    `SELECT level, term, batch, data, neighbours FROM posting
     WHERE account_id = $1 AND level = ANY($2::smallint[]) AND term = ANY($3::text[]) AND low <= $4 AND high >= $5`,
    [accountId, LEVELS, terms, gone.high, gone.low],
  );
  const changed = rows.flatMap((row) => {
    const left = withoutPostings(row, gone.has);
    return left === null ? [] : [{ ...row, left }];
  });
  await turn();
  const emptied = changed.filter((row) => row.left.data.length === 0);
  const kept = changed.filter((row) => row.left.data.length > 0);
  const names = (some: typeof changed) => [
    accountId,
    some.map((row) => row.level),
    some.map((row) => row.term),
    some.map((row) => row.batch),
  ];
  await connection.query(
    `DELETE FROM posting p USING unnest($2::smallint[], $3::text[], $4::int[]) AS g(level, term, batch)
     WHERE p.account_id = $1 AND p.level = g.level AND p.term = g.term AND p.batch = g.batch`,
    names(emptied),
  );
  await connection.query(
    `UPDATE posting p SET data = g.data, neighbours = g.neighbours
     FROM unnest($2::smallint[], $3::text[], $4::int[], $5::bytea[], $6::bytea[])
       AS g(level, term, batch, data, neighbours)
     WHERE p.account_id = $1 AND p.level = g.level AND p.term = g.term AND p.batch = g.batch`,
    [
      ...names(kept),
      kept.map((row) => Buffer.from(row.left.data)),
      kept.map(({ left: { neighbours } }) => (neighbours === null ? null : Buffer.from(neighbours))),
    ],
  );
}

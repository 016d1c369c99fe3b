import type { Uuid } from '../../kernel/ids.ts';
import { prepared, type Queryable } from './connection.ts';
import { lockSearch, type SearchState } from './search-state.ts';

/**
 * Postings are written once for each batch, and joined afterwards: when eight batches stand in a level, the rows of each
 * term in it become one row of the next level, term by term. A query reads whatever rows a term has, so that it does not
 * matter how far joining has come. A row that has grown large is left alone from then on: a deletion rewrites only rows
 * that reach over what it deletes.
 */

/** Batches of a level that become one of the next. */
const FAN_IN = 8;
/** The smallest batch of level 1 has this many chunks; each level's is {@link FAN_IN} times that of the one below. */
const LEVEL_CHUNKS = 256;
/** The last level that is joined from, and the level of rows that are left alone. */
const LAST_LEVEL = 7;
const SEALED_LEVEL = 9;
/** Bytes from which on a row is left alone. */
const SEALED_BYTES = 16_384;
/**
 * Bytes after which the rows of a term are joined into a further row. While many batches wait to be joined, all of them
 * are joined at once; who asks for the newest places of a common term is to read few of the older ones with them.
 */
const ROW_BYTES = 131_072;
/** A term that stands in one row alone of a level from this on is rare: its row is left alone too. */
const RARE_LEVEL = 2;

/** The level for a term's rows that are joined out of one. */
export function levelOfJoined(level: number, rows: number, bytes: number): number {
  return bytes >= SEALED_BYTES || (level >= RARE_LEVEL && rows === 1) ? SEALED_LEVEL : level + 1;
}

/** Rows that are joined in one transaction, and those of the last term beside. */
const ROWS = 10_000;

/** Behind every term. */
const LAST_TERM = '\u{10ffff}';

/** Every level that rows stand in. */
export const LEVELS: readonly number[] = [...Array(SEALED_LEVEL + 1).keys()];

/** The level that a batch of chunks is written into: a large one need not climb through the lower ones. */
export function levelOfBatch(chunks: number): number {
  let level = 0;
  for (let size = LEVEL_CHUNKS; chunks >= size && level < LAST_LEVEL; size *= FAN_IN) level += 1;
  return level;
}

/** Keeps count of a batch that was written, and notes the level that is full now. Answers whether there is one to join. */
export async function countBatch(
  connection: Queryable,
  accountId: Uuid,
  state: SearchState,
  batch: {
    readonly level: number;
    readonly nextDoc: number;
    readonly chunks: number;
    readonly words: number;
  },
): Promise<boolean> {
  const levels = LEVELS.map((level) => (state.levels[level] ?? 0) + (level === batch.level ? 1 : 0));
  const joining = state.joining ?? fullLevel(levels);
  await connection.query(
    prepared(
      'search_count',
      `UPDATE search_state SET next_doc = $2, next_batch = next_batch + 1, chunks = chunks + $3, words = words + $4,
         levels = $5, joining = $6
       WHERE account_id = $1`,
      [accountId, batch.nextDoc, batch.chunks, batch.words, levels, joining],
    ),
  );
  return joining !== null;
}

/** The lowest level that holds enough batches to be joined; null where none does. */
export function fullLevel(levels: readonly number[]): number | null {
  const full = levels.findIndex((batches, level) => level <= LAST_LEVEL && batches >= FAN_IN);
  return full < 0 ? null : full;
}

/** Joins some terms of the level that is being joined. Answers whether there is more to join. */
export async function joinSome(connection: Queryable, accountId: Uuid): Promise<boolean> {
  const state = await lockSearch(connection, accountId);
  if (state.joining === null) return false;
  const level = state.joining;
  await alongTheIndex(connection);
  const from = state.joined_up_to ?? '';
  const { rows } = await connection.query<{ term: string }>(
    prepared('search_join_end', JOIN_END, [accountId, level, from]),
  );
  const [end] = rows;
  await connection.query(
    prepared('search_join', JOIN, [
      accountId,
      level,
      from,
      end?.term ?? LAST_TERM,
      SEALED_BYTES,
      SEALED_LEVEL,
      ROW_BYTES,
    ]),
  );
  if (end !== undefined) {
    await connection.query('UPDATE search_state SET joined_up_to = $2 WHERE account_id = $1', [
      accountId,
      end.term,
    ]);
    return true;
  }
  const levels = LEVELS.map((at) =>
    at === level ? 0 : (state.levels[at] ?? 0) + (at === level + 1 ? 1 : 0),
  );
  const next = fullLevel(levels);
  await connection.query(
    'UPDATE search_state SET joining = $2, joined_up_to = NULL, levels = $3 WHERE account_id = $1',
    [accountId, next, levels],
  );
  return next !== null;
}

/**
 * Until the server has counted rows that are as new as these, it may take it for cheapest to read the whole table, for
 * each piece of work again. This transaction goes by the indexes.
 */
export async function alongTheIndex(connection: Queryable): Promise<void> {
  await connection.query('SET LOCAL enable_seqscan = off');
}

/** The term at which a piece of joining ends; none: it goes to the end of the level. */
const JOIN_END = `
SELECT term FROM posting WHERE account_id = $1 AND level = $2 AND term > $3 ORDER BY term OFFSET ${ROWS} LIMIT 1`;

/** Where some of a term's rows do not tell what stands beside the word, any word may stand there. */
const JOIN = `
WITH gone AS (
  DELETE FROM posting WHERE account_id = $1 AND level = $2 AND term > $3 AND term <= $4
  RETURNING term, batch, low, high, data, neighbours
)
INSERT INTO posting (account_id, level, term, batch, low, high, data, neighbours)
SELECT $1, CASE WHEN bytes >= $5 OR ($2 >= ${RARE_LEVEL} AND rows = 1) THEN $6 ELSE $2 + 1 END,
  term, max(batch), min(low), max(high), string_agg(data, ''::bytea ORDER BY batch),
  CASE WHEN count(neighbours) > 0
    THEN string_agg(COALESCE(neighbours, decode(repeat('ff', octet_length(data) / 2), 'hex')), ''::bytea ORDER BY batch) END
FROM (
  SELECT term, batch, low, high, data, neighbours, count(*) OVER whole AS rows, sum(octet_length(data)) OVER whole AS bytes,
    (sum(octet_length(data)) OVER (whole ORDER BY batch) - octet_length(data)) / $7 AS part
  FROM gone WINDOW whole AS (PARTITION BY term)
) g GROUP BY term, part, bytes, rows`;

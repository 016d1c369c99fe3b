import { setImmediate as turn } from 'node:timers/promises';
import type { Uuid } from '../../kernel/ids.ts';
import {
  chunkKey,
  NEIGHBOUR_BYTES,
  POSTING_BYTES,
  POSTING_NUMBERS,
  PostingsBuilder,
} from '../search/postings.ts';
import { readable } from '../search/readable.ts';
import { countTerms } from '../search/words.ts';
import type { Queryable } from './connection.ts';
import { alongTheIndex, LEVELS } from './search-levels.ts';
import { lockSearch } from './search-state.ts';

/**
 * Rows of postings that were written before there was word of what stands beside each: it is learned from the texts, some
 * documents at a time, under the lock of the account's index. Until then any word may stand there, which costs a search
 * time and nothing else. Only what a phrase of common words meets is learned: a word that leads to few texts needs none.
 */

/** Chunks that are read at once: more would hold the lock for longer, fewer would write the same rows more often. */
const CHUNKS = 4_000;
/** Postings of a term among them, and bytes of a row, from which on it is worth it. */
const COMMON = 8;
const ROW_BYTES = 512;
/** Terms whose rows are read and written at once. */
const TERMS = 200;
/** Chunks after which the thread's other work is let in. */
const TURN = 32;

/**
 * Learns the neighbours of the next documents of an account. Answers whether there is more to learn.
 * @param atOnce chunks that are read, and those of the document that the last of them belongs to
 */
export async function learnNeighbours(
  connection: Queryable,
  accountId: Uuid,
  atOnce = CHUNKS,
): Promise<boolean> {
  const { neighbours_from: from, neighbours_until: until } = await lockSearch(connection, accountId);
  if (from === null || until === null) return false;
  await alongTheIndex(connection);
  const chunks = await chunksBetween(connection, accountId, { from, until, atOnce });
  const builder = new PostingsBuilder();
  for (const [at, { doc, n, text, is_call: isCall }] of chunks.entries()) {
    builder.add(doc, n, countTerms(readable(text, isCall).text).terms, 0);
    if (at % TURN === TURN - 1) await turn();
  }
  const common = [...builder.lists].filter(([, list]) => list.length >= COMMON * POSTING_NUMBERS);
  for (let at = 0; at < common.length; at += TERMS) {
    const lists = new Map(common.slice(at, at + TERMS).map(([term, list]) => [term, besideOf(list)]));
    await tell(connection, accountId, lists, { from, to: chunks.at(-1)?.doc ?? from });
  }
  const next = (chunks.at(-1)?.doc ?? until) + 1;
  const isDone = chunks.length === 0 || next >= until;
  await connection.query(
    'UPDATE search_state SET neighbours_from = $2, neighbours_until = $3 WHERE account_id = $1',
    [accountId, isDone ? null : next, isDone ? null : until],
  );
  return !isDone;
}

interface TextRow {
  readonly doc: number;
  readonly n: number;
  readonly text: string;
  readonly is_call: boolean;
}

/** The next chunks, of whole documents: of the last one all, however many there are. */
async function chunksBetween(
  connection: Queryable,
  accountId: Uuid,
  { from, until, atOnce }: { readonly from: number; readonly until: number; readonly atOnce: number },
): Promise<readonly TextRow[]> {
  const { rows } = await connection.query<TextRow>(
    `WITH last AS (
       SELECT doc FROM chunk WHERE account_id = $1 AND doc >= $2 AND doc < $3 ORDER BY doc, n LIMIT 1 OFFSET $4
     )
     SELECT c.doc, c.n, COALESCE(c.text, i.text) AS text, i.kind = 'tool_call' AS is_call
     FROM chunk c
     JOIN item i ON i.account_id = c.account_id AND i.message_hash = c.message_hash AND i.position = c.position
     WHERE c.account_id = $1 AND c.doc >= $2 AND c.doc <= COALESCE((SELECT doc FROM last), $3 - 1)
     ORDER BY c.doc, c.n`,
    [accountId, from, until, atOnce],
  );
  return rows;
}

/** What stands beside a term, by chunk. */
function besideOf(list: readonly number[]): ReadonlyMap<number, number> {
  const beside = new Map<number, number>();
  for (let at = 0; at < list.length; at += POSTING_NUMBERS) {
    const [doc = 0, rest = 0, neighbours = 0] = list.slice(at, at + POSTING_NUMBERS);
    beside.set(chunkKey(doc, rest & 0xffff), neighbours);
  }
  return beside;
}

interface Row {
  readonly level: number;
  readonly term: string;
  readonly batch: number;
  readonly data: Buffer;
  readonly neighbours: Buffer | null;
}

/** Writes what stands beside some terms into their rows. */
async function tell(
  connection: Queryable,
  accountId: Uuid,
  lists: ReadonlyMap<string, ReadonlyMap<number, number>>,
  docs: { readonly from: number; readonly to: number },
): Promise<void> {
  const { rows } = await connection.query<Row>(
    `SELECT level, term, batch, data, neighbours FROM posting
     WHERE account_id = $1 AND level = ANY($2::smallint[]) AND term = ANY($3::text[]) AND low <= $4 AND high >= $5
       AND octet_length(data) >= ${ROW_BYTES}`,
    [accountId, LEVELS, [...lists.keys()], docs.to, docs.from],
  );
  await turn();
  const told = rows.map((row) => toldRow(row, lists.get(row.term) ?? new Map()));
  await connection.query(
    `UPDATE posting p SET neighbours = g.neighbours
     FROM unnest($2::smallint[], $3::text[], $4::int[], $5::bytea[]) AS g(level, term, batch, neighbours)
     WHERE p.account_id = $1 AND p.level = g.level AND p.term = g.term AND p.batch = g.batch`,
    [
      accountId,
      rows.map((row) => row.level),
      rows.map((row) => row.term),
      rows.map((row) => row.batch),
      told,
    ],
  );
}

/** What stands beside a row's postings: what was known, and what is known now. */
function toldRow({ data, neighbours }: Row, beside: ReadonlyMap<number, number>): Buffer {
  const told = Buffer.alloc((data.length / POSTING_BYTES) * NEIGHBOUR_BYTES, neighbours ?? 0xff);
  for (let at = 0; (at + 1) * POSTING_BYTES <= data.length; at += 1) {
    const key = chunkKey(data.readUInt32LE(at * POSTING_BYTES), data.readUInt16LE(at * POSTING_BYTES + 4));
    const known = beside.get(key);
    if (known !== undefined) told.writeInt32LE(known, at * NEIGHBOUR_BYTES);
  }
  return told;
}

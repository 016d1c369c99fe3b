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
import { type Queryable, type StorePool, transaction } from './connection.ts';
import { alongTheIndex, LEVELS } from './search-levels.ts';
import { lockSearch } from './search-state.ts';

/**
 * Rows of postings that were written before there was word of what stands beside each: it is learned from the texts, some
 * documents at a time, the newest first, since of common words the newest places are read. Until then any word may stand
 * there, which costs a search time and nothing else. Only what a phrase of common words meets is learned: a word that leads
 * to few texts needs none. Texts are read without the lock of the account's index, rows are written under it, some at a
 * time; after a crash some documents are learned again.
 */

/** Chunks that are read at once, and how often before rows are written: each time rows of common words are written anew. */
const CHUNKS = 4_000;
const READS = 5;
/** Postings of a term among the chunks that are read at once, and bytes of a row, from which on it is worth it. */
const COMMON = 8;
const ROW_BYTES = 512;
/** Terms whose rows are read and written in one transaction. */
const TERMS = 50;
/** Chunks after which the thread's other work is let in. */
const TURN = 32;

/** For a term, chunk by chunk: its name as `chunkKey` gives it, and what stands beside the term there. */
type Learned = Map<string, number[]>;

/**
 * Learns the neighbours of the newest documents that lack them. Answers whether there is more to learn.
 * @param atOnce chunks that are read at once, and those of the document that the first of them belongs to
 */
export async function learnNeighbours(pool: StorePool, accountId: Uuid, atOnce = CHUNKS): Promise<boolean> {
  const { rows } = await pool.query<{ from: number | null; until: number | null }>(
    'SELECT neighbours_from AS from, neighbours_until AS until FROM search_state WHERE account_id = $1',
    [accountId],
  );
  const { from = null, until = null } = rows[0] ?? {};
  if (from === null || until === null) return false;
  const learned: Learned = new Map();
  let to = until;
  for (let read = 0; read < READS && to > from; read += 1)
    to = await learn(await chunksBetween(pool, accountId, { from, until: to, atOnce }), learned, from);
  const terms = [...learned.keys()];
  for (let at = 0; at < terms.length; at += TERMS) {
    const some = new Map(terms.slice(at, at + TERMS).map((term) => [term, learned.get(term) ?? []]));
    const told = await underLock(pool, accountId, until, (connection) =>
      tell(connection, accountId, some, { from: to, until }),
    );
    if (!told) return true;
  }
  await underLock(pool, accountId, until, async (connection) => {
    await connection.query(
      'UPDATE search_state SET neighbours_from = $2, neighbours_until = $3 WHERE account_id = $1',
      [accountId, ...(to > from ? [from, to] : [null, null])],
    );
  });
  return to > from;
}

/** Works under the lock of the account's index, unless it was made anew, or another came first. Answers whether it did. */
function underLock(
  pool: StorePool,
  accountId: Uuid,
  until: number,
  work: (connection: Queryable) => Promise<void>,
): Promise<boolean> {
  return transaction(pool, async (connection) => {
    const state = await lockSearch(connection, accountId);
    if (state.neighbours_until !== until) return false;
    await work(connection);
    return true;
  });
}

/** Takes what some chunks tell of their common terms. Answers their first document. */
async function learn(chunks: readonly TextRow[], learned: Learned, from: number): Promise<number> {
  const builder = new PostingsBuilder();
  for (const [at, { doc, n, text, is_call: isCall }] of chunks.entries()) {
    builder.add(doc, n, countTerms(readable(text, isCall).text).terms, 0);
    if (at % TURN === TURN - 1) await turn();
  }
  for (const [term, list] of builder.lists) {
    if (list.length < COMMON * POSTING_NUMBERS) continue;
    const known = learned.get(term) ?? [];
    learned.set(term, known);
    for (let at = 0; at < list.length; at += POSTING_NUMBERS)
      known.push(chunkKey(list[at] ?? 0, (list[at + 1] ?? 0) & 0xffff), list[at + 2] ?? 0);
  }
  return chunks[0]?.doc ?? from;
}

interface TextRow {
  readonly doc: number;
  readonly n: number;
  readonly text: string;
  readonly is_call: boolean;
}

/** The next chunks, of whole documents: of the oldest one all, however many there are. */
async function chunksBetween(
  pool: Queryable,
  accountId: Uuid,
  { from, until, atOnce }: { readonly from: number; readonly until: number; readonly atOnce: number },
): Promise<readonly TextRow[]> {
  const { rows } = await pool.query<TextRow>(
    `WITH first AS (
       SELECT doc FROM chunk WHERE account_id = $1 AND doc >= $2 AND doc < $3 ORDER BY doc DESC, n DESC LIMIT 1 OFFSET $4
     )
     SELECT c.doc, c.n, COALESCE(c.text, i.text) AS text, i.kind = 'tool_call' AS is_call
     FROM chunk c
     JOIN item i ON i.account_id = c.account_id AND i.message_hash = c.message_hash AND i.position = c.position
     WHERE c.account_id = $1 AND c.doc >= COALESCE((SELECT doc FROM first), $2) AND c.doc < $3
     ORDER BY c.doc, c.n`,
    [accountId, from, until, atOnce],
  );
  return rows;
}

interface Row {
  readonly level: number;
  readonly term: string;
  readonly batch: number;
  readonly data: Buffer;
  readonly neighbours: Buffer | null;
}

/** Documents from one number on, and below another. */
interface Documents {
  readonly from: number;
  readonly until: number;
}

/** Writes what stands beside some terms into their rows. */
async function tell(
  connection: Queryable,
  accountId: Uuid,
  learned: ReadonlyMap<string, readonly number[]>,
  docs: Documents,
): Promise<void> {
  await alongTheIndex(connection);
  const { rows } = await connection.query<Row>(
    `SELECT level, term, batch, data, neighbours FROM posting
     WHERE account_id = $1 AND level = ANY($2::smallint[]) AND term = ANY($3::text[]) AND low < $4 AND high >= $5
       AND octet_length(data) >= ${ROW_BYTES}`,
    [accountId, LEVELS, [...learned.keys()], docs.until, docs.from],
  );
  const beside = new Map([...learned].map(([term, list]) => [term, byChunk(list)]));
  await turn();
  const told = rows.map((row) => toldRow(row, beside.get(row.term) ?? new Map(), docs));
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

function byChunk(list: readonly number[]): ReadonlyMap<number, number> {
  const beside = new Map<number, number>();
  for (let at = 0; at < list.length; at += 2) beside.set(list[at] ?? 0, list[at + 1] ?? 0);
  return beside;
}

/** What stands beside a row's postings: what was known, and what is known now. */
function toldRow({ data, neighbours }: Row, beside: ReadonlyMap<number, number>, docs: Documents): Buffer {
  const told = Buffer.alloc((data.length / POSTING_BYTES) * NEIGHBOUR_BYTES, neighbours ?? 0xff);
  for (let at = 0; (at + 1) * POSTING_BYTES <= data.length; at += 1) {
    const doc = data.readUInt32LE(at * POSTING_BYTES);
    if (doc < docs.from || doc >= docs.until) continue;
    const known = beside.get(chunkKey(doc, data.readUInt16LE(at * POSTING_BYTES + 4)));
    if (known !== undefined) told.writeInt32LE(known, at * NEIGHBOUR_BYTES);
  }
  return told;
}

import { setImmediate as turn } from 'node:timers/promises';
import type { Uuid } from '../../kernel/ids.ts';
import { type Chunk, chunksOf } from '../search/chunks.ts';
import { LAST_CHUNK, type PostingRows, PostingsBuilder } from '../search/postings.ts';
import { readable } from '../search/readable.ts';
import { countTerms, WORDS_VERSION } from '../search/words.ts';
import { prepared, type Queryable, type StorePool, transaction } from './connection.ts';
import { alongTheIndex, countBatch, joinSome, levelOfBatch } from './search-levels.ts';
import { learnNeighbours } from './search-neighbours.ts';
import { lockSearch } from './search-state.ts';

/**
 * Builds the index of what is archived. A trigger leaves each new item's name in `unindexed_item`, in the transaction
 * that writes the item; here the names are worked off in batches, each in one transaction under the lock of the account's
 * `search_state`. So a crash at any moment leaves an item either named or indexed.
 */

/** What one batch takes at most. One item alone may be larger. */
const ITEMS = 1_000;
const BYTES = 2_000_000;
/** Characters of text after which the thread's other work is let in. */
const TURN = 60_000;

/** An item without words yet. */
export interface OpenItem {
  readonly message_hash: Buffer;
  readonly position: number;
  readonly kind: string;
  readonly text: string;
  readonly call_message: Buffer | null;
  readonly call_position: number | null;
}

/**
 * Does a piece of the work that the index of an account waits for: the next batch of items, and a piece of joining rows;
 * where there is none of these, of what stands beside words in rows that do not tell it.
 * Answers how many items were indexed, and whether more work waits.
 */
export async function indexSome(
  pool: StorePool,
  accountId: Uuid,
): Promise<{ readonly indexed: number; readonly more: boolean }> {
  const waits = await pool.query(
    prepared(
      'search_waits',
      `SELECT 1 WHERE EXISTS (SELECT 1 FROM unindexed_item WHERE account_id = $1)
         OR EXISTS (SELECT 1 FROM search_state
           WHERE account_id = $1 AND (joining IS NOT NULL OR neighbours_from IS NOT NULL OR version <> $2))`,
      [accountId, WORDS_VERSION],
    ),
  );
  if (waits.rows.length === 0) return { indexed: 0, more: false };
  const { indexed, joining } = await transaction(pool, (connection) => indexBatch(connection, accountId));
  const unjoined = joining && (await transaction(pool, (connection) => joinSome(connection, accountId)));
  if (indexed > 0 || unjoined) return { indexed, more: true };
  return { indexed, more: await learnNeighbours(pool, accountId) };
}

/** The accounts whose index waits for work: new items, rows to join, or words that another version made. */
export async function accountsToIndex(pool: Queryable): Promise<readonly Uuid[]> {
  const { rows } = await pool.query<{ account_id: Uuid }>(
    `SELECT a.id AS account_id FROM account a
     WHERE EXISTS (SELECT 1 FROM unindexed_item u WHERE u.account_id = a.id)
       OR EXISTS (SELECT 1 FROM search_state s
         WHERE s.account_id = a.id AND (joining IS NOT NULL OR neighbours_from IS NOT NULL OR version <> $1))`,
    [WORDS_VERSION],
  );
  return rows.map((row) => row.account_id);
}

async function indexBatch(
  connection: Queryable,
  accountId: Uuid,
): Promise<{ readonly indexed: number; readonly joining: boolean }> {
  const state = await lockSearch(connection, accountId);
  await alongTheIndex(connection);
  const items = await openItems(connection, accountId);
  if (items.length === 0) return { indexed: 0, joining: state.joining !== null };
  const known = await knownDocuments(connection, accountId, items);
  const { builder, chunks, nextDoc } = await splitItems(items, known, state.next_doc);
  await writeChunks(connection, accountId, chunks);
  const level = levelOfBatch(chunks.length);
  for (const rows of builder.parts()) {
    await writePostings(connection, accountId, level, state.next_batch, rows);
    await turn();
  }
  await connection.query(
    prepared(
      'search_done',
      `DELETE FROM unindexed_item u USING unnest($2::bytea[], $3::int[]) AS g(hash, position)
       WHERE u.account_id = $1 AND u.message_hash = g.hash AND u.position = g.position`,
      [accountId, items.map((item) => item.message_hash), items.map((item) => item.position)],
    ),
  );
  const joining = await countBatch(connection, accountId, state, {
    level,
    nextDoc,
    chunks: chunks.length,
    words: chunks.reduce((sum, chunk) => sum + chunk.words, 0),
  });
  return { indexed: items.length, joining };
}

/** What a batch comes to: its chunks, their words, and the number of the next document. */
interface SplitItems {
  readonly builder: PostingsBuilder;
  readonly chunks: readonly ChunkRow[];
  readonly nextDoc: number;
}

/**
 * Splits items into chunks and these into words.
 * @param known documents that items belong to, by their names; those that are met are added
 * @param firstDoc the number of the next new document
 */
export async function splitItems(
  items: readonly OpenItem[],
  known: Map<string, { doc: number; next: number }>,
  firstDoc: number,
): Promise<SplitItems> {
  const builder = new PostingsBuilder();
  const chunks: ChunkRow[] = [];
  let nextDoc = firstDoc;
  let characters = 0;
  for (const item of items) {
    const found = known.get(documentKey(item));
    const place = found ?? { doc: nextDoc, next: 0 };
    if (!found) nextDoc += 1;
    const isJson = item.kind === 'tool_call';
    const parts = chunksOf(item.text, isJson);
    for (const part of parts) {
      const n = Math.min(place.next, LAST_CHUNK);
      if (place.next > LAST_CHUNK) break;
      const { terms, words } = countTerms(readable(item.text.slice(part.from, part.to), isJson).text);
      builder.add(place.doc, n, terms, words);
      const text = parts.length > 1 ? textOf(item, part) : null;
      chunks.push({ item, doc: place.doc, n, words, part, text });
      place.next += 1;
      characters += part.to - part.from;
      if (characters > TURN) {
        characters = 0;
        await turn();
      }
    }
    known.set(documentKey(item), place);
  }
  return { builder, chunks, nextDoc };
}

const ITEM = 'i.message_hash, i.position, i.kind, i.text, i.call_message, i.call_position';

/** The next items without words, oldest first; with a result that stands before its call, the call. */
async function openItems(connection: Queryable, accountId: Uuid): Promise<readonly OpenItem[]> {
  const { rows } = await connection.query<OpenItem>(
    prepared(
      'search_next',
      `WITH next AS (
         SELECT u.message_hash, u.position, u.n FROM unindexed_item u WHERE u.account_id = $1 ORDER BY u.n LIMIT ${ITEMS}
       ), counted AS (
         SELECT ${ITEM}, next.n, sum(i.bytes) OVER (ORDER BY next.n) - i.bytes AS before
         FROM next JOIN item i ON i.account_id = $1 AND i.message_hash = next.message_hash AND i.position = next.position
       ), taken AS (
         SELECT * FROM counted WHERE before < ${BYTES}
       )
       SELECT message_hash, position, kind, text, call_message, call_position, n FROM taken
       UNION
       SELECT ${ITEM}, u.n FROM taken t
       JOIN unindexed_item u ON u.account_id = $1 AND u.message_hash = t.call_message AND u.position = t.call_position
       JOIN item i ON i.account_id = $1 AND i.message_hash = u.message_hash AND i.position = u.position
       ORDER BY n`,
      [accountId],
    ),
  );
  const isResult = (item: OpenItem) => item.call_message !== null;
  return [...rows.filter((item) => !isResult(item)), ...rows.filter(isResult)];
}

/** The documents that results of the batch belong to where their calls are indexed already, and their next chunks. */
async function knownDocuments(
  connection: Queryable,
  accountId: Uuid,
  items: readonly OpenItem[],
): Promise<Map<string, { doc: number; next: number }>> {
  const results = items.filter((item) => item.call_message !== null);
  if (results.length === 0) return new Map();
  const { rows } = await connection.query<{
    message_hash: Buffer;
    position: number;
    doc: number;
    next: number;
  }>(
    prepared(
      'search_calls',
      `SELECT DISTINCT c.message_hash, c.position, c.doc,
         (SELECT max(o.n) + 1 FROM chunk o WHERE o.account_id = $1 AND o.doc = c.doc) AS next
       FROM unnest($2::bytea[], $3::int[]) AS g(hash, position)
       JOIN chunk c ON c.account_id = $1 AND c.message_hash = g.hash AND c.position = g.position AND c.start = 0`,
      [accountId, results.map((item) => item.call_message), results.map((item) => item.call_position)],
    ),
  );
  return new Map(
    rows.map((row) => [
      `${row.message_hash.toString('hex')} ${row.position}`,
      { doc: row.doc, next: row.next },
    ]),
  );
}

/** What names an item's document: the call where there is one. */
function documentKey(item: OpenItem): string {
  return item.call_message === null
    ? `${item.message_hash.toString('hex')} ${item.position}`
    : `${item.call_message.toString('hex')} ${item.call_position}`;
}

/** A chunk as its row has it. */
export interface ChunkRow {
  readonly item: OpenItem;
  readonly doc: number;
  readonly n: number;
  readonly words: number;
  readonly part: Chunk;
  readonly text: string | null;
}

function textOf(item: OpenItem, part: Chunk): string {
  return item.text.slice(part.from, part.to);
}

/** Writes the rows of chunks. */
export async function writeChunks(
  connection: Queryable,
  accountId: Uuid,
  chunks: readonly ChunkRow[],
): Promise<void> {
  await connection.query(
    prepared(
      'search_chunks',
      `INSERT INTO chunk (account_id, doc, n, message_hash, position, start, words, text)
       SELECT $1, g.* FROM unnest($2::int[], $3::int[], $4::bytea[], $5::int[], $6::int[], $7::int[], $8::text[]) AS g`,
      [
        accountId,
        chunks.map((chunk) => chunk.doc),
        chunks.map((chunk) => chunk.n),
        chunks.map((chunk) => chunk.item.message_hash),
        chunks.map((chunk) => chunk.item.position),
        chunks.map((chunk) => chunk.part.start),
        chunks.map((chunk) => chunk.words),
        chunks.map((chunk) => chunk.text),
      ],
    ),
  );
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** The bytes of all rows travel as one value that the server cuts up: as many small ones they would cost more than the rest. */
async function writePostings(
  connection: Queryable,
  accountId: Uuid,
  level: number,
  batch: number,
  rows: PostingRows,
): Promise<void> {
  await connection.query(
    prepared(
      'search_postings',
      `INSERT INTO posting (account_id, level, term, batch, low, high, data, neighbours)
       SELECT $1, $2, g.term, $3, g.low, g.high, substring($9::bytea FROM g.at + 1 FOR g.size),
         CASE WHEN g.tells THEN substring($10::bytea FROM g.at / 2 + 1 FOR g.size / 2) END
       FROM unnest($4::text[], $5::int[], $6::int[], $7::int[], $8::int[], $11::bool[])
         AS g(term, low, high, at, size, tells)`,
      [
        accountId,
        level,
        batch,
        rows.terms,
        rows.lows,
        rows.highs,
        rows.froms,
        rows.sizes,
        bufferOf(rows.bytes),
        bufferOf(rows.neighbours),
        rows.tells,
      ],
    ),
  );
}

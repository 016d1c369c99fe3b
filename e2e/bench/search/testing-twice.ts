import type pg from 'pg';
import { POSTING_BYTES } from '../../../server/archive/search/postings.ts';
import { LEVELS } from '../../../server/archive/store/search-levels.ts';
import type { Uuid } from '../../../server/kernel/ids.ts';

/**
 * Everything of an account once more, as if the same texts had been said again in further sessions, in the same batches:
 * a second half for an index that would take long to grow. The index's rows are those of the first half with the numbers
 * of documents and batches moved on; only joining over both halves has not taken place.
 */
export async function saidTwice(pool: pg.Pool, accountId: Uuid): Promise<void> {
  const { rows } = await pool.query<{ next_doc: number; next_batch: number }>(
    'SELECT next_doc, next_batch FROM search_state WHERE account_id = $1',
    [accountId],
  );
  const [state] = rows;
  if (state === undefined) throw new Error('The account has no index.');
  const moved: Moved = { pool, accountId, docs: state.next_doc, batches: state.next_batch };
  await copyItems(moved);
  for (const level of LEVELS) await copyPostings(moved, level);
  await pool.query(
    `UPDATE search_state SET next_doc = 2 * next_doc, next_batch = 2 * next_batch, chunks = 2 * chunks,
       words = 2 * words, levels = (SELECT array_agg(2 * l ORDER BY n) FROM unnest(levels) WITH ORDINALITY AS u(l, n))
     WHERE account_id = $1`,
    [accountId],
  );
}

interface Moved {
  readonly pool: pg.Pool;
  readonly accountId: Uuid;
  readonly docs: number;
  readonly batches: number;
}

const AGAIN = `sha256('again' || message_hash)`;

async function copyItems({ pool, accountId, docs }: Moved): Promise<void> {
  const columns = async (table: string) =>
    (
      await pool.query<{ name: string }>(
        `SELECT quote_ident(attname) AS name FROM pg_attribute
         WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
        [table],
      )
    ).rows.map(({ name }) => name);
  const copy = async (table: string, changed: Readonly<Record<string, string>>) => {
    const names = await columns(table);
    await pool.query(
      `INSERT INTO ${table} (${names.join(', ')})
       SELECT ${names.map((name) => changed[name] ?? name).join(', ')} FROM ${table} WHERE account_id = $1`,
      [accountId],
    );
  };
  const session = (column: string) => `md5('again' || ${column}::text)::uuid`;
  await copy('session', { id: session('id'), client_session_id: `'again ' || client_session_id` });
  await copy('thread', { id: session('id'), session_id: session('session_id') });
  await copy('message', { hash: `sha256('again' || hash)`, parent: `sha256('again' || parent)` });
  await copy('item', {
    message_hash: AGAIN,
    docid: `left(encode(${AGAIN}, 'hex'), 24)`,
    original_hash: `sha256('again' || original_hash)`,
    stored_hash: `sha256('again' || stored_hash)`,
  });
  await copy('event', {
    message_hash: AGAIN,
    session_id: session('session_id'),
    thread_id: session('thread_id'),
  });
  await copy('chunk', { message_hash: AGAIN, doc: `doc + ${docs}` });
  await pool.query('DELETE FROM unindexed_item WHERE account_id = $1', [accountId]);
}

/** Rows that are read and written at once. */
const ROWS = 5_000;

interface PostingRow {
  readonly term: string;
  readonly batch: number;
  readonly low: number;
  readonly high: number;
  readonly data: Buffer;
  readonly neighbours: Buffer | null;
}

async function copyPostings({ pool, accountId, docs, batches }: Moved, level: number): Promise<void> {
  // A row of one posting holds the document that it begins and ends with: the server itself writes it anew.
  await pool.query(
    `INSERT INTO posting (account_id, level, term, batch, low, high, neighbours, data)
     SELECT account_id, level, term, batch + $3, low + $4, high + $4, neighbours,
       set_byte(set_byte(set_byte(set_byte(data, 0, (low + $4) & 255), 1, (low + $4) >> 8 & 255),
         2, (low + $4) >> 16 & 255), 3, (low + $4) >> 24 & 255)
     FROM posting WHERE account_id = $1 AND level = $2 AND batch < $3 AND octet_length(data) = ${POSTING_BYTES}`,
    [accountId, level, batches, docs],
  );
  for (let from = { term: '', batch: -1 }; ; ) {
    const { rows } = await pool.query<PostingRow>(
      `SELECT term, batch, low, high, data, neighbours FROM posting
       WHERE account_id = $1 AND level = $2 AND (term, batch) > ($3, $4) AND batch < $5
         AND octet_length(data) > ${POSTING_BYTES}
       ORDER BY term, batch LIMIT ${ROWS}`,
      [accountId, level, from.term, from.batch, batches],
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    from = last;
    for (const { data } of rows) {
      for (let at = 0; at < data.length; at += POSTING_BYTES)
        data.writeUInt32LE(data.readUInt32LE(at) + docs, at);
    }
    await pool.query(
      `INSERT INTO posting (account_id, level, term, batch, low, high, data, neighbours)
       SELECT $1, $2, g.* FROM unnest($3::text[], $4::int[], $5::int[], $6::int[], $7::bytea[], $8::bytea[])
         AS g(term, batch, low, high, data, neighbours)`,
      [
        accountId,
        level,
        rows.map((row) => row.term),
        rows.map((row) => row.batch + batches),
        rows.map((row) => row.low + docs),
        rows.map((row) => row.high + docs),
        rows.map((row) => row.data),
        rows.map((row) => row.neighbours),
      ],
    );
  }
}

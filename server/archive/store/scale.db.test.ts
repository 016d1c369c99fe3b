import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { ArchiveReader, Page } from '../types.ts';
import { createArchiveReader } from './reader.ts';
import { type Scene, scene } from './testing.ts';

const ROWS = 100_000;

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let sessionId: Uuid;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
  stage = await scene(pool);
  sessionId = (await stage.open('long')).sessionId;
  await fill();
});
afterAll(() => database.stop());

/** One session of 100,000 events (every tenth a read of one file), 100,000 further sessions, 100,000 requests. */
async function fill(): Promise<void> {
  const ours = [stage.accountId, sessionId];
  const thread = `(SELECT id FROM thread WHERE account_id = $1 AND session_id = $2)`;
  const hash = `decode(lpad(to_hex(n), 64, '0'), 'hex')`;
  const statements = [
    // What the search would be told of is not looked for here.
    'ALTER TABLE item DISABLE TRIGGER item_for_search',
    `INSERT INTO message (account_id, hash, parent, role, origin, seen_at)
     SELECT $1, ${hash}, decode(lpad(to_hex(n - 1), 64, '0'), 'hex'), 'user', 'received', now()
     FROM generate_series(1, ${ROWS}) n WHERE $2::uuid IS NOT NULL`,
    `INSERT INTO item (account_id, message_hash, position, docid, kind, is_error, text, chars, bytes, original_size,
       original_hash, masked, stored_hash)
     SELECT $1, ${hash}, 0, substr(md5(n::text), 1, 16) || lpad(to_hex(n), 8, '0'), 'answer', false,
       line, char_length(line), octet_length(line), 10, '\\x00', false, '\\x00'
     FROM generate_series(1, ${ROWS}) n
     CROSS JOIN LATERAL (SELECT concat('line ', n, CASE WHEN n % 1000 = 0 THEN ' Needle 100%_ ÉTÉ' END) AS line) l
     WHERE $2::uuid IS NOT NULL`,
    `INSERT INTO event (account_id, session_id, seq, thread_id, kind, message_hash, position, at)
     SELECT $1, $2, n, ${thread}, 'answer', ${hash}, 0, to_timestamp(1800000000 + n) FROM generate_series(1, ${ROWS}) n`,
    `UPDATE session SET next_seq = ${ROWS + 1} WHERE account_id = $1 AND id = $2`,
    `INSERT INTO file_touch (account_id, message_hash, position, n, worktree_id, path, kind, tree, at, seq)
     SELECT $1, ${hash}, 0, 0, $2, '/w/' || n % 100, 'read', false, to_timestamp(1800000000 + n), n
     FROM generate_series(1, ${ROWS}, 10) n`,
    `INSERT INTO session (account_id, id, agent, started_at, last_seen_at)
     SELECT $1, gen_random_uuid(), 'codex', to_timestamp(1700000000 + n), to_timestamp(1700000000 + n / 3)
     FROM generate_series(1, ${ROWS}) n WHERE $2::uuid IS NOT NULL`,
    `INSERT INTO request (account_id, id, session_id, thread_id, door, method, path, agent, kind, stream, retry,
       received_at, request_bytes)
     SELECT $1, gen_random_uuid(), CASE WHEN n % 2 = 0 THEN $2::uuid END, ${thread}, 'anthropic', 'POST', '/', 'codex',
       'main', true, false, to_timestamp(1700000000 + n / 3), 1
     FROM generate_series(1, ${ROWS}) n`,
  ];
  for (const sql of statements) await pool.query(sql, sql.includes('$1') ? ours : []);
  await pool.query('ANALYZE');
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Plan[];
}

/**
 * A reader whose statements are explained as they run; `read` is how many rows each table gave, `whole` which were read
 * from end to end, `statements` how many ran. A prepared one is looked at with the plan that it is run with later: one that
 * knows none of its values.
 */
function watched() {
  const read = new Map<string, number>();
  const whole: string[] = [];
  const statements: string[] = [];
  const look = (plan: Plan): void => {
    const table = plan['Relation Name'];
    if (table !== undefined) {
      const rows =
        plan['Actual Rows'] +
        (plan['Rows Removed by Filter'] ?? 0) +
        (plan['Rows Removed by Index Recheck'] ?? 0);
      read.set(table, (read.get(table) ?? 0) + rows * plan['Actual Loops']);
      if (plan['Node Type'] === 'Seq Scan') whole.push(table);
    }
    for (const one of plan.Plans ?? []) look(one);
  };
  const query = async (asked: string | pg.QueryConfig, given: unknown[] = []) => {
    const { text, values = [], name } = typeof asked === 'string' ? { text: asked, values: given } : asked;
    statements.push(text);
    const plans = await (name === undefined ? explain(pool, text, values) : explainGeneric(text, values));
    for (const plan of plans) look(plan);
    return pool.query(text, values);
  };
  const over = { query, connect: pool.connect.bind(pool) } as unknown as pg.Pool;
  return { reader: createArchiveReader(over, { clock: stage.clock }), read, whole, statements };
}

async function explain(over: Pick<pg.Pool, 'query'>, text: string, values: unknown[]): Promise<Plan[]> {
  const { rows } = await over.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
    values,
  );
  return rows.map((row) => row['QUERY PLAN'][0].Plan);
}

async function explainGeneric(text: string, values: unknown[]): Promise<Plan[]> {
  const connection = await pool.connect();
  const literal = (value: unknown): string => {
    if (value === null) return 'NULL';
    if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`;
    return connection.escapeLiteral(
      Array.isArray(value) ? `{${value.map((one) => JSON.stringify(one)).join(',')}}` : String(value),
    );
  };
  try {
    await connection.query('SET plan_cache_mode = force_generic_plan');
    await connection.query(`PREPARE watched AS ${text}`);
    return await explain(connection, `EXECUTE watched(${values.map(literal).join(', ')})`, []);
  } finally {
    // The connection's settings go with it.
    connection.release(true);
  }
}

const BIG = ['event', 'item', 'message', 'session', 'request', 'file_touch'];

/**
 * The work reads no big table from end to end, and no more rows of any than `most`; it goes to the database no more often
 * than `trips`.
 */
async function readsAtMost<T>(
  most: number,
  work: (reader: ArchiveReader) => Promise<T>,
  trips = Number.POSITIVE_INFINITY,
): Promise<T> {
  const { reader, read, whole, statements } = watched();
  const result = await work(reader);
  expect(whole.filter((table) => BIG.includes(table))).toEqual([]);
  for (const table of BIG) expect([table, (read.get(table) ?? 0) <= most]).toEqual([table, true]);
  expect(statements.length).toBeLessThanOrEqual(trips);
  return result;
}

async function pages<Row extends { readonly id: string }>(
  list: (cursor: string | undefined) => Promise<Page<Row>>,
  count: number,
): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < count; page += 1) {
    const { items, next } = await list(cursor);
    ids.push(...items.map((row) => row.id));
    cursor = next ?? undefined;
  }
  return ids;
}

describe('with 100,000 rows', () => {
  test.each([
    ['the newest', {}, ROWS - 99],
    ['the oldest', { before: 101 }, 1],
    ['some in the middle', { before: 50_101 }, 50_001],
    ['some behind a position', { after: 50_000, before: 50_101 }, 50_001],
  ])('a log gives %s by their positions', async (_what, between, first) => {
    const page = await readsAtMost(
      400,
      (reader) => reader.readLog(stage.accountId, sessionId, { ...between, limit: 100, clip: 10 }),
      1,
    );
    expect([page.showing, page.rows[0]?.seq]).toEqual([100, first]);
  });

  test('an event, a document, its bytes and its neighbours are read by their keys', async () => {
    const hash = Buffer.alloc(32);
    hash.writeUInt32BE(50_001, 28);
    const { rows } = await pool.query<{ docid: string }>('SELECT docid FROM item WHERE message_hash = $1', [
      hash,
    ]);
    const docid = `context-mode-msg-${rows[0]?.docid}`;
    await readsAtMost(20, (reader) => reader.readEvent(stage.accountId, sessionId, 50_001), 1);
    const read = await readsAtMost(20, (reader) => reader.readDocument(stage.accountId, docid, {}), 2);
    expect('found' in read && [read.found.seq, read.found.previous?.seq, read.found.next?.seq]).toEqual([
      50_001, 50_000, 50_002,
    ]);
    await readsAtMost(20, (reader) => reader.readBytes(stage.accountId, docid, { offset: 0, length: 10 }), 2);
  });

  test('sessions come page by page, each once, in their order', async () => {
    const ids = await readsAtMost(1_500, (reader) =>
      pages(
        (cursor) =>
          reader.listSessions(stage.accountId, { limit: 100, ...(cursor === undefined ? {} : { cursor }) }),
        3,
      ),
    );
    const { rows } = await pool.query<{ id: string }>(
      'SELECT id FROM session WHERE account_id = $1 ORDER BY last_seen_at DESC, id DESC LIMIT 300',
      [stage.accountId],
    );
    expect(ids).toEqual(rows.map((row) => row.id));
  });

  test.each([
    ['of the account', false],
    ['of one session', true],
  ])('requests %s come page by page, each once, in their order', async (_what, own) => {
    const ids = await readsAtMost(1_500, (reader) =>
      pages(
        (cursor) =>
          reader.listRequests(stage.accountId, {
            limit: 100,
            ...(own ? { sessionId } : {}),
            ...(cursor === undefined ? {} : { cursor }),
          }),
        3,
      ),
    );
    const { rows } = await pool.query<{ id: string }>(
      `SELECT id FROM request WHERE account_id = $1 AND ($2::uuid IS NULL OR session_id = $2)
       ORDER BY received_at DESC, id DESC LIMIT 300`,
      [stage.accountId, own ? sessionId : null],
    );
    expect(ids).toEqual(rows.map((row) => row.id));
  });

  test('a text is found wherever it stands, without its rows being loaded', async () => {
    const { reader } = watched();
    const found = await reader.findMatches(stage.accountId, sessionId, {
      text: 'needle 100%_ été',
      limit: 5000,
    });
    expect([found.total, found.matched, found.items.length]).toEqual([100, 100, 100]);
    expect(found.items.slice(0, 2).map((one) => one.seq)).toEqual([1000, 2000]);
    const behind = await reader.findMatches(stage.accountId, sessionId, {
      text: 'NEEDLE',
      after: 99_000,
      limit: 9,
    });
    expect(behind.items.map((one) => one.seq)).toEqual([100_000]);
  });
});

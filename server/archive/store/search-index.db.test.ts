import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { spansOf } from '../search/words.ts';
import type { ArchiveReader, ThreadState } from '../types.ts';
import type { StorePool } from './connection.ts';
import { createArchiveReader } from './reader.ts';
import { call, item, result, type Scene, scene, type Turn } from './testing.ts';

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let reader: ArchiveReader;
let made = 0;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());
beforeEach(async () => {
  made += 1;
  stage = await scene(pool, `account ${made}`);
  reader = createArchiveReader(pool, { clock: stage.clock });
});

async function index(): Promise<void> {
  while ((await stage.writer.index(stage.accountId)).more);
}

async function append(...turns: readonly Turn[]): Promise<ThreadState> {
  made += 1;
  const thread = await stage.open(`session ${made}`);
  await stage.writer.append(stage.batch(thread, stage.chain(stage.root, ...turns)));
  return thread;
}

const typed = (text: string): Turn => ['user', item({ text })];

async function hits(q: string): Promise<number> {
  return (await reader.search(stage.accountId, { q, limit: 100 })).items.length;
}

/** What a person with the database in hand would see of some words: terms, and texts. */
async function traces(words: string): Promise<readonly string[]> {
  const terms = spansOf(words).flatMap((span) => (span.term === null ? [] : [span.term]));
  const { rows } = await pool.query<{ trace: string }>(
    `SELECT 'term ' || term AS trace FROM posting WHERE account_id = $1 AND term = ANY($2::text[])
     UNION SELECT 'chunk' FROM chunk WHERE account_id = $1 AND strpos(lower(text), lower($3)) > 0
     UNION SELECT 'waiting' FROM unindexed_item WHERE account_id = $1`,
    [stage.accountId, terms, words],
  );
  return rows.map((row) => row.trace);
}

/** Every posting of the account with the chunk that it names, where there is one. */
async function danglingPostings(): Promise<number> {
  const { rows } = await pool.query<{ dangling: number }>(
    `SELECT count(*)::int AS dangling FROM (
       SELECT get_byte(data, o) + get_byte(data, o + 1) * 256 + get_byte(data, o + 2) * 65536 AS doc,
         get_byte(data, o + 4) + get_byte(data, o + 5) * 256 AS n
       FROM posting, generate_series(0, octet_length(data) - 8, 8) AS o WHERE account_id = $1
     ) p WHERE NOT EXISTS (SELECT 1 FROM chunk c WHERE c.account_id = $1 AND c.doc = p.doc AND c.n = p.n)`,
    [stage.accountId],
  );
  return rows[0]?.dangling ?? -1;
}

/** The pool, with each statement of its transactions handed to `around`, which runs it. */
function poolAround(
  around: (
    statement: { readonly text: string; readonly name?: string | undefined },
    run: () => Promise<unknown>,
  ) => Promise<unknown>,
): StorePool {
  return {
    query: pool.query.bind(pool) as pg.Pool['query'],
    connect: (async () => {
      const connection = await pool.connect();
      const query = connection.query.bind(connection) as (...given: unknown[]) => Promise<unknown>;
      return new Proxy(connection, {
        get(target, name) {
          if (name !== 'query') return Reflect.get(target, name);
          return (given: string | pg.QueryConfig, ...more: unknown[]) =>
            around(typeof given === 'string' ? { text: given } : given, () => query(given, ...more));
        },
      });
    }) as pg.Pool['connect'],
  };
}

test('of a deleted session no word, no text and no posting is left, in single rows and in joined ones', async () => {
  const gone: ThreadState[] = [];
  const secret = (n: number) => `quetzalcoatl${n} shared words of the archive`;
  for (let n = 0; n < 43; n += 1) {
    await append(typed(`kept ${n}: shared words of the archive`));
    if (n % 4 === 0) {
      gone.push(
        await append(
          typed(secret(n)),
          ['assistant', call(`c${n}`, JSON.stringify({ command: `echo\n${secret(n)}` }))],
          ['user', result(`c${n}`, `${secret(n)} ${'long filler here '.repeat(400)} popocatepetl${n}`)],
        ),
      );
    }
    await index();
  }
  const { rows } = await pool.query<{ levels: number }>(
    'SELECT count(DISTINCT level)::int AS levels FROM posting WHERE account_id = $1',
    [stage.accountId],
  );
  expect(rows[0]?.levels).toBeGreaterThan(1);
  expect(await hits('quetzalcoatl4')).toBeGreaterThan(0);
  for (const thread of gone) await reader.deleteSession(stage.accountId, thread.sessionId, stage.clock.now());
  for (let n = 0; n < 40; n += 4) {
    expect(await traces(`quetzalcoatl${n} popocatepetl${n}`)).toEqual([]);
    expect(await hits(`quetzalcoatl${n}`)).toBe(0);
  }
  expect(await danglingPostings()).toBe(0);
  expect(await hits('shared words')).toBe(43);
  const { rows: counted } = await pool.query<{
    chunks: number;
    words: string;
    there: number;
    summed: string;
  }>(
    `SELECT chunks, words, (SELECT count(*)::int FROM chunk c WHERE c.account_id = $1) AS there,
       (SELECT sum(words) FROM chunk c WHERE c.account_id = $1) AS summed
     FROM search_state WHERE account_id = $1`,
    [stage.accountId],
  );
  expect(counted[0]).toMatchObject({ chunks: counted[0]?.there, words: counted[0]?.summed });
});

test('what was archived and not indexed yet is deleted as well, and never indexed afterwards', async () => {
  const thread = await append(typed('xochimilco'));
  await append(typed('kept'));
  await reader.deleteSession(stage.accountId, thread.sessionId, stage.clock.now());
  await index();
  expect(await traces('xochimilco')).toEqual([]);
  expect(await hits('kept')).toBe(1);
});

test('a deletion that meets the very first indexing takes along what that has just indexed', async () => {
  const thread = await append(typed('coatlicue'));
  let looks = 0;
  const beside = poolAround(async ({ text }, run) => {
    const answer = await run();
    // The deletion has just seen that there is no index.
    if (text.startsWith('SELECT 1 FROM search_state') && ++looks === 1) await index();
    return answer;
  });
  const deleting = createArchiveReader(beside, { clock: stage.clock });
  expect(await deleting.deleteSession(stage.accountId, thread.sessionId, stage.clock.now())).toBe(true);
  expect(looks).toBe(2);
  expect(await traces('coatlicue')).toEqual([]);
  expect(await danglingPostings()).toBe(0);
});

test('items cannot be deleted behind the search’s back', async () => {
  await append(typed('needle'));
  await index();
  await expect(pool.query('DELETE FROM item WHERE account_id = $1', [stage.accountId])).rejects.toThrow(
    /chunk/,
  );
});

test('an append that is taken back leaves nothing to index, one that is committed is found after any crash before indexing', async () => {
  await append(typed('tlaloc one'));
  const connection = await pool.connect();
  await connection.query('BEGIN');
  await connection.query(
    `INSERT INTO item (account_id, message_hash, position, docid, kind, is_error, text, chars, bytes, original_size,
       original_hash, masked, stored_hash)
     SELECT account_id, message_hash, 1, docid || 'ff', kind, is_error, 'tlaloc two', chars, bytes, original_size,
       original_hash, masked, stored_hash FROM item WHERE account_id = $1`,
    [stage.accountId],
  );
  await connection.query('ROLLBACK');
  connection.release();
  // A fresh writer, as after a start: it knows nothing but what the database says.
  const after = stage.secondWriter(pool);
  expect(await after.accountsToIndex()).toContain(stage.accountId);
  while ((await after.index(stage.accountId)).more);
  expect(await hits('tlaloc')).toBe(1);
  expect(await after.accountsToIndex()).not.toContain(stage.accountId);
});

test('an indexing that breaks off is as if it had not begun', async () => {
  await append(typed('broken off'), typed('in the middle'));
  const failing = poolAround(({ name }, run) =>
    name === 'archive_search_count' ? Promise.reject(new Error('killed')) : run(),
  );
  await expect(stage.secondWriter(failing).index(stage.accountId)).rejects.toThrow('killed');
  expect(await hits('broken')).toBe(0);
  await index();
  expect(await hits('broken')).toBe(1);
  expect(await danglingPostings()).toBe(0);
});

test('two indexers at once index each item once', async () => {
  await append(...Array.from({ length: 120 }, (_, n) => typed(`needle ${n}`)));
  const others = [stage.writer, stage.secondWriter(pool), stage.secondWriter(pool)];
  await Promise.all(
    others.map(async (writer) => {
      while ((await writer.index(stage.accountId)).more);
    }),
  );
  const { rows } = await pool.query<{ chunks: number; state: number }>(
    `SELECT count(*)::int AS chunks, (SELECT chunks FROM search_state WHERE account_id = $1) AS state
     FROM chunk WHERE account_id = $1`,
    [stage.accountId],
  );
  expect(rows[0]).toEqual({ chunks: 120, state: 120 });
  expect(await hits('needle')).toBe(100);
});

test('an index of other words is built anew, from everything that is archived', async () => {
  await append(typed('needle one'));
  await index();
  await pool.query('UPDATE search_state SET version = -1 WHERE account_id = $1', [stage.accountId]);
  await append(typed('needle two'));
  expect(await stage.writer.accountsToIndex()).toContain(stage.accountId);
  await index();
  expect(await hits('needle')).toBe(2);
  expect(await danglingPostings()).toBe(0);
});

test('nothing waits: indexing is a question and nothing more', async () => {
  await append(typed('needle'));
  await index();
  const before = await pool.query('SELECT xmin::text, * FROM search_state WHERE account_id = $1', [
    stage.accountId,
  ]);
  expect(await stage.writer.index(stage.accountId)).toEqual({ indexed: 0, more: false });
  const after = await pool.query('SELECT xmin::text, * FROM search_state WHERE account_id = $1', [
    stage.accountId,
  ]);
  expect(after.rows).toEqual(before.rows);
});

test('texts whose words would be longer than an index row are indexed, found by their other words, and forgotten', async () => {
  const han = (from: number) =>
    Array.from({ length: 1500 }, (_, n) => String.fromCodePoint(0x4e00 + ((from + n * 7919) % 20_000))).join(
      '',
    );
  const hostile = [
    `${han(1)}-alpha findable`,
    `beta.${han(5)}.ts findable`,
    `\u4e2d${'\u20d0\u20d1\u20d2'.repeat(600)} findable`,
    `${'\ufdfa\u3300'.repeat(40)}-${'\ufdfa\u3301'.repeat(40)} findable`,
  ];
  const threads: ThreadState[] = [];
  for (const text of hostile) threads.push(await append(typed(text)));
  await index();
  expect(await hits('findable')).toBe(hostile.length);
  expect(await hits(han(1).slice(700, 702))).toBeGreaterThan(0);
  for (const { sessionId } of threads)
    await reader.deleteSession(stage.accountId, sessionId, stage.clock.now());
  expect(await danglingPostings()).toBe(0);
  expect(await traces('findable')).toEqual([]);
});

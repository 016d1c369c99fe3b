import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { chunkKey } from '../search/postings.ts';
import { readable } from '../search/readable.ts';
import { countTerms } from '../search/words.ts';
import { createArchiveReader } from './reader.ts';
import { learnNeighbours } from './search-neighbours.ts';
import { call, item, result, type Scene, scene, type Turn } from './testing.ts';

let database: Database;
let pool: pg.Pool;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());

const words = ['path', 'token', 'refund', 'window', 'config', 'of', 'x'];
const wordsAt = (n: number) =>
  Array.from({ length: 12 }, (_, at) => words[(n * 7 + at * at * 3 + (n >> 3)) % words.length]).join(' ');
/** Words in a row out of a text. */
const rowOf = (n: number, from: number, count: number) =>
  wordsAt(n)
    .split(' ')
    .slice(from, from + count)
    .join(' ');
const QUERIES = [
  ...[0, 1, 2, 3, 4, 5].map((n) => `"${rowOf(n, n, 2)}"`),
  `"${rowOf(9, 3, 3)}" token`,
  `"${rowOf(9, 3, 2)}" "${rowOf(9, 7, 2)}"`,
  `"${rowOf(7, 1, 2)}" -"${rowOf(8, 4, 3)}"`,
  `"${rowOf(2, 11, 1)}."`,
];

interface Kept {
  /** Postings whose neighbours are told as the texts have them, and those of which nothing is known. */
  readonly told: number;
  readonly unknown: number;
}

/** Looks at what every posting of an account says of its neighbours; throws where it says what no text of it says. */
async function neighboursOf(accountId: string): Promise<Kept> {
  const { rows: texts } = await pool.query<{ doc: number; n: number; text: string; is_call: boolean }>(
    `SELECT c.doc, c.n, COALESCE(c.text, i.text) AS text, i.kind = 'tool_call' AS is_call FROM chunk c
     JOIN item i ON i.account_id = c.account_id AND i.message_hash = c.message_hash AND i.position = c.position
     WHERE c.account_id = $1`,
    [accountId],
  );
  const counted = new Map(
    texts.map(({ doc, n, text, is_call: isCall }) => [
      chunkKey(doc, n),
      countTerms(readable(text, isCall).text).terms,
    ]),
  );
  const { rows } = await pool.query<{ term: string; data: Buffer; neighbours: Buffer | null }>(
    'SELECT term, data, neighbours FROM posting WHERE account_id = $1',
    [accountId],
  );
  let [told, unknown] = [0, 0];
  for (const { term, data, neighbours } of rows) {
    for (let at = 0; at < data.length / 8; at += 1) {
      const key = chunkKey(data.readUInt32LE(at * 8), data.readUInt16LE(at * 8 + 4));
      const there = counted.get(key)?.get(term);
      if (there === undefined) throw new Error(`a posting of ${term} in a chunk that does not hold it`);
      const says = neighbours?.readInt32LE(at * 4) ?? -1;
      if (says === there.neighbours) told += 1;
      else if (says === -1) unknown += 1;
      else throw new Error(`${term} has other neighbours than its text`);
    }
  }
  return { told, unknown };
}

async function filled(name: string): Promise<{ stage: Scene; gone: string }> {
  const stage = await scene(pool, name);
  const index = async () => {
    while ((await stage.writer.index(stage.accountId)).more);
  };
  let gone = '';
  for (let batch = 0; batch < 20; batch += 1) {
    const turns: Turn[] = Array.from({ length: 30 }, (_, at) => [
      'user',
      item({ text: wordsAt(batch * 30 + at) }),
    ]);
    turns.push([
      'assistant',
      call(`c${batch}`, JSON.stringify({ command: wordsAt(batch).replaceAll(' ', '\n') })),
    ]);
    turns.push(['user', result(`c${batch}`, `${wordsAt(batch)}. `.repeat(60))]);
    const thread = await stage.open(`session ${batch}`);
    if (batch === 5) gone = thread.sessionId;
    await stage.writer.append(stage.batch(thread, stage.chain(stage.root, ...turns)));
    await index();
  }
  return { stage, gone };
}

async function unlearn(accountId: string, where: string): Promise<void> {
  await pool.query(`UPDATE posting SET neighbours = NULL WHERE account_id = $1 AND ${where}`, [accountId]);
  await pool.query(
    'UPDATE search_state SET neighbours_from = 0, neighbours_until = next_doc WHERE account_id = $1',
    [accountId],
  );
}

test('rows of before answer the same before, while and after their neighbours are learned, joined and deleted from', async () => {
  const { stage, gone } = await filled('rows of before');
  const { accountId, writer } = stage;
  const reader = createArchiveReader(pool, { clock: stage.clock });
  const answers = () => {
    // A pool of its own has read nothing yet.
    const unread = {
      query: pool.query.bind(pool) as pg.Pool['query'],
      connect: pool.connect.bind(pool) as pg.Pool['connect'],
    };
    const fresh = createArchiveReader(unread, { clock: stage.clock });
    return Promise.all(
      QUERIES.map(async (q) =>
        (await fresh.search(accountId, { q, limit: 1_000 })).items.map(({ docid }) => docid).sort(),
      ),
    );
  };
  const wanted = await answers();
  expect(wanted.map((found, at) => [QUERIES[at], found.length > 0])).toEqual(QUERIES.map((q) => [q, true]));
  const { told } = await neighboursOf(accountId);
  expect(await neighboursOf(accountId)).toEqual({ told, unknown: 0 });

  await unlearn(accountId, 'true');
  expect(await neighboursOf(accountId)).toEqual({ told: 0, unknown: told });
  expect(await answers()).toEqual(wanted);
  await unlearn(accountId, 'batch % 2 = 0');
  expect(await answers()).toEqual(wanted);

  expect(await writer.accountsToIndex()).toContain(accountId);
  const learnSome = () => learnNeighbours(pool, accountId, 12);
  let steps = 1;
  for (; await learnSome(); steps += 1) await neighboursOf(accountId);
  expect(steps).toBeGreaterThan(5);
  expect(await writer.accountsToIndex()).not.toContain(accountId);
  expect(await answers()).toEqual(wanted);
  const learned = await neighboursOf(accountId);
  expect(learned.told).toBeGreaterThan(learned.unknown);

  await unlearn(accountId, 'true');
  while ((await writer.index(accountId)).more);
  expect((await neighboursOf(accountId)).told).toBeGreaterThanOrEqual(learned.told);

  await unlearn(accountId, 'batch % 3 = 0');
  await pool.query(
    `UPDATE search_state SET joining = (SELECT max(level) FROM posting WHERE account_id = $1 AND level < 8)
     WHERE account_id = $1`,
    [accountId],
  );
  while ((await writer.index(accountId)).more);
  await neighboursOf(accountId);
  expect(await answers()).toEqual(wanted);
  await reader.deleteSession(
    accountId,
    gone as Parameters<typeof reader.deleteSession>[1],
    stage.clock.now(),
  );
  await neighboursOf(accountId);
});

import type pg from 'pg';
import { expect, test } from 'vitest';
import { createArchiveReader, createArchiveWriter, ensureAccount } from '../../../server/archive/index.ts';
import { testDatabase } from '../../../server/db/testing.ts';
import { systemClock } from '../../../server/kernel/clock.ts';
import type { Uuid } from '../../../server/kernel/ids.ts';
import type { InstallationKey } from '../../../server/kernel/installation-key.ts';
import { systemRandom } from '../../../server/kernel/random.ts';
import { filling } from '../../bench/search/corpus.ts';
import { filledBatches, indexInBulk } from '../../bench/search/testing-index.ts';
import { saidTwice } from '../../bench/search/testing-twice.ts';

/** What is filled in, with so many items a batch: rows climb four levels, rare ones and large ones are left alone. */
const FILLED = [
  { seed: 1, items: 520, atOnce: 1 },
  { seed: 2, items: 3_600, atOnce: 450 },
];

test('the index that the benchmark builds in bulk has the very rows that the product writes', async () => {
  const database = await testDatabase();
  try {
    const { pool } = database;
    const installationKey = Buffer.alloc(32, 3) as Uint8Array as InstallationKey;
    const tools = { clock: systemClock, installationKey };
    const account = (name: string) => ensureAccount(pool, name, { ...tools, random: systemRandom });
    const [product, bulk] = [await account('product'), await account('bulk')];
    const writer = createArchiveWriter(pool, tools);
    for (const { seed, items, atOnce } of FILLED) {
      for await (const _ of filling(pool, product, items, seed, atOnce)) {
        while ((await writer.index(product)).more);
      }
    }
    await indexInBulk(pool, bulk, bulkBatches(bulk));
    for (const table of ['posting', 'chunk', 'search_state']) {
      const differing = `SELECT count(*)::int AS rows FROM (
        (${rowsOf(table, 1)} EXCEPT ${rowsOf(table, 2)}) UNION ALL (${rowsOf(table, 2)} EXCEPT ${rowsOf(table, 1)})) d`;
      expect([table, (await pool.query(differing, [product, bulk])).rows[0]]).toEqual([table, { rows: 0 }]);
    }
    const { rows } = await pool.query<{ level: number }>(
      'SELECT DISTINCT level FROM posting WHERE account_id = $1 ORDER BY 1',
      [bulk],
    );
    expect(rows.map(({ level }) => level)).toEqual(expect.arrayContaining([2, 3, 9]));
    expect((await pool.query('SELECT 1 FROM unindexed_item')).rows).toEqual([]);
    await checkTwice(pool, bulk);

    async function* bulkBatches(accountId: Uuid) {
      for (const { seed, items, atOnce } of FILLED)
        yield* filledBatches(pool, accountId, items, seed, atOnce);
    }
  } finally {
    await database.stop();
  }
}, 300_000);

/** What is said twice is found twice, and each posting of the second half names a chunk with the same text. */
async function checkTwice(pool: pg.Pool, accountId: Uuid): Promise<void> {
  const reader = createArchiveReader(pool, { clock: systemClock });
  const ask = (limit: number) => reader.search(accountId, { q: 'token budget of the request', limit });
  const once = await ask(20);
  await saidTwice(pool, accountId);
  const twice = await ask(40);
  const textsOf = ({ items }: typeof once) => items.map(({ snippet }) => snippet.text).sort();
  const each = new Map<string, number>();
  for (const text of textsOf(twice)) each.set(text, (each.get(text) ?? 0) + 1);
  expect(new Set([...each.values()].map((times) => times % 2))).toEqual(new Set([0]));
  expect(once.items.length).toBe(20);
  const { rows } = await pool.query(
    `WITH half AS (SELECT next_doc / 2 AS docs, next_batch / 2 AS batches FROM search_state WHERE account_id = $1)
     SELECT p.term FROM posting p, half WHERE p.account_id = $1 AND p.batch < half.batches AND NOT EXISTS (
       SELECT 1 FROM posting a WHERE a.account_id = $1 AND a.level = p.level AND a.term = p.term
         AND a.batch = p.batch + half.batches AND a.low = p.low + half.docs AND a.high = p.high + half.docs
         AND octet_length(a.data) = octet_length(p.data))`,
    [accountId],
  );
  expect(rows).toEqual([]);
}

/** The rows of an account without its name. */
function rowsOf(table: string, account: number): string {
  return `SELECT to_jsonb(t) - 'account_id' FROM ${table} t WHERE account_id = $${account}`;
}

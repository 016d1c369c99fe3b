import { expect, test } from 'vitest';
import { createArchiveReader, createArchiveWriter, ensureAccount } from '../../../server/archive/index.ts';
import { testDatabase } from '../../../server/db/testing.ts';
import { systemClock } from '../../../server/kernel/clock.ts';
import type { InstallationKey } from '../../../server/kernel/installation-key.ts';
import { systemRandom } from '../../../server/kernel/random.ts';
import { fill, queriesOf } from '../../bench/search/corpus.ts';

test('over ten thousand chunks every query of the benchmark is answered, each hit shows what was looked for, best first', async () => {
  const database = await testDatabase();
  try {
    const { pool } = database;
    const installationKey = Buffer.alloc(32, 3) as Uint8Array as InstallationKey;
    const tools = { clock: systemClock, installationKey };
    const accountId = await ensureAccount(pool, 'size', { ...tools, random: systemRandom });
    await fill(pool, accountId, 10_000, 10_000);
    const writer = createArchiveWriter(pool, tools);
    while ((await writer.index(accountId)).more);
    await pool.query('ANALYZE');
    const reader = createArchiveReader(pool, tools);
    let hits = 0;
    for (const { q } of queriesOf(2, 50)) {
      const { items } = await reader.search(accountId, { q, limit: 20 });
      hits += items.length;
      for (const [at, hit] of items.entries()) {
        expect([q, hit.snippet.marks.length > 0]).toEqual([q, true]);
        expect(hit.score).toBeLessThanOrEqual(items[at - 1]?.score ?? Number.POSITIVE_INFINITY);
      }
    }
    expect(hits).toBeGreaterThan(500);
  } finally {
    await database.stop();
  }
}, 300_000);

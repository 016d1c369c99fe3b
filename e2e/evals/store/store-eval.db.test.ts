import { expect, test } from 'vitest';
import { testDatabase } from '../../../server/db/testing.ts';
import { runStore } from './judge.ts';

test('after 24 facts and 38 changes no block holds an old value, where a store that only adds holds one in most', async () => {
  const database = await testDatabase();
  try {
    const { product, appendOnly, missed, stale } = await runStore(database.pool, 4_711);
    expect(stale).toEqual([]);
    expect(product.withOld).toBe(0);
    expect(product.withNew, missed.join('\n')).toBeGreaterThanOrEqual(22);
    expect(appendOnly.withOld).toBeGreaterThan(18);
  } finally {
    await database.stop();
  }
}, 300_000);

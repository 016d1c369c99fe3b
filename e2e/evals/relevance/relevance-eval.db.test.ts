import { expect, test } from 'vitest';
import { testDatabase } from '../../../server/db/testing.ts';
import { runRelevance } from './judge.ts';

test('new conversations get fewer rows and tokens than the newest six facts take, and more of what they need', async () => {
  const database = await testDatabase();
  try {
    const { product, newest } = await runRelevance(database.pool, 4_711);
    expect(product.rows).toBeLessThan(newest.rows / 2);
    expect(product.tokens).toBeLessThan(newest.tokens / 2);
    expect(product.recall).toBeGreaterThan(0.45);
    expect(product.recall).toBeGreaterThan(newest.recall);
  } finally {
    await database.stop();
  }
}, 300_000);

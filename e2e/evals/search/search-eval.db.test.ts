import { expect, test } from 'vitest';
import { testDatabase } from '../../../server/db/testing.ts';
import { archive } from './archived.ts';
import { askPostgres, askProduct, judge } from './judge.ts';
import { collectionOf } from './sessions.ts';
import { SMALL } from './sets.ts';

test('on a fixed share of the question set, evidence is among the first ten for at least 72%, and no class is lost', async () => {
  const database = await testDatabase();
  try {
    const collection = collectionOf(4_711, SMALL);
    const archived = await archive(database.pool, 'share', collection);
    const { all, classes } = await judge(collection.questions, archived.evidence, askProduct(archived));
    expect(all.first10).toBeGreaterThanOrEqual(0.72);
    for (const [kind, rates] of Object.entries(classes))
      expect([kind, rates.first10 >= 0.5]).toEqual([kind, true]);
    const connection = await database.pool.connect();
    try {
      const plain = await askPostgres(connection, archived.accountId);
      expect(all.first10).toBeGreaterThan(
        (await judge(collection.questions, archived.evidence, plain)).all.first10,
      );
    } finally {
      connection.release();
    }
  } finally {
    await database.stop();
  }
}, 300_000);

test('the same seed gives the same sessions and questions', () => {
  expect(collectionOf(5, SMALL)).toEqual(collectionOf(5, SMALL));
  expect(collectionOf(5, SMALL)).not.toEqual(collectionOf(6, SMALL));
});

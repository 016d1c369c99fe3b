import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { textArray } from './text-array.ts';

let database: Database;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database?.stop());

it('any texts arrive as they are, whatever they hold of what an array is written with', async () => {
  const hard = fc.string({
    unit: fc.constantFrom('\\', '"', ',', '{', '}', ' ', 'N', 'NULL', '\n', 'é', '𝄞', 'a'),
  });
  const text = fc.oneof(
    hard,
    fc.string({ unit: 'grapheme' }).filter((one) => !one.includes('\0')),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(text), { maxLength: 8 }), async (texts) => {
      const { rows } = await database.pool.query('SELECT $1::text[] AS texts', [textArray(texts)]);
      expect(rows[0].texts).toEqual(texts);
    }),
    { numRuns: 200 },
  );
});

it('a text of millions of escapes arrives whole', async () => {
  const text = '\\"'.repeat(2_000_000);
  const { rows } = await database.pool.query('SELECT ($1::text[])[1] = repeat($2, 2000000) AS same', [
    textArray([text]),
    '\\"',
  ]);
  expect(rows[0].same).toBe(true);
});

import { expect, test } from 'vitest';
import { testDatabase } from '../../db/testing.ts';
import { item, scene } from './testing.ts';

/** Batches that wait, and postings of the common term in each: together half a megabyte. */
const BATCHES = 64;
const POSTINGS = 1_000;

test('however many batches wait to be joined, each posting stands in one row, in order, and no row grows without bounds', async () => {
  const database = await testDatabase();
  try {
    const { pool } = database;
    const { accountId, writer, open, batch, chain, root } = await scene(pool);
    const index = async () => {
      while ((await writer.index(accountId)).more);
    };
    await writer.append(batch(await open('levels'), chain(root, ['user', item({ text: 'one' })])));
    await index();
    await pool.query(
      `INSERT INTO posting (account_id, level, term, batch, low, high, data)
       SELECT $1, 1, t.term, b, b, b, (SELECT string_agg(int4send(b) || int4send(n), ''::bytea ORDER BY n)
         FROM generate_series(1, t.postings) AS n)
       FROM (VALUES ('common', ${POSTINGS}), ('rare', 1)) AS t(term, postings), generate_series(1, ${BATCHES}) AS b
       WHERE t.term = 'common' OR b = 7`,
      [accountId],
    );
    const said = `SELECT md5(string_agg(data, ''::bytea ORDER BY batch)) AS said FROM posting
      WHERE account_id = $1 AND term = 'common'`;
    const before = await pool.query(said, [accountId]);
    await pool.query('UPDATE search_state SET joining = 1, levels = $2 WHERE account_id = $1', [
      accountId,
      [0, BATCHES, 0, 0, 0, 0, 0, 0, 0, 0],
    ]);
    await index();
    expect(await pool.query(said, [accountId])).toMatchObject({ rows: before.rows });
    const { rows } = await pool.query<{ term: string; level: number; bytes: number; inside: boolean }>(
      `SELECT term, level, octet_length(data) AS bytes, high = batch AS inside FROM posting
       WHERE account_id = $1 AND term IN ('common', 'rare') ORDER BY term, batch`,
      [accountId],
    );
    const common = rows.filter(({ term }) => term === 'common');
    expect(common.map(({ level, inside }) => [level, inside])).toEqual(common.map(() => [9, true]));
    expect(common.length).toBe(4);
    expect(Math.max(...common.map(({ bytes }) => bytes))).toBeLessThan(131_072 + POSTINGS * 8);
    expect(rows.filter(({ term }) => term === 'rare')).toMatchObject([{ level: 2, bytes: 8 }]);
  } finally {
    await database.stop();
  }
});

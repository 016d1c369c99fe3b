import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openPool } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { createLogger } from '../../kernel/log.ts';
import type { MessageHash, NewMessage } from '../types.ts';
import { call, item, result, type Scene, scene } from './testing.ts';

let database: Database;
/** One connection, so that what it read is counted in one place. */
let pool: pg.Pool;
let stage: Scene;

beforeAll(async () => {
  database = await testDatabase();
  pool = openPool(database.settings, createLogger('error', 'test'), { max: 1 });
  stage = await scene(pool);
});
afterAll(async () => {
  await pool.end();
  await database.stop();
});

/** A session of so many calls, each with its result in a message of its own. */
function longSession(name: string, calls: number): NewMessage[] {
  return stage.chain(
    stage.root,
    ['user', item({ text: name })],
    ...Array.from({ length: calls }, (_, at) => [
      ['assistant', call(`${name} ${at}`)] as const,
      ['user', result(`${name} ${at}`, `output ${at}`)] as const,
    ]).flat(),
  );
}

/** Rows of a table that the server has looked at so far, those that it then passed over included. */
async function looked(table: string): Promise<number> {
  await pool.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ n: number }>(
    `SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = $1)::int
       + (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = $1)::int AS n`,
    [table],
  );
  return rows[0]?.n ?? 0;
}

const CALLS = 1_500;
/**
 * Looks at one row for each that is written, at most: the first part of an empty archive takes most. Going
 * through all rows for each would be 1,500.
 */
const LOOKS = 200;

test.each([
  ['before the server has counted any row', false],
  ['when it has counted shorter ones', true],
])('a long session that was never seen takes a few looks for each row: %s', async (name, counted) => {
  for (const [at, calls] of [500, CALLS, CALLS].entries()) {
    if (counted) await pool.query('ANALYZE');
    const messages = longSession(`${name} ${at}`, calls);
    const thread = await stage.open(`${name} ${at}`);
    const aliases = messages.slice(-2).map(({ parent, hash }) => ({
      slice: stage.slice(`${name} ${at} ${Buffer.from(hash).toString('hex')}`),
      parent: parent as MessageHash,
      message: hash,
    }));
    const tables = ['event', 'item', 'message'];
    const before = await Promise.all(tables.map(looked));
    await stage.writer.append(stage.batch(thread, messages, { aliases }));
    for (const [which, table] of tables.entries()) {
      const looks = (await looked(table)) - (before[which] ?? 0);
      expect([table, looks < LOOKS * messages.length ? 'few' : looks]).toEqual([table, 'few']);
    }
  }
});

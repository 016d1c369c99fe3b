import { expect, test } from 'vitest';
import { createLogger } from '../kernel/log.ts';
import { openPool } from './connection.ts';
import { databaseOver } from './database.ts';
import { testDatabase } from './testing.ts';

const log = createLogger('silent', 'test');

test('a query that hangs fails after its time, and its connection makes room for the next', async () => {
  const database = await testDatabase();
  const pool = openPool(database.settings, log, { max: 1, queryTimeoutMs: 100 });
  const works = async () => (await pool.query('SELECT 1 AS one').catch(() => null))?.rows;
  for (let round = 0; round < 3; round += 1) {
    await expect(pool.query('SELECT pg_sleep(600)')).rejects.toThrow('timeout');
    // On a busy machine the next may take longer than it may, too.
    await expect.poll(works, { timeout: 60_000 }).toEqual([{ one: 1 }]);
  }
  await pool.end();
  await database.stop();
});

test('a database is given up though queries and transactions of it hang', async () => {
  const database = await testDatabase();
  const hung = databaseOver(database.settings, log, undefined);
  const holder = await hung.pool.connect();
  holder.on('error', () => undefined);
  const sleeping = Promise.allSettled([
    holder.query('SELECT pg_sleep(600)'),
    hung.pool.query('SELECT pg_sleep(600)'),
  ]);
  await hung.stop();
  await database.stop();
  await sleeping;
});

test('a connection that is lost while it is in use fails its next query and ends nothing else', async () => {
  const database = await testDatabase();
  const client = await database.pool.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const lost = new Promise<void>((resolve) => client.once('end', () => resolve()));
  await database.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
  await lost;
  await expect(client.query('SELECT 1')).rejects.toThrow();
  client.release(true);
  expect((await database.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await database.stop();
});

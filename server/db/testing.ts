import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { inject } from 'vitest';
import { createLogger } from '../kernel/log.ts';
import { type ConnectionSettings, openPool } from './connection.ts';
import { type Database, databaseOver } from './database.ts';
import { startEmbedded } from './embedded.ts';
import { migrate } from './migrate.ts';

/** Name of the migrated database that test databases are copied from. */
export const TEMPLATE_DATABASE = 'context_mode_template';

/** How the scratch folders of test runs are named. */
export const SCRATCH_PREFIX = 'context-mode-test-';

/** A server whose data nobody keeps need not wait for the disk. */
export const SCRATCH_SETTINGS: Readonly<Record<string, string>> = { fsync: 'off', full_page_writes: 'off' };

let made = 0;

/**
 * A fresh, migrated database for a test file (files named `*.db.test.ts`; they share one server, so this takes tens of
 * milliseconds). `stop()` drops it.
 */
export async function testDatabase(): Promise<Database> {
  made += 1;
  const name = `test_${process.pid}_${threadId}_${made}`;
  await runOnServer(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE_DATABASE} STRATEGY wal_log`);
  const database = databaseOver(
    { ...inject('databaseServer'), database: name },
    createLogger('silent', 'test'),
    undefined,
  );
  return {
    ...database,
    async stop() {
      await database.stop();
      await runOnServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

/**
 * A migrated database on a server of its own, for tests of what the server's files hold: there nobody else writes, and no
 * checkpoint comes that the test did not ask for. It takes seconds to start. `stop()` removes it.
 */
export async function ownServerDatabase(): Promise<Database> {
  const log = createLogger('silent', 'test');
  const home = await mkdtemp(join(tmpdir(), SCRATCH_PREFIX));
  const server = await startEmbedded({ home, log, overrides: SCRATCH_SETTINGS });
  await migrate({ settings: server.settings, log });
  const database = databaseOver(server.settings, log, server);
  return {
    ...database,
    async stop() {
      await database.stop();
      await rm(server.base, { recursive: true, force: true });
      await rm(home, { recursive: true, force: true });
    },
  };
}

/**
 * An empty database without any migration, and what drops it.
 * @param options of `CREATE DATABASE`, as SQL
 */
export async function emptyTestDatabase(
  options = '',
): Promise<{ settings: ConnectionSettings; drop(): Promise<void> }> {
  made += 1;
  const name = `empty_${process.pid}_${threadId}_${made}`;
  await runOnServer(`CREATE DATABASE ${name} ${options}`);
  return {
    settings: { ...inject('databaseServer'), database: name },
    drop: () => runOnServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function runOnServer(sql: string): Promise<void> {
  const pool = openPool(inject('databaseServer'), createLogger('silent', 'test'), { max: 1 });
  try {
    await pool.query(sql);
  } finally {
    await pool.end();
  }
}

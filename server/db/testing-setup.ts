import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { createLogger, type Logger } from '../kernel/log.ts';
import { type ConnectionSettings, openPool } from './connection.ts';
import { startEmbedded } from './embedded.ts';
import { LOCK_FILE, lockHome } from './home-lock.ts';
import { migrate } from './migrate.ts';
import { stopOrphan } from './orphan.ts';
import { SCRATCH_PREFIX, SCRATCH_SETTINGS, TEMPLATE_DATABASE } from './testing.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The one server that all database tests of a run share. */
    databaseServer: ConnectionSettings;
  }
}

/** What all database tests of a run share takes many connections, and need not wait for its log. */
const OVERRIDES = { ...SCRATCH_SETTINGS, synchronous_commit: 'off', max_connections: '200' };

/** Ends the servers of runs that were killed, and removes their folders. Runs that live hold their locks. */
async function clearKilledRuns(log: Logger): Promise<void> {
  for (const name of (await readdir(tmpdir())).filter((entry) => entry.startsWith(SCRATCH_PREFIX))) {
    const home = join(tmpdir(), name);
    // A folder without a lock file belongs to a run that is just beginning.
    if (!existsSync(join(home, LOCK_FILE)) || !(await lockHome(home).catch(() => undefined))) continue;
    await stopOrphan(join(home, 'postgres', 'data'), log);
    await rm(home, { recursive: true, force: true });
  }
}

/**
 * Vitest's global set-up of the database tests: starts one embedded PostgreSQL on a scratch folder for the whole run and
 * migrates one database, of which every test file gets a copy. Returns what ends it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const log = createLogger('error', 'test database');
  await clearKilledRuns(log);
  const home = await mkdtemp(join(tmpdir(), SCRATCH_PREFIX));
  const server = await startEmbedded({ home, log, overrides: OVERRIDES });
  const pool = openPool(server.settings, log, { max: 1 });
  await pool.query(`CREATE DATABASE ${TEMPLATE_DATABASE}`);
  await pool.end();
  await migrate({ settings: { ...server.settings, database: TEMPLATE_DATABASE }, log });
  project.provide('databaseServer', server.settings);
  return async () => {
    await server.stop();
    await rm(server.base, { recursive: true, force: true });
    await rm(home, { recursive: true, force: true });
  };
}

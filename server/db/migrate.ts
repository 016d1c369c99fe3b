import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MigrationList } from '@prisma/schema-engine-wasm';
import type pg from 'pg';
import { ContextModeError } from '../kernel/errors.ts';
import type { Logger } from '../kernel/log.ts';
import { type ConnectionSettings, openPool } from './connection.ts';
import { projectRoot } from './project.ts';
import { withSchemaEngine } from './schema-engine.ts';

/** A migration as it lies on disk: the folder's name and its SQL. */
interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** A migration as the database remembers it. */
interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  readonly finished: boolean;
}

/** What `migrate` did: names of the migrations that were applied now, oldest first. */
export interface MigrationResult {
  readonly applied: readonly string[];
}

/** Options of {@link migrate}. */
export interface MigrateOptions {
  readonly settings: ConnectionSettings;
  readonly log: Logger;
  /** Folder of migrations; the project's `prisma/migrations` unless said otherwise. */
  readonly folder?: string;
}

/** Key of the advisory lock that lets one process of many migrate: "cmig" in ASCII. */
const MIGRATION_LOCK = 0x636d6967;

/**
 * Brings the schema of the database up to the migrations of this version. Any number of processes may do so at once:
 * an advisory lock lets one go first. Each migration is applied whole or not at all.
 * @throws ContextModeError `configuration` if the database is newer than this version, if a migration was edited after it
 * was applied, or if one cannot be applied (its cause carries what PostgreSQL said).
 */
export async function migrate(options: MigrateOptions): Promise<MigrationResult> {
  const folder = options.folder ?? join(projectRoot(), 'prisma', 'migrations');
  const migrations = await readMigrations(folder);
  const pool = openPool(options.settings, options.log, {
    max: 4,
    name: 'context-mode migrate',
    // Another process may migrate a large database before this one.
    queryTimeoutMs: 0,
  });
  try {
    const holder = await pool.connect();
    try {
      await holder.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
      return await applyMissing(pool, folder, migrations, options.log);
    } finally {
      // Closing the connection gives the lock back, whatever state the connection is in.
      holder.release(true);
    }
  } finally {
    await pool.end();
  }
}

async function applyMissing(
  pool: pg.Pool,
  folder: string,
  migrations: readonly Migration[],
  log: Logger,
): Promise<MigrationResult> {
  const missing = missingMigrations(migrations, await appliedMigrations(pool));
  if (missing.length === 0) return { applied: [] };
  const migrationsList = migrationList(folder, migrations);
  const filters = { externalTables: [], externalEnums: [] };
  let applied: readonly string[];
  try {
    const output = await withSchemaEngine(pool, (engine) =>
      engine.applyMigrations({ migrationsList, filters }),
    );
    applied = output.appliedMigrationNames;
  } catch (cause) {
    await closeFailedAttempts(pool);
    throw new ContextModeError('configuration', 'The database could not be brought up to this version.', {
      hint: 'Nothing of the failed step was kept. The log names the step and what PostgreSQL said.',
      detail: cause instanceof Error ? cause.message : JSON.stringify(cause),
      cause,
    });
  }
  log.debug({ applied }, 'database schema brought up to date');
  return { applied };
}

/** A failed script was rolled back as a whole, so the record of the attempt is closed and the next start may try again. */
async function closeFailedAttempts(pool: pg.Pool): Promise<void> {
  const failed = (await appliedMigrations(pool)).filter((row) => !row.finished);
  await withSchemaEngine(pool, async (engine) => {
    for (const { name } of failed) await engine.markMigrationRolledBack({ migrationName: name });
  });
}

/**
 * Which migrations are still to be applied, oldest first.
 * @throws ContextModeError `configuration` if the database holds one that is not known here, or holds it in another form.
 */
export function missingMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
): readonly Migration[] {
  const byName = new Map(known.map((migration) => [migration.name, migration]));
  const unknown = applied.filter((row) => row.finished && !byName.has(row.name)).map((row) => row.name);
  if (unknown.length > 0) {
    throw new ContextModeError(
      'configuration',
      `The database was written by a newer version of Context Mode (it has ${unknown.join(', ')}).`,
      { hint: 'Start the newer version again; going back to an older one is not possible on the same data.' },
    );
  }
  const edited = applied.filter(
    (row) => row.finished && row.checksum !== checksumOf(byName.get(row.name)?.sql ?? ''),
  );
  if (edited.length > 0) {
    throw new ContextModeError(
      'configuration',
      `Migrations were changed after they had been applied: ${edited.map((row) => row.name).join(', ')}.`,
      { hint: 'Restore prisma/migrations to what was released.' },
    );
  }
  const done = new Set(applied.filter((row) => row.finished).map((row) => row.name));
  return known.filter((migration) => !done.has(migration.name));
}

function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex');
}

/** Reads the migrations of a folder, oldest (lowest name) first. A folder that is not there holds none. */
export async function readMigrations(folder: string): Promise<readonly Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names
      .sort()
      .map(async (name) => ({ name, sql: await readFile(join(folder, name, 'migration.sql'), 'utf8') })),
  );
}

/** The same migrations in the form that Prisma's engine reads. */
export function migrationList(folder: string, migrations: readonly Migration[]): MigrationList {
  return {
    baseDir: folder,
    lockfile: { path: './migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  };
}

async function appliedMigrations(pool: pg.Pool): Promise<readonly AppliedMigration[]> {
  const { rows } = await pool.query<{ present: boolean }>(
    `SELECT to_regclass('public._prisma_migrations') IS NOT NULL AS present`,
  );
  if (!rows[0]?.present) return [];
  const result = await pool.query<AppliedMigration>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
       FROM public._prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`,
  );
  return result.rows;
}

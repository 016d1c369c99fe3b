import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../kernel/log.ts';
import { openPool } from './connection.ts';
import { migrate, readMigrations } from './migrate.ts';
import { projectRoot } from './project.ts';
import { withSchemaEngine } from './schema-engine.ts';
import { emptyTestDatabase, testDatabase } from './testing.ts';

const log = createLogger('silent', 'test');

describe('migrate', () => {
  let database: Awaited<ReturnType<typeof emptyTestDatabase>>;
  let pool: pg.Pool;
  let folder: string;

  beforeEach(async () => {
    database = await emptyTestDatabase();
    pool = openPool(database.settings, log);
    folder = await mkdtemp(join(tmpdir(), 'migrations-'));
  });

  afterEach(async () => {
    await pool.end();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const add = async (name: string, sql: string): Promise<void> => {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, 'migration.sql'), sql);
  };
  const run = () => migrate({ settings: database.settings, log, folder });
  const tables = async (): Promise<string[]> => {
    const { rows } = await pool.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
        AND relname <> '_prisma_migrations' ORDER BY 1`,
    );
    return rows.map((row) => row.name);
  };

  it('applies what is missing, oldest first, and nothing the second time', async () => {
    await add('2_second', 'ALTER TABLE one ADD COLUMN b int;');
    await add('1_first', 'CREATE TABLE one (a int);');
    expect((await run()).applied).toEqual(['1_first', '2_second']);
    expect((await run()).applied).toEqual([]);
    await add('3_third', 'CREATE TABLE three (a int);');
    expect((await run()).applied).toEqual(['3_third']);
  });

  it('reads a script as PostgreSQL does: semicolons in bodies, texts and comments end nothing', async () => {
    await add(
      '1_first',
      `-- one; two
       CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM 1; RETURN 'a;b'; END $$;
       /* three; */ CREATE TABLE one (a text DEFAULT 'x;y');`,
    );
    await run();
    await pool.query('INSERT INTO one DEFAULT VALUES');
    expect((await pool.query('SELECT a, f() FROM one')).rows).toEqual([{ a: 'x;y', f: 'a;b' }]);
  });

  it('keeps nothing of a migration that fails, says what PostgreSQL said, and applies it once it is mended', async () => {
    await add('1_first', 'CREATE TABLE one (a int);');
    await add('2_second', 'CREATE TABLE two (a int); CREATE TABLE one (a int);');
    await expect(run()).rejects.toMatchObject({
      code: 'configuration',
      detail: 'relation "one" already exists',
    });
    expect(await tables()).toEqual(['one']);
    await add('2_second', 'CREATE TABLE two (a int);');
    expect((await run()).applied).toEqual(['2_second']);
    expect(await tables()).toEqual(['one', 'two']);
  });

  it('refuses a database that a newer version has written, naming what it does not know', async () => {
    await add('1_first', 'CREATE TABLE one (a int);');
    await add('2_newer', 'CREATE TABLE two (a int);');
    await run();
    await rm(join(folder, '2_newer'), { recursive: true });
    await expect(run()).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('2_newer'),
    });
    expect(await tables()).toEqual(['one', 'two']);
  });

  it('refuses to go on if a migration was changed after it was applied', async () => {
    await add('1_first', 'CREATE TABLE one (a int);');
    await run();
    await add('1_first', 'CREATE TABLE one (a bigint);');
    await expect(run()).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('1_first'),
    });
  });

  it('lets any number of processes migrate at once: one does it, the others find it done', async () => {
    await add('1_first', 'SELECT pg_sleep(0.2); CREATE TABLE one (a int);');
    const results = await Promise.all([run(), run(), run(), run()]);
    expect(results.flatMap((result) => result.applied)).toEqual(['1_first']);
  });
});

describe('prisma/schema.prisma', () => {
  it('says the same as the migrations', async () => {
    const database = await testDatabase();
    const content = await readFile(join(projectRoot(), 'prisma', 'schema.prisma'), 'utf8');
    const files = [{ path: 'schema.prisma', content }];
    try {
      const difference = await withSchemaEngine(database.pool, (engine) =>
        engine.diff({
          from: { tag: 'schemaDatasource', files, configDir: projectRoot() },
          to: { tag: 'schemaDatamodel', files },
          script: true,
          exitCode: true,
          filters: { externalTables: [], externalEnums: [] },
        }),
      );
      expect(difference.stdout?.trim()).toBe('-- This is an empty migration.');
      expect(difference.exitCode).toBe(0);
    } finally {
      await database.stop();
    }
  });

  it('is told apart from a database that differs from it', async () => {
    const database = await testDatabase();
    const content = await readFile(join(projectRoot(), 'prisma', 'schema.prisma'), 'utf8');
    const files = [{ path: 'schema.prisma', content }];
    try {
      await database.pool.query('ALTER TABLE account ADD COLUMN surplus integer');
      const difference = await withSchemaEngine(database.pool, (engine) =>
        engine.diff({
          from: { tag: 'schemaDatasource', files, configDir: projectRoot() },
          to: { tag: 'schemaDatamodel', files },
          script: true,
          exitCode: true,
          filters: { externalTables: [], externalEnums: [] },
        }),
      );
      expect(difference.stdout).toContain('DROP COLUMN "surplus"');
    } finally {
      await database.stop();
    }
  });
});

describe('readMigrations', () => {
  it('finds none in a folder that is not there', async () => {
    expect(await readMigrations(join(tmpdir(), 'no-such-folder-of-migrations'))).toEqual([]);
  });
});

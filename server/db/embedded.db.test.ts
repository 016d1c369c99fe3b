import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLogger } from '../kernel/log.ts';
import { type Database, openDatabase } from './database.ts';
import { LOCK_FILE } from './home-lock.ts';
import { isRunning, startOf } from './process-identity.ts';
import { canReach, isRoot, type ServerUser } from './server-user.ts';

const run = promisify(execFile);
const log = createLogger('silent', 'test');
const OWNER = fileURLToPath(new URL('./testing-owner.ts', import.meta.url));
/** Some user that is neither root nor the server's. */
const STRANGER: ServerUser = { uid: 65_534, gid: 65_534 };
const strangerCanRun = isRoot() && (await canReach(STRANGER, fileURLToPath(new URL('.', import.meta.url))));

let parent: string;
let home: string;
let opened: Database[];
let owners: ChildProcess[];

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'embedded-'));
  await chmod(parent, 0o755);
  home = join(parent, 'data');
  opened = [];
  owners = [];
});

afterEach(async () => {
  for (const database of opened) await database.stop();
  for (const { embedded } of opened) if (embedded) await rm(embedded.base, { recursive: true, force: true });
  for (const owner of owners) owner.kill('SIGKILL');
  await rm(parent, { recursive: true, force: true });
});

const open = async (folder = home): Promise<Database> => {
  const database = await openDatabase({ home: folder, databaseUrl: undefined, log });
  opened.push(database);
  return database;
};

/** Opens the data folder in another process; answers with what that process printed. */
const openElsewhere = async (user?: ServerUser): Promise<{ owner: ChildProcess; said: OwnerLine }> => {
  const args = ['--import', import.meta.resolve('tsx'), OWNER, home];
  const owner = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], cwd: '/', ...user });
  owners.push(owner);
  const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string];
  return { owner, said: JSON.parse(line) as OwnerLine };
};

interface OwnerLine {
  readonly pid?: number;
  readonly base?: string;
  readonly code?: string;
  readonly message?: string;
}

/** Waits, within a bound, until the check holds. */
const eventually = async (check: () => Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 400; tries += 1) {
    if (await check()) return;
    await delay(25);
  }
  throw new Error('It did not come true in time.');
};

const works = (database: Database): Promise<boolean> =>
  database.pool.query('SELECT 1').then(
    () => true,
    () => false,
  );

describe('the embedded PostgreSQL', () => {
  it('keeps what was written over stop and start, in folders that are its own alone', async () => {
    const first = await open();
    await first.pool.query('CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();
    const second = await open();
    expect((await second.pool.query('SELECT answer FROM kept')).rows).toEqual([{ answer: 42 }]);
    const base = second.embedded?.base ?? '';
    for (const folder of [home, base, join(base, 'data'), join(base, 'run')]) {
      expect([folder, (await stat(folder)).mode & 0o777]).toEqual([folder, 0o700]);
    }
    expect((await stat(join(base, 'password'))).mode & 0o777).toBe(0o600);
  });

  it('orders and folds text alike on every machine, and listens on no port', async () => {
    const { pool } = await open();
    const { rows } = await pool.query(
      `SELECT current_setting('server_encoding') AS encoding, datlocprovider::text || datlocale AS locale,
              current_setting('listen_addresses') AS addresses, inet_server_addr() AS address
         FROM pg_database WHERE datname = current_database()`,
    );
    expect(rows).toEqual([{ encoding: 'UTF8', locale: 'bC.UTF-8', addresses: '', address: null }]);
  });

  it('writes no statement and no value of one into its log', async () => {
    const database = await open();
    await database.pool.query('CREATE TABLE one (a text PRIMARY KEY)');
    await database.pool.query(`INSERT INTO one VALUES ('canary-value')`);
    await expect(database.pool.query(`INSERT INTO one VALUES ('canary-value')`)).rejects.toThrow();
    await expect(database.pool.query(`SELECT canary_column FROM one`)).rejects.toThrow();
    await database.stop();
    const text = await readFile(join(database.embedded?.base ?? '', 'server.log'), 'utf8');
    expect(text).not.toContain('canary-value');
    expect(text).not.toContain('SELECT');
  });

  it('answers a second start on the same data folder with one error that names the process', async () => {
    await open();
    await expect(open()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    const { said } = await openElsewhere();
    expect(said).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(`process ${process.pid}`),
    });
  });

  it('takes the data folder over from a process that was killed, and ends the server it left behind', async () => {
    const { owner, said } = await openElsewhere();
    const orphan = said.pid ?? 0;
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    expect(await isRunning(orphan)).toBe(true);
    const database = await open();
    expect(await isRunning(orphan)).toBe(false);
    expect(await works(database)).toBe(true);
  });

  it('runs again after it was killed, and the pool with it', async () => {
    const database = await open();
    await database.pool.query('CREATE TABLE kept AS SELECT 1 AS one');
    const killed = database.embedded?.pid() ?? 0;
    process.kill(killed, 'SIGKILL');
    await eventually(async () => database.embedded?.pid() !== killed && (await works(database)));
    expect((await database.pool.query('SELECT one FROM kept')).rows).toEqual([{ one: 1 }]);
  });

  it('survives the death of one connection', async () => {
    const database = await open();
    const { rows } = await database.pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
    await eventually(() => works(database));
  });

  it('starts although an earlier first start was cut short', async () => {
    await mkdir(join(home, 'postgres', 'data.making'), { recursive: true });
    await writeFile(join(home, 'postgres', 'data.making', 'half'), 'made');
    expect(await works(await open())).toBe(true);
  });

  it('is not misled by the note of a server whose number now belongs to another program', async () => {
    const first = await open();
    await first.stop();
    const note = join(first.embedded?.base ?? '', 'data', 'postmaster.pid');
    await writeFile(note, `${process.pid}\n/elsewhere\n0\n5432\n\n\n\n`);
    expect(await works(await open())).toBe(true);
    expect(await isRunning(process.pid)).toBe(true);
  });

  it('refuses files of another major version instead of touching them', async () => {
    const first = await open();
    await first.stop();
    await writeFile(join(first.embedded?.base ?? '', 'data', 'PG_VERSION'), '12\n');
    await expect(open()).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringContaining('PostgreSQL 12'),
    });
  });

  it('works in a data folder whose path is longer than a socket may be', async () => {
    const long = join(home, 'a'.repeat(60), 'b'.repeat(60));
    const database = await open(long);
    expect(await works(database)).toBe(true);
    const folder = database.settings.host ?? '';
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    await database.stop();
    const again = await open(long);
    expect(again.settings.host).toBe(folder);
    await again.stop();
    await rm(folder, { recursive: true });
  });

  it('asks for its password', async () => {
    const database = await open();
    const { settings } = database;
    await expect(
      openDatabase({
        home,
        databaseUrl: `postgres://${settings.user}:wrong@/${settings.database}?host=${settings.host}`,
        log,
      }),
    ).rejects.toMatchObject({
      code: 'configuration',
      detail: expect.stringContaining('password authentication failed'),
    });
  });

  it.runIf(isRoot())('cannot be reached by another user', async () => {
    const { settings } = await open();
    const connect = `require('node:net').connect(process.argv[1] + '/.s.PGSQL.5432')
      .on('error', (error) => { console.log(error.code); }).on('connect', () => { console.log('connected'); process.exit(); })`;
    const { stdout } = await run(process.execPath, ['-e', connect, settings.host ?? ''], {
      ...STRANGER,
      cwd: '/',
    });
    expect(stdout.trim()).toBe('EACCES');
  });

  it.runIf(isRoot())('runs as a user of its own if we are root', async () => {
    const database = await open();
    expect((await stat(`/proc/${database.embedded?.pid()}`)).uid).not.toBe(0);
  });

  it.runIf(isRoot())('keeps its files elsewhere if that user cannot reach the data folder', async () => {
    await chmod(parent, 0o700);
    const first = await open();
    const base = first.embedded?.base ?? '';
    expect(base.startsWith('/var/lib/context-mode/')).toBe(true);
    expect((await stat(base)).mode & 0o777).toBe(0o700);
    await first.pool.query('CREATE TABLE kept (a int)');
    await first.stop();
    const second = await open();
    expect(second.embedded?.base).toBe(base);
    expect((await second.pool.query('SELECT * FROM kept')).rows).toEqual([]);
  });

  it.runIf(strangerCanRun)('works for an ordinary user', async () => {
    await chmod(parent, 0o777);
    const { owner, said } = await openElsewhere(STRANGER);
    expect(said).toEqual({ pid: expect.any(Number), base: join(home, 'postgres') });
    owner.kill('SIGTERM');
    await once(owner, 'exit');
    expect(await isRunning(said.pid ?? 0)).toBe(false);
    expect(await readdir(home)).not.toContain(LOCK_FILE);
  });

  it.runIf(strangerCanRun)(
    'of an ordinary user stays usable for that user after root has started it once',
    async () => {
      await chmod(parent, 0o777);
      const first = await openElsewhere(STRANGER);
      first.owner.kill('SIGTERM');
      await once(first.owner, 'exit');
      const database = await open();
      expect((await stat(`/proc/${database.embedded?.pid()}`)).uid).toBe(STRANGER.uid);
      await database.stop();
      const again = await openElsewhere(STRANGER);
      expect(again.said.pid).toEqual(expect.any(Number));
      again.owner.kill('SIGTERM');
      await once(again.owner, 'exit');
    },
  );
});

describe('the lock on a data folder', () => {
  it.each([
    ['of a process that is gone', async () => JSON.stringify({ pid: 2 ** 22 - 1, started: 'x' })],
    [
      'of a process whose number was given to another',
      async () => JSON.stringify({ pid: process.pid, started: 'x' }),
    ],
    ['that is not readable', async () => 'garbage'],
  ])('is cleared if it is one %s', async (_, text) => {
    await mkdir(home);
    await writeFile(join(home, LOCK_FILE), await text());
    expect(await works(await open())).toBe(true);
  });

  it('holds against a process that is the same one', async () => {
    await mkdir(home);
    await writeFile(
      join(home, LOCK_FILE),
      JSON.stringify({ pid: process.pid, started: await startOf(process.pid) }),
    );
    await expect(open()).rejects.toMatchObject({ code: 'conflict' });
  });
});

describe('an operator’s own PostgreSQL', () => {
  it('that cannot be reached is one clear error, without its password', async () => {
    const attempt = openDatabase({ home, databaseUrl: 'postgres://me:canary-word@127.0.0.1:1/none', log });
    await expect(attempt).rejects.toMatchObject({ code: 'configuration' });
    await expect(attempt).rejects.not.toThrow('canary-word');
  });
});

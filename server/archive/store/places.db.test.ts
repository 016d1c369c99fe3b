import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Identity, PlaceClaim } from '../../conversation/index.ts';
import { type Database, openPool } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { InstallationKey } from '../../kernel/installation-key.ts';
import { createLogger } from '../../kernel/log.ts';
import { systemRandom } from '../../kernel/random.ts';
import type { LocatedRepository } from '../place.ts';
import type { ArchiveWriter, Place } from '../types.ts';
import { ensureLocalAccount } from './account.ts';
import { type LiveEvent, listenLive } from './live.ts';
import { placeResolver } from './places.ts';
import { createArchiveReader } from './reader.ts';
import { item, type Scene, scene } from './testing.ts';

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let accounts = 0;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());
beforeEach(async () => {
  accounts += 1;
  stage = await scene(pool, `account ${accounts}`);
});

const NOTHING: PlaceClaim = {
  folder: null,
  root: null,
  remoteUrl: null,
  branch: null,
  commit: null,
  isRepository: null,
};

const accountKey = async () => new Uint8Array(32).fill(5);

/** Resolves claims on a machine where these folders lie in these repositories. */
function resolver(machine: Readonly<Record<string, LocatedRepository>> = {}) {
  const { resolve } = placeResolver(pool, stage.clock, async (folder) => machine[folder] ?? null, accountKey);
  return async (claim: Partial<PlaceClaim>): Promise<Place | null> => {
    stage.clock.advance(60_000);
    return resolve(stage.accountId, { ...NOTHING, ...claim }, stage.clock.now());
  };
}

const repository = (root: string, remoteUrl: string | null = null): LocatedRepository => ({
  root,
  commonDir: '/w/app/.git',
  remoteUrl,
  branch: 'main',
});

describe('a place', () => {
  test('in two worktrees of one repository is one project with two worktrees', async () => {
    const resolve = resolver({
      '/w/app/src': repository('/w/app'),
      '/w/app': repository('/w/app'),
      '/w/two': repository('/w/two'),
    });
    const [one, same, two] = [
      await resolve({ folder: '/w/app/src' }),
      await resolve({ folder: '/w/app' }),
      await resolve({ folder: '/w/two' }),
    ];
    expect(same).toEqual(one);
    expect(two?.projectId).toBe(one?.projectId);
    expect(two?.worktreeId).not.toBe(one?.worktreeId);
    const other = await resolve({ folder: '/w/elsewhere' });
    expect(other?.projectId).not.toBe(one?.projectId);
    expect(await resolve({})).toBeNull();
  });

  test('is the same project for an agent that names the remote and one that names the folder alone', async () => {
    const resolve = resolver({ '/w/app': repository('/w/app', 'https://u:p@example.com/t/app.git') });
    const claude = await resolve({ folder: '/w/app', branch: 'main' });
    const codex = await resolve({ folder: '/w/app', root: '/w/app', remoteUrl: 'git@example.com:t/app' });
    expect(codex).toEqual(claude);
    const { rows } = await pool.query(
      'SELECT identity FROM project_identity WHERE account_id = $1 ORDER BY 1',
      [stage.accountId],
    );
    expect(rows).toEqual([{ identity: 'remote:example.com/t/app' }, { identity: 'repository:/w/app/.git' }]);
  });

  test('keeps its project when the repository gets a remote, and not when another repository takes the folder', async () => {
    const before = await resolver({ '/w/app': repository('/w/app') })({ folder: '/w/app' });
    const named = await resolver({ '/w/app': repository('/w/app', 'https://example.com/a') })({
      folder: '/w/app',
    });
    expect(named).toEqual(before);
    const replaced = await resolver({ '/w/app': repository('/w/app', 'https://example.com/b') })({
      folder: '/w/app',
    });
    expect(replaced?.projectId).not.toBe(before?.projectId);
    expect(
      await createArchiveReader(pool, { clock: stage.clock }).listProjects(stage.accountId),
    ).toHaveLength(2);
  });

  test('is asked of the machine by its real name and kept without the address in it', async () => {
    const resolve = resolver({ '/home/ana@example.org/x': repository('/home/ana@example.org/x', null) });
    const place = await resolve({ folder: '/home/ana@example.org/x', branch: 'for/ana@example.org' });
    const { rows } = await pool.query<{ all: string }>(
      `SELECT p.name || i.identity || w.path || w.branch AS all FROM project p
       JOIN project_identity i ON i.project_id = p.id JOIN worktree w ON w.project_id = p.id WHERE p.id = $1`,
      [place?.projectId],
    );
    expect(rows[0]?.all).toContain('repository:/w/app/.git/home/[masked:email:');
    expect(rows[0]?.all).not.toContain('ana@');
  });

  test('is made once, however many gateways see it first at once', async () => {
    const second = openPool(database.settings, createLogger('silent', 'test'));
    try {
      const places = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          placeResolver(
            n % 2 ? pool : second,
            stage.clock,
            async () => repository('/w/app', `https://example.com/x`),
            accountKey,
          ).resolve(stage.accountId, { ...NOTHING, folder: '/w/app' }, stage.clock.now()),
        ),
      );
      for (const place of places) expect(place).toEqual(places[0]);
    } finally {
      await second.end();
    }
  });

  test('knows the branch that was seen last', async () => {
    const resolve = resolver();
    for (const branch of ['one', 'two']) await resolve({ folder: '/w/x', branch });
    await resolve({ folder: '/w/x' });
    const { rows } = await pool.query('SELECT branch FROM worktree WHERE account_id = $1', [stage.accountId]);
    expect(rows).toEqual([{ branch: 'two' }]);
  });
});

describe('a thread', () => {
  const identity = (more: Partial<Identity> = {}): Identity => ({
    agent: 'codex',
    agentVersion: null,
    clientSessionId: 's',
    clientThreadId: null,
    parentThreadId: null,
    kind: 'main',
    place: NOTHING,
    uncertain: null,
    ...more,
  });
  const open = (more: Partial<Identity> = {}, place: Place | null = null) =>
    stage.writer.openThread(stage.accountId, identity(more), place, stage.clock.now());

  test('is one for an agent, session and thread, however it is opened', async () => {
    const main = await open();
    expect(await open({ agentVersion: '0.171' })).toEqual(main);
    const sub = await open({ clientThreadId: 't', parentThreadId: 'p' });
    expect(sub?.sessionId).toBe(main?.sessionId);
    expect(sub?.threadId).not.toBe(main?.threadId);
    expect((await open({ agent: 'claude-code' }))?.sessionId).not.toBe(main?.sessionId);
    expect(await open({ clientSessionId: null })).toBeNull();
    const long = 'x'.repeat(100_000);
    expect(await open({ clientSessionId: `${long}1` })).toEqual(await open({ clientSessionId: `${long}1` }));
    expect(await open({ clientSessionId: `${long}1` })).not.toEqual(
      await open({ clientSessionId: `${long}2` }),
    );
  });

  test('keeps the first project of its session, and follows the main line through the worktrees of it', async () => {
    const resolve = resolver({ '/w/app': repository('/w/app'), '/w/two': repository('/w/two') });
    const app = await resolve({ folder: '/w/app' });
    const two = await resolve({ folder: '/w/two' });
    const other = await resolve({ folder: '/w/other' });
    expect((await open())?.place).toBeNull();
    expect((await open({}, app))?.place).toEqual(app);
    expect((await open({}, other))?.place).toEqual(app);
    expect((await open({ clientThreadId: 't' }, two))?.place).toEqual(two);
    expect((await open())?.place).toEqual(app);
    expect((await open({}, two))?.place).toEqual(two);
    expect((await open())?.place).toEqual(two);
  });
});

describe('an account', () => {
  test('of the machine is made once, with a key that opens under the installation key alone', async () => {
    const installationKey = Buffer.alloc(32, 1) as Uint8Array as InstallationKey;
    const tools = { clock: stage.clock, random: systemRandom, installationKey };
    const ids = await Promise.all(Array.from({ length: 10 }, () => ensureLocalAccount(pool, tools)));
    expect(new Set(ids).size).toBe(1);
    const [id] = ids;
    if (!id) throw new Error('no account');
    await expect(stage.writer.accountKey(id)).rejects.toMatchObject({ code: 'configuration' });
    const { rows } = await pool.query<{ sealed_key: Buffer }>(
      'SELECT sealed_key FROM account WHERE id = $1',
      [stage.accountId],
    );
    expect(rows[0]?.sealed_key.includes(Buffer.from(stage.key))).toBe(false);
    expect(stage.key).toHaveLength(32);
  });
});

describe('whoever listens', () => {
  test('is told of requests, logs and deletions by any gateway, with ids alone', async () => {
    const connection = await pool.connect();
    const events: LiveEvent[] = [];
    const written: (() => void)[] = [];
    const until = (count: number) =>
      new Promise<void>((resolve) => {
        written.push(() => events.length >= count && resolve());
      });
    const listening = await listenLive(connection, (event) => {
      events.push(event);
      for (const check of written) check();
    });
    await pool.query(
      "SELECT pg_notify('context_mode_live', 'nonsense'), pg_notify('context_mode_live', '[1,2,3]')",
    );
    const writer: ArchiveWriter = stage.secondWriter(pool);
    const thread = await stage.open('s');
    const messages = stage.chain(stage.root, ['user', item({ text: 'secret words' })]);
    const all = until(4);
    await writer.append(stage.batch(thread, messages));
    await writer.append(stage.batch(thread, messages));
    await writer.saveRequest(stage.request(thread));
    await writer.saveRequest(stage.request(null));
    await createArchiveReader(pool, { clock: stage.clock }).deleteSession(
      stage.accountId,
      thread.sessionId,
      stage.clock.now(),
    );
    await all;
    const { accountId } = stage;
    expect(events).toEqual([
      { accountId, kind: 'log', sessionId: thread.sessionId },
      { accountId, kind: 'request', sessionId: thread.sessionId },
      { accountId, kind: 'request', sessionId: null },
      { accountId, kind: 'deleted', sessionId: thread.sessionId },
    ]);
    await listening.stop();
    connection.release();
  });
});

import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PlaceClaim } from '../../conversation/index.ts';
import { type Database, openPool } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { Clock, Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { createLogger } from '../../kernel/log.ts';
import type { ArchiveReader } from '../types.ts';
import type { RetentionReport } from './expiry.ts';
import {
  type ArchiveHousekeeper,
  type ArchiveKeeper,
  createArchiveHousekeeper,
  createArchiveKeeper,
} from './keeper.ts';
import { type LiveEvent, listenLive } from './live.ts';
import { createArchiveReader } from './reader.ts';
import { item, type Scene, scene } from './testing.ts';
import { integrityFaults } from './testing-integrity.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let reader: ArchiveReader;
let keeper: ArchiveKeeper;
let housekeeper: ArchiveHousekeeper;
let accounts = 0;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());
beforeEach(async () => {
  accounts += 1;
  stage = await scene(pool, `account ${accounts}`);
  // Time goes from the database's own, which a retention compares it with.
  const { rows } = await pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  stage.clock.advance((rows[0]?.now.getTime() ?? 0) - stage.clock.now());
  reader = createArchiveReader(pool, { clock: stage.clock });
  keeper = createArchiveKeeper(pool, { clock: stage.clock });
  housekeeper = createArchiveHousekeeper(pool, { clock: stage.clock });
});

const NOWHERE: PlaceClaim = {
  folder: null,
  root: null,
  remoteUrl: null,
  branch: null,
  commit: null,
  isRepository: null,
};

/** A session with a word in it, in a folder if one is named, last seen so many days ago. */
async function session(name: string, { daysAgo = 0, folder = null as string | null } = {}): Promise<Uuid> {
  const { writer, accountId, clock } = stage;
  const at = (clock.now() - daysAgo * DAY) as Millis;
  const place = folder === null ? null : await writer.resolvePlace(accountId, { ...NOWHERE, folder }, at);
  const identity = {
    agent: 'codex',
    agentVersion: null,
    clientSessionId: name,
    clientThreadId: null,
    parentThreadId: null,
    kind: 'main',
    place: { ...NOWHERE, folder },
    uncertain: null,
  } as const;
  const thread = await writer.openThread(accountId, identity, place, at);
  if (thread === null) throw new Error('no thread');
  const messages = stage.chain(stage.root, ['user', item({ text: name })]);
  await writer.append(stage.batch(thread, messages, { at }));
  return thread.sessionId;
}

async function names(): Promise<readonly string[]> {
  const { items } = await reader.listSessions(stage.accountId, { limit: 1000 });
  return items.map((one) => one.clientSessionId ?? '').sort();
}

async function projects(): Promise<readonly string[]> {
  return (await reader.listProjects(stage.accountId)).map((one) => one.name);
}

async function projectId(name: string): Promise<Uuid> {
  const found = (await reader.listProjects(stage.accountId)).find((one) => one.name === name);
  if (found === undefined) throw new Error(`no project ${name}`);
  return found.id;
}

describe('a planned deletion', () => {
  test('is carried out when it is due, not before, by whichever process is there then', async () => {
    const id = await session('goes');
    await session('stays');
    const target = { kind: 'session', subject: id } as const;
    const due = await keeper.planDeletion(stage.accountId, target, stage.clock.now());
    expect(due).toBe(stage.clock.now() + 12_000);
    stage.clock.advance(5_000);
    expect(await keeper.planDeletion(stage.accountId, target, stage.clock.now())).toBe(due);
    expect(await housekeeper.carryOutDeletions(stage.accountId)).toEqual({ done: 0, next: due });
    expect(await names()).toEqual(['goes', 'stays']);
    expect(await keeper.plannedDeletions(stage.accountId)).toEqual(new Map([[id, due]]));
    stage.clock.advance(7_000);
    expect(await housekeeper.carryOutDeletions(stage.accountId)).toEqual({ done: 1, next: null });
    expect(await names()).toEqual(['stays']);
    expect(await keeper.plannedDeletions(stage.accountId)).toEqual(new Map());
  });

  test('can be taken back until then, and planned anew', async () => {
    const id = await session('s');
    const plan = () =>
      keeper.planDeletion(stage.accountId, { kind: 'session', subject: id }, stage.clock.now());
    await plan();
    expect(await keeper.undoDeletion(stage.accountId, id)).toBe(true);
    expect(await keeper.undoDeletion(stage.accountId, id)).toBe(false);
    stage.clock.advance(60_000);
    await housekeeper.carryOutDeletions(stage.accountId);
    expect(await names()).toEqual(['s']);
    expect(await plan()).toBe(stage.clock.now() + 12_000);
  });

  test('that a restart found overdue can be taken back for its whole time again', async () => {
    const id = await session('s');
    await keeper.planDeletion(stage.accountId, { kind: 'session', subject: id }, stage.clock.now());
    stage.clock.advance(DAY);
    await housekeeper.renewPlans(stage.accountId);
    expect(await housekeeper.carryOutDeletions(stage.accountId)).toEqual({
      done: 0,
      next: stage.clock.now() + 12_000,
    });
    expect(await keeper.undoDeletion(stage.accountId, id)).toBe(true);
    expect(await names()).toEqual(['s']);
  });

  test('is not put off by a clock that goes back', async () => {
    const id = await session('s');
    await keeper.planDeletion(stage.accountId, { kind: 'session', subject: id }, stage.clock.now());
    stage.clock.advance(-365 * DAY);
    expect(await housekeeper.carryOutDeletions(stage.accountId)).toMatchObject({ done: 1 });
  });

  test('of a project takes its sessions, and is taken back by any of them', async () => {
    const id = await session('in', { folder: '/w/app' });
    await session('out', { folder: '/w/other' });
    const app = { kind: 'project', subject: await projectId('app') } as const;
    await keeper.planDeletion(stage.accountId, app, stage.clock.now());
    expect(await keeper.undoDeletion(stage.accountId, id)).toBe(true);
    await keeper.planDeletion(stage.accountId, app, stage.clock.now());
    stage.clock.advance(12_000);
    expect(await housekeeper.carryOutDeletions(stage.accountId)).toEqual({ done: 1, next: null });
    expect([await names(), await projects()]).toEqual([['out'], ['other']]);
  });

  test('of nothing is none', async () => {
    for (const kind of ['session', 'project', 'archive'] as const)
      expect(
        await keeper.planDeletion(stage.accountId, { kind, subject: stage.id() }, stage.clock.now()),
      ).toBeNull();
    expect(
      await keeper.planDeletion(
        stage.accountId,
        { kind: 'session', subject: 'x' as Uuid },
        stage.clock.now(),
      ),
    ).toBeNull();
  });

  test('is told to every console, and belongs to its account alone', async () => {
    const heard: LiveEvent[] = [];
    const connection = await pool.connect();
    const live = await listenLive(connection, (event) => heard.push(event));
    const id = await session('s');
    const other = await scene(pool, `another ${accounts}`);
    expect(
      await keeper.planDeletion(other.accountId, { kind: 'session', subject: id }, stage.clock.now()),
    ).toBeNull();
    await keeper.planDeletion(stage.accountId, { kind: 'session', subject: id }, stage.clock.now());
    expect(await keeper.undoDeletion(other.accountId, id)).toBe(false);
    expect(await keeper.plannedDeletions(other.accountId)).toEqual(new Map());
    await expect.poll(() => heard.filter((one) => one.kind === 'planned')).toHaveLength(1);
    await live.stop();
    connection.release();
  });
});

describe('a retention', () => {
  /** What a run is told, with a setting that is no longer new. */
  async function keep(days: number | 'forever', scope: Uuid = stage.accountId): Promise<void> {
    const at = (stage.clock.now() - 2 * HOUR) as Millis;
    expect(await keeper.setRetention(stage.accountId, scope, days, at)).toBe(true);
  }

  const run = (isFirst = false) => housekeeper.expire(stage.accountId, isFirst);

  test('deletes what was not seen for so long, as a person does, with its own name in the audit', async () => {
    await session('old', { daysAgo: 31 });
    await session('new', { daysAgo: 29 });
    expect(await run()).toMatchObject({ state: 'off' });
    await keep(30);
    expect(await keeper.retention(stage.accountId, stage.clock.now())).toMatchObject({ account: 30, due: 1 });
    expect(await run()).toEqual({ state: 'deleted', deleted: 1, due: 0, until: null });
    expect(await names()).toEqual(['new']);
    const { rows } = await pool.query('SELECT actor, act FROM audit WHERE account_id = $1', [
      stage.accountId,
    ]);
    expect(rows).toEqual([{ actor: 'retention', act: 'session.delete' }]);
    expect(await integrityFaults(pool, stage.accountId)).toEqual({});
  });

  test('of a project counts there, whatever the account says', async () => {
    for (const folder of ['short', 'long', 'plain']) {
      await session(`${folder} 5`, { daysAgo: 5, folder: `/w/${folder}` });
      await session(`${folder} 50`, { daysAgo: 50, folder: `/w/${folder}` });
    }
    await session('nowhere 50', { daysAgo: 50 });
    await keep(30);
    await keep(3, await projectId('short'));
    await keep('forever', await projectId('long'));
    expect(await run()).toMatchObject({ deleted: 4 });
    expect(await names()).toEqual(['long 5', 'long 50', 'plain 5']);
    expect(await projects()).toEqual(['long', 'plain', 'short']);
    await keeper.setRetention(stage.accountId, await projectId('short'), null, stage.clock.now());
    expect(await keeper.setRetention(stage.accountId, stage.id(), 3, stage.clock.now())).toBe(false);
  });

  test('that is new deletes nothing for an hour', async () => {
    await session('old', { daysAgo: 31 });
    await keeper.setRetention(stage.accountId, stage.accountId, 30, stage.clock.now());
    expect(await run()).toMatchObject({
      state: 'waiting',
      deleted: 0,
      due: 1,
      until: stage.clock.now() + HOUR,
    });
    expect(await names()).toEqual(['old']);
  });

  test('takes at most so many in one run, the oldest first', async () => {
    for (let n = 0; n < 104; n += 1) await session(`s${n}`, { daysAgo: 200 - n });
    await keep(30);
    expect(await run()).toEqual({ state: 'deleted', deleted: 100, due: 4, until: null });
    expect(await names()).toEqual(['s100', 's101', 's102', 's103']);
    expect(await run()).toMatchObject({ deleted: 4, due: 0 });
  });

  /** A pool on whose server it is so much later: the host's clock is wrong, so both clocks are. */
  function poolIn(ms: number): { readonly pool: pg.Pool; readonly clock: Clock } {
    const moved = new Proxy(pool, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name).bind(target);
        return (sql: string, values: unknown[]) =>
          target.query(
            sql.replace(
              'clock_timestamp()',
              `(clock_timestamp() + interval '${Math.round(ms)} milliseconds')`,
            ),
            values,
          );
      },
    });
    const clock: Clock = { now: () => (stage.clock.now() + ms) as Millis, monotonic: () => 0 };
    return { pool: moved, clock };
  }

  async function runIn(ms: number, isFirst = false) {
    const { pool: moved, clock } = poolIn(ms);
    return createArchiveHousekeeper(moved, { clock }).expire(stage.accountId, isFirst);
  }

  test('deletes nothing for a day where a clock says that years went by, and nothing at all once it is put right', async () => {
    for (let n = 0; n < 20; n += 1) await session(`s${n}`);
    await keep(30);
    expect(await runIn(0)).toMatchObject({ state: 'deleted', deleted: 0 });
    const years = 5 * 365 * DAY;
    expect(await runIn(years, true)).toMatchObject({ state: 'doubting', deleted: 0, due: 20 });
    for (let hour = 1; hour < 24; hour += 1)
      expect(await runIn(years + hour * HOUR)).toMatchObject({ state: 'doubting', deleted: 0 });
    expect(await runIn(DAY, true)).toMatchObject({ deleted: 0, due: 0 });
    expect(await runIn(2 * DAY + HOUR)).toMatchObject({ state: 'deleted', deleted: 0, due: 0 });
    expect(await names()).toHaveLength(20);
  });

  test('deletes nothing while the clocks of process and database disagree', async () => {
    await session('old', { daysAgo: 31 });
    await keep(30);
    const clock: Clock = { now: () => (stage.clock.now() + HOUR) as Millis, monotonic: () => 0 };
    const wrong = createArchiveHousekeeper(pool, { clock });
    expect(await wrong.expire(stage.accountId, true)).toMatchObject({ state: 'clocks_disagree' });
    expect(await names()).toEqual(['old']);
  });

  test('is the work of one of many processes at a time', async () => {
    for (let n = 0; n < 30; n += 1) await session(`s${n}`, { daysAgo: 60 });
    await keep(30);
    const second = openPool(database.settings, createLogger('silent', 'test'));
    const others = createArchiveHousekeeper(second, { clock: stage.clock });
    let meanwhile: RetentionReport | null | undefined;
    // Another process asks while this one is at its first statement.
    const busy = new Proxy(pool, {
      get(target, name) {
        if (name !== 'query') return Reflect.get(target, name).bind(target);
        return async (sql: string, values: unknown[]) => {
          if (meanwhile === undefined) meanwhile = await others.expire(stage.accountId, false);
          return target.query(sql, values);
        };
      },
    });
    try {
      const here = createArchiveHousekeeper(busy, { clock: stage.clock });
      expect(await here.expire(stage.accountId, false)).toMatchObject({ state: 'deleted', deleted: 30 });
      expect(meanwhile).toBeNull();
      expect(await others.expire(stage.accountId, false)).toMatchObject({ state: 'deleted', deleted: 0 });
    } finally {
      await second.end();
    }
  });

  test('leaves alone a session that is seen again before its turn comes', async () => {
    const id = await session('old', { daysAgo: 60 });
    await keep(30);
    const { rows } = await pool.query(
      'UPDATE session SET last_seen_at = $3 WHERE account_id = $1 AND id = $2 RETURNING id',
      [stage.accountId, id, new Date(stage.clock.now())],
    );
    expect(rows).toHaveLength(1);
    expect(await run()).toMatchObject({ deleted: 0, due: 0 });
    expect(await names()).toEqual(['old']);
  });
});

describe('a place that an agent named in passing', () => {
  test('goes after an hour in which nothing was archived there; one that is used or set stays', async () => {
    await session('s', { folder: '/w/used' });
    for (const folder of ['/w/passing', '/w/set'])
      await stage.writer.resolvePlace(stage.accountId, { ...NOWHERE, folder }, stage.clock.now());
    await keeper.setRetention(stage.accountId, await projectId('set'), 3, stage.clock.now());
    expect(await housekeeper.dropForgottenPlaces(stage.accountId)).toBe(0);
    stage.clock.advance(HOUR + 1);
    expect(await housekeeper.dropForgottenPlaces(stage.accountId)).toBeGreaterThan(0);
    expect(await projects()).toEqual(['set', 'used']);
  });
});

import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Scene, scene } from '../../archive/store/testing.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import type { RecallStore } from '../stored.ts';
import { createRecallStore } from './store.ts';
import { DEFAULT_SWITCHES, INHERITED, readSwitches, type SetSwitches, writeSwitches } from './switches.ts';
import { START, threadNamed } from './testing.ts';

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let store: RecallStore;
let accountId: Uuid;
let scenes = 0;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());
beforeEach(async () => {
  scenes += 1;
  stage = await scene(pool, `account ${scenes}`);
  accountId = stage.accountId;
  store = createRecallStore(pool, { accountKey: async () => stage.key });
});

const set = (scope: Uuid, fields: Partial<SetSwitches>) =>
  writeSwitches(pool, accountId, scope, { ...INHERITED, ...fields }, START);

/** A session in a project, by their ids. */
async function placed(name: string): Promise<{ readonly session: Uuid; readonly project: Uuid }> {
  const { session } = { session: (await stage.open(name)).sessionId };
  const place = await stage.writer.resolvePlace(
    accountId,
    { folder: `/w/${name}`, root: null, remoteUrl: null, branch: null, commit: null, isRepository: null },
    START,
  );
  if (place === null) throw new Error('no place');
  await pool.query('UPDATE session SET project_id = $3 WHERE account_id = $1 AND id = $2', [
    accountId,
    session,
    place.projectId,
  ]);
  return { session, project: place.projectId };
}

describe('switches', () => {
  test('of a project hold from the first request of a session in its folder, or below it', async () => {
    const { session, project } = await placed('harbour');
    await set(project, { trimming: false });
    await set(accountId, { recall: false });
    const at = (folder: string | null, name = 'a new session') =>
      store.switches(accountId, threadNamed(name), folder);
    for (const folder of ['/w/harbour', '/w/harbour/src'])
      expect(await at(folder)).toMatchObject({ recall: false, trimming: false });
    for (const folder of ['/w/harbour-two', '/w', '/w/harbo', null])
      expect(await at(folder)).toMatchObject({ recall: false, trimming: true });
    // Once the archive knows the session it tells.
    await pool.query('UPDATE session SET project_id = NULL WHERE account_id = $1 AND id = $2', [
      accountId,
      session,
    ]);
    expect(await at('/w/harbour', 'harbour')).toMatchObject({ trimming: true });
  });

  test('are as the documents say where nobody set anything', async () => {
    expect(await store.switches(accountId, threadNamed('s'))).toEqual({
      recall: true,
      tool: true,
      trimming: true,
      memory: true,
      paused: false,
      keepRecent: 'balanced',
      contextLimit: null,
      minGain: 20_000,
      timeZone: 'UTC',
    });
  });

  test('count from the nearest scope that says something, each for itself', async () => {
    const { session, project } = await placed('s');
    await set(accountId, { tool: false, keepRecent: 'lean', contextLimit: 90_000, timeZone: 'Asia/Tokyo' });
    await set(project, { keepRecent: 70_000, contextLimit: 'auto', trimming: false });
    await set(session, { paused: true, trimming: true });
    const common = { ...DEFAULT_SWITCHES, tool: false, timeZone: 'Asia/Tokyo' };
    expect(await store.switches(accountId, threadNamed('s', 'agent'))).toEqual({
      ...common,
      keepRecent: 70_000,
      contextLimit: null,
      paused: true,
    });
    expect(await store.switches(accountId, threadNamed('a new session'))).toEqual({
      ...common,
      keepRecent: 'lean',
      contextLimit: 90_000,
    });
    await set(project, {});
    expect(await store.switches(accountId, threadNamed('s'))).toMatchObject({
      keepRecent: 'lean',
      contextLimit: 90_000,
    });
  });

  test('say that Recall is off throughout only where the account has it off and nothing in it has it on', async () => {
    const { session, project } = await placed('throughout');
    const isOff = () => store.isOffThroughout(accountId);
    await set(accountId, { recall: null });
    expect(await isOff()).toBe(false);
    await set(project, { recall: false });
    expect(await isOff()).toBe(false);
    await set(accountId, { recall: false, tool: true });
    expect(await isOff()).toBe(true);
    await set(session, { recall: true });
    expect(await isOff()).toBe(false);
    await set(session, {});
    expect(await isOff()).toBe(true);
    await set(accountId, { recall: true });
    expect(await isOff()).toBe(false);
  });

  test('are read back as they were set, and counted as a change', async () => {
    const before = await store.version(accountId);
    const said: SetSwitches = { ...INHERITED, keepRecent: 10_000, minGain: 0, timeZone: 'Europe/Berlin' };
    expect(await set(accountId, said)).toBe(true);
    expect(await readSwitches(pool, accountId, accountId)).toEqual(said);
    expect(await store.version(accountId)).not.toBe(before);
  });

  test('of another account, and of what is not there, are not set', async () => {
    const { project } = await placed('s');
    const other = await scene(pool, `other ${scenes}`);
    for (const scope of [newId(stage.clock), other.accountId])
      expect(await set(scope, { tool: false })).toBe(false);
    expect(await writeSwitches(pool, other.accountId, project, INHERITED, START)).toBe(false);
  });

  test.each<[keyof SetSwitches, readonly unknown[], readonly unknown[]]>([
    [
      'keepRecent',
      ['lean', 'roomy', 10_000, 2_000_000],
      ['tiny', 'toString', 9_999, 2_000_001, 10_000.5, Number.NaN, true],
    ],
    ['contextLimit', ['auto', 10_000, 2_000_000], ['none', 9_999, 2_000_001, Number.POSITIVE_INFINITY, {}]],
    ['minGain', [0, 1_000_000], [-1, 1_000_001, 0.5, '1']],
    ['timeZone', ['UTC', 'America/Argentina/Buenos_Aires'], ['Mars/Olympus', '', 'UTC+1:00:00', 5]],
    ['recall', [true, false], [0, 'yes']],
    ['tool', [true, false], [1]],
    ['trimming', [true, false], ['']],
    ['paused', [true, false], [{}]],
  ])('take for %s what it can be and nothing else', async (name, right, wrong) => {
    for (const value of [...right, null]) expect(await set(accountId, { [name]: value })).toBe(true);
    await set(accountId, {});
    for (const value of wrong) {
      await expect(set(accountId, { [name]: value }), String(value)).rejects.toMatchObject({
        code: 'bad_request',
        message: expect.stringContaining(name),
      });
    }
    expect(await readSwitches(pool, accountId, accountId)).toEqual(INHERITED);
  });
});

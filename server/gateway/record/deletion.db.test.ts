import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { CanaryScene, of, STREAM } from './testing-deletion.ts';

let database: Database;
let scene: CanaryScene;
let accounts = 0;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.stop();
});
beforeEach(async () => {
  accounts += 1;
  scene = await CanaryScene.open(database, `account ${accounts}`);
});

describe('what is deleted leaves no trace', () => {
  test('of a session, wherever its words stood; what others hold stays, and goes with the last of them', async () => {
    const folder = `/w/${scene.canary.at('project folder')}`;
    await scene.fullSession('first', folder);
    // A fork sends the history of the first session under a name of its own.
    const shared = scene.messages('first').slice(0, 2);
    const more = [...shared, { role: 'user', content: `On: ${scene.canary.at('fork typed')}` }];
    const head = scene.preamble('fork', folder);
    await scene.play({
      headers: scene.headersOf('fork'),
      body: { ...head, messages: more },
      ...STREAM,
      answer: scene.answered('fork'),
    });
    await scene.fullSession('other', `/w/${scene.canary.at('other place')}`);
    expect(await scene.found()).toEqual(scene.kept(() => true));

    expect(
      await scene.reader.deleteSession(scene.accountId, await scene.sessionNamed('first'), scene.clock.now()),
    ).toBe(true);
    // A fork takes over the log up to what it shares: the answer that the agent echoed otherwise stands in it, too.
    const log = JSON.stringify([
      shared,
      scene.canary.at('first produced thinking'),
      scene.canary.at('first produced text'),
    ]);
    const isShared = (place: string) => log.includes(scene.canary.at(place)) || place === 'first signature';
    expect(scene.canary.places().filter(isShared).length).toBeGreaterThan(8);
    expect((await scene.found()).filter((place) => of('first')(place) && !isShared(place))).toEqual([]);
    expect((await scene.found()).filter((place) => !of('first')(place))).toEqual(
      scene.kept((place) => !of('first')(place)),
    );

    expect(
      await scene.reader.deleteSession(scene.accountId, await scene.sessionNamed('fork'), scene.clock.now()),
    ).toBe(true);
    expect(await scene.found()).toEqual(scene.kept((place) => of('other')(place)));
    expect(
      await scene.reader.deleteSession(scene.accountId, await scene.sessionNamed('other'), scene.clock.now()),
    ).toBe(true);
    expect(await scene.found()).toEqual([]);
    expect(await scene.rowsLeft()).toEqual({});
  });

  test('of a project: its sessions, its unplaced conversations, its names; other projects stay', async () => {
    const folder = `/w/${scene.canary.at('mine folder')}`;
    await scene.fullSession('mine', folder);
    await scene.fullSession('mine second', folder);
    await scene.fullSession('other', `/w/${scene.canary.at('other place')}`);
    const unnamed = scene.headersOf('mine unplaced').filter(([name]) => name !== 'x-claude-code-session-id');
    const talk = scene.messages('mine unplaced');
    for (const said of [talk.slice(0, 1), talk])
      await scene.play({
        headers: unnamed,
        body: { ...scene.preamble('mine unplaced', folder), messages: said },
        ...STREAM,
        answer: scene.answered('mine unplaced'),
      });
    const all = scene.kept((place) => place !== 'mine unplaced session name');
    expect(await scene.found()).toEqual(all);

    const projectId = await scene.projectOf(await scene.sessionNamed('mine'));
    expect(await scene.keeper.deleteProject(scene.accountId, projectId, scene.clock.now())).toBe(true);
    expect(await scene.found()).toEqual(scene.kept(of('other')));
    expect(await scene.keeper.deleteProject(scene.accountId, projectId, scene.clock.now())).toBe(false);
    const { rows } = await database.pool.query(
      `SELECT actor, act, subject, data FROM audit WHERE account_id = $1 AND act LIKE '%.delete' AND act <> 'session.delete'`,
      [scene.accountId],
    );
    expect(rows).toEqual([
      { actor: 'person', act: 'project.delete', subject: projectId, data: { sessions: 3 } },
    ]);
  });

  test('of everything, what belongs to no session with it', async () => {
    await scene.fullSession('a', `/w/${scene.canary.at('folder')}`);
    await scene.fullSession('b', `/v/${scene.canary.at('another folder')}`);
    await scene.play({
      target: `/v1/files/${scene.canary.at('other target')}`,
      headers: scene.headersOf('loose'),
      body: {},
      status: 500,
      answer: JSON.stringify({ error: { type: 'x', message: scene.canary.at('loose error') } }),
    });
    await scene.keeper.deleteArchive(scene.accountId, scene.clock.now());
    expect(await scene.found()).toEqual([]);
    expect(await scene.rowsLeft()).toEqual({});
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createArchiveKeeper, createArchiveReader, createTurnsToLearn } from '../archive/index.ts';
import type { Database } from '../db/index.ts';
import { testDatabase } from '../db/testing.ts';
import { drawnFacts } from '../memory/index.ts';
import { chainedTalk, type LearningScene, learningScene } from './testing.ts';

let database: Database;
let scene: LearningScene;
let accounts = 0;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.stop());
beforeEach(async () => {
  accounts += 1;
  scene = await learningScene(database.pool, `account ${accounts}`);
});

test('what a person types in one conversation is known in the next, and a change closes it', async () => {
  await chainedTalk(scene, 'first', 'We use pnpm. Production is deployed to Render.');
  await scene.learn();
  expect(await scene.known()).toEqual(['Production deployed_to Render', 'project uses pnpm']);
  await chainedTalk(scene, 'second', 'Production moved from Render to Fly.');
  await scene.learn();
  expect(await scene.known()).toEqual(['Production deployed_to Fly', 'project uses pnpm']);
  expect(await scene.counts()).toMatchObject({ turnsRead: 2, turnsSkipped: 0, turnsFailed: 0 });
});

test('a turn is learned from once, however often it is looked at', async () => {
  await chainedTalk(scene, 'first', 'We use pnpm.');
  await scene.learn();
  expect(await createTurnsToLearn(database.pool).next(scene.accountId, 10)).toEqual([]);
  await scene.learn();
  expect(await scene.counts()).toMatchObject({ turnsRead: 1, openFacts: 1 });
});

describe('nothing is learned from', () => {
  test('turns in which nobody typed: they are counted and not read', async () => {
    const talk = await chainedTalk(scene, 'first', 'list the files');
    await talk.results('We use pnpm.');
    await talk.reminder('<system-reminder>\nWe use yarn.\n</system-reminder>');
    await scene.learn();
    expect(await scene.known()).toEqual([]);
    expect(await scene.counts()).toMatchObject({ turnsRead: 1, turnsSkipped: 2 });
  });

  test("a sub-agent's task", async () => {
    const talk = await chainedTalk(scene, 'first', 'look around');
    await talk.subAgent('We use pnpm.');
    await scene.learn();
    expect(await scene.known()).toEqual([]);
  });

  test('a history that is sent again: what was typed before is not said now', async () => {
    await chainedTalk(scene, 'first', 'Production is deployed to Render.', 'Production is deployed to Fly.');
    await scene.learn();
    await scene.compacted('first', 'Production is deployed to Render.', 'go on');
    await scene.learn();
    expect(await scene.known()).toEqual(['Production deployed_to Fly']);
  });

  test('a conversation where memory is off', async () => {
    scene.switchOff();
    await chainedTalk(scene, 'first', 'We use pnpm.');
    await scene.learn();
    expect(await scene.known()).toEqual([]);
    expect(await scene.counts()).toMatchObject({ turnsRead: 0, turnsSkipped: 0 });
  });
});

describe('what an answer says by itself', () => {
  test('waits in the queue and is no fact', async () => {
    const talk = await chainedTalk(scene, 'first', 'where is it deployed?');
    await talk.goOn('Production is deployed to Render.', 'thanks');
    await scene.learn();
    expect(await scene.known()).toEqual([]);
    const [entry] = await scene.reader.review(scene.accountId, true, null, 10);
    expect(entry).toMatchObject({ kind: 'claim', claim: { subject: 'Production', value: 'Render' } });
    if (entry === undefined) throw new Error('no claim');
    await scene.writer.settle(scene.accountId, entry.id, 'accepted');
    expect(await scene.known()).toEqual(['Production deployed_to Render']);
    expect(await scene.reader.review(scene.accountId, true, null, 10)).toEqual([]);
  });

  test('is a fact once the person confirms it', async () => {
    const talk = await chainedTalk(scene, 'first', 'where is it deployed?');
    await talk.goOn('Production is deployed to Render. We use pnpm.', 'yes');
    await scene.learn();
    expect(await scene.known()).toEqual(['Production deployed_to Render', 'project uses pnpm']);
  });
});

describe('deletion', () => {
  test('of a session takes what was learned from it alone, and opens what that had closed', async () => {
    await chainedTalk(scene, 'first', 'Production is deployed to Render.');
    await scene.learn();
    await chainedTalk(scene, 'second', 'Production moved from Render to Fly.');
    await scene.learn();
    const reader = createArchiveReader(database.pool, { clock: scene.clock, drawn: drawnFacts(scene) });
    await reader.deleteSession(scene.accountId, await scene.sessionNamed('second'), scene.clock.now());
    expect(await scene.known()).toEqual(['Production deployed_to Render']);
  });

  test('fails where nothing takes the facts along, and leaves everything as it was', async () => {
    await chainedTalk(scene, 'first', 'We use pnpm.');
    await scene.learn();
    const reader = createArchiveReader(database.pool, { clock: scene.clock });
    const session = await scene.sessionNamed('first');
    await expect(reader.deleteSession(scene.accountId, session, scene.clock.now())).rejects.toThrow('facts');
    expect(await scene.known()).toEqual(['project uses pnpm']);
  });

  test('of the last session leaves a project that a person stated facts of; of the project takes them', async () => {
    await chainedTalk(scene, 'first', 'We use pnpm.');
    await scene.learn();
    await scene.state('Production', 'deployed_to', 'Render');
    const deleting = { clock: scene.clock, drawn: drawnFacts(scene) };
    const session = await scene.sessionNamed('first');
    await createArchiveReader(database.pool, deleting).deleteSession(
      scene.accountId,
      session,
      scene.clock.now(),
    );
    expect(await scene.known()).toEqual(['Production deployed_to Render']);
    const keeper = createArchiveKeeper(database.pool, deleting);
    await keeper.deleteProject(scene.accountId, scene.projectId, scene.clock.now());
    expect(await scene.known()).toEqual([]);
    expect(await scene.rows()).toEqual({});
  });
});

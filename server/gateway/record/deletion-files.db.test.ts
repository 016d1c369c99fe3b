import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { ownServerDatabase } from '../../db/testing.ts';
import { databaseFiles, everySample } from '../../db/testing-traces.ts';
import { CanaryScene, of } from './testing-deletion.ts';

let database: Database;

beforeAll(async () => {
  database = await ownServerDatabase();
});
afterAll(async () => {
  await database.stop();
});

test('what is deleted is not in the samples of the planner and the files of tables, indexes and log either, once it was cleaned', async () => {
  const scene = await CanaryScene.open(database, 'files');
  const folder = `/w/${scene.canary.at('cleaned folder')}`;
  await scene.fullSession('gone', folder);
  await scene.fullSession('stays', `/w/${scene.canary.at('stays folder')}`);
  await database.pool.query('ANALYZE');
  // A checkpoint removes what it makes needless of the log, and brings the tables into their files.
  const { log } = await databaseFiles(database.pool);
  await database.pool.query('CHECKPOINT');
  const { tables } = await databaseFiles(database.pool);
  const sampled = scene.canary.foundIn(await everySample(database.pool));
  const gone = scene.kept((place) => of('gone')(place) || place === 'cleaned folder');
  // What is compressed cannot be seen in the files; nearly everything can.
  for (const files of [tables, log])
    expect(scene.canary.foundIn(files).filter((place) => gone.includes(place)).length).toBeGreaterThan(
      gone.length / 2,
    );

  await scene.keeper.deleteProject(
    scene.accountId,
    await scene.projectOf(await scene.sessionNamed('gone')),
    scene.clock.now(),
  );
  const cleaned = await scene.housekeeper.clean({ thorough: true });
  expect(cleaned?.rewritten).toEqual(expect.arrayContaining(['item', 'event', 'message', 'session']));
  const after = await databaseFiles(database.pool);
  const isGone = (place: string) => gone.includes(place);
  expect(sampled.filter(isGone).length).toBeGreaterThan(0);
  expect(scene.canary.foundIn(await everySample(database.pool)).filter(isGone)).toEqual([]);
  expect(scene.canary.foundIn(after.tables).filter(isGone)).toEqual([]);
  expect(scene.canary.foundIn(after.log).filter(isGone)).toEqual([]);
  expect(scene.canary.foundIn(after.tables).filter(of('stays')).length).toBeGreaterThan(10);
}, 240_000);

test('a table that somebody uses for a moment is cleaned as well', async () => {
  const scene = await CanaryScene.open(database, 'in use');
  await scene.fullSession('gone', '/w/in-use');
  await database.pool.query('ANALYZE');
  await scene.reader.deleteSession(scene.accountId, await scene.sessionNamed('gone'), scene.clock.now());
  expect(scene.canary.foundIn(await everySample(database.pool))).not.toEqual([]);
  const user = await database.pool.connect();
  await user.query('BEGIN; LOCK TABLE session IN SHARE UPDATE EXCLUSIVE MODE');
  const cleaning = scene.housekeeper.clean({ thorough: false });
  const waits = async () =>
    (await database.pool.query(`SELECT 1 FROM pg_locks WHERE relation = 'session'::regclass AND NOT granted`))
      .rows.length;
  await expect.poll(waits, { timeout: 30_000, interval: 10 }).toBe(1);
  await user.query('COMMIT');
  user.release();
  await cleaning;
  expect(scene.canary.foundIn(await everySample(database.pool))).toEqual([]);
});

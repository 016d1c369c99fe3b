import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { createArchiveReader } from './reader.ts';
import { item, scene } from './testing.ts';

let database: Database;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.stop());

test('an answer that found nothing says if what was archived last is not indexed yet', async () => {
  const stage = await scene(database.pool, 'waiting');
  const reader = createArchiveReader(database.pool, { clock: stage.clock });
  const ask = () => reader.search(stage.accountId, { q: 'needle', limit: 20 });
  expect(await ask()).toMatchObject({ items: [], notes: [] });

  const thread = await stage.open('s');
  await stage.writer.append(stage.batch(thread, stage.chain(stage.root, ['user', item({ text: 'needle' })])));
  const early = await ask();
  expect(early.items).toEqual([]);
  expect(early.notes.join()).toContain('still being indexed');

  while ((await stage.writer.index(stage.accountId)).more);
  const late = await ask();
  expect(late.items).toHaveLength(1);
  expect(late.notes).toEqual([]);
});

test('where very much waits, an answer with hits says so as well', async () => {
  const stage = await scene(database.pool, 'much waits');
  const reader = createArchiveReader(database.pool, { clock: stage.clock });
  const thread = await stage.open('s');
  const first = stage.chain(stage.root, ['user', item({ text: 'needle' })]);
  await stage.writer.append(stage.batch(thread, first));
  while ((await stage.writer.index(stage.accountId)).more);
  const many = Array.from({ length: 600 }, (_, n) => ['user', item({ text: `text ${n}` })] as const);
  await stage.writer.append(stage.batch(await stage.open('other'), stage.chain(stage.root, ...many)));
  const { items, notes } = await reader.search(stage.accountId, { q: 'needle', limit: 20 });
  expect(items).toHaveLength(1);
  expect(notes.join()).toContain('still being indexed');
});

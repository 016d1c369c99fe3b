import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createArchiveKeeper, createArchiveReader } from '../../archive/index.ts';
import { item, type Scene, scene } from '../../archive/store/testing.ts';
import { docIdOf } from '../../conversation/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { createRecallStore } from '../store/store.ts';
import { beginning, content, generation, hashNamed, hidden, threadNamed } from '../store/testing.ts';
import type { RecallStore } from '../stored.ts';
import { Mirror } from './mirror.ts';
import { syncMirror, withMirror } from './with-mirror.ts';

let database: Database;
let stage: Scene;
let folder: string;
let mirror: Mirror;
let plain: RecallStore;
let store: RecallStore;

beforeAll(async () => {
  database = await testDatabase();
  stage = await scene(database.pool);
  folder = await mkdtemp(join(tmpdir(), 'mirror-'));
  mirror = await Mirror.open(join(folder, 'recall.jsonl'), {
    onFault: (cause) => {
      throw cause;
    },
  });
  plain = createRecallStore(database.pool, { accountKey: async () => stage.key });
  store = withMirror(plain, mirror);
});
afterAll(async () => {
  await mirror.close();
  await rm(folder, { recursive: true, force: true });
  await database.stop();
});

/** Everything in the mirror's folder, as one text. */
async function files(): Promise<string> {
  await mirror.settled();
  const names = await readdir(folder);
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('');
}

/** A session with a word in everything that the mirror has of it. */
async function fill(word: string) {
  const { accountId } = stage;
  const thread = await stage.open(word);
  const [message] = stage.chain(stage.root, ['user', item({ text: word })]);
  if (message === undefined) throw new Error('no message');
  await stage.writer.append(stage.batch(thread, [message]));
  const name = threadNamed(word);
  // All sessions begin with the same words, so that the messages of their beginnings are the same.
  const choices = { tool: 1, trimming: 1, memory: `memory of ${word}` };
  await store.keepBeginning(accountId, beginning({ thread: name, choices }), stage.clock.now());
  const layout = content({ boundaryMessage: message.hash, index: [`index of ${word}`] });
  await store.keepGeneration(accountId, generation({ thread: name, madeAt: hashNamed(word), layout }));
  await store.keepHidden(accountId, hidden({ thread: name, anchors: ['same'], data: `data of ${word}` }));
  return { sessionId: thread.sessionId, docid: docIdOf(stage.key, message.hash, 0) };
}

const about = (word: string) => [`memory of ${word}`, `index of ${word}`, `data of ${word}`];

test('what was deleted leaves the mirror’s files, and what was not stays, also what is kept meanwhile', async () => {
  const { accountId } = stage;
  const gone = await fill('gone');
  await fill('stays');
  await store.keepHidden(
    accountId,
    hidden({ thread: threadNamed('stays'), documents: [gone.docid], data: 'shows a word of gone' }),
  );
  await syncMirror(plain, mirror);
  for (const words of [...about('gone'), ...about('stays'), 'shows a word of gone'])
    expect(await files()).toContain(words);

  const reader = createArchiveReader(database.pool, { clock: stage.clock });
  await reader.deleteSession(accountId, gone.sessionId, stage.clock.now());
  await Promise.all([syncMirror(plain, mirror), fill('meanwhile')]);
  for (const words of [...about('gone'), 'shows a word of gone']) expect(await files()).not.toContain(words);
  for (const words of [...about('stays'), ...about('meanwhile')]) expect(await files()).toContain(words);

  await createArchiveKeeper(database.pool, { clock: stage.clock }).deleteArchive(
    accountId,
    stage.clock.now(),
  );
  await syncMirror(plain, mirror);
  expect(await files()).toBe('');
});

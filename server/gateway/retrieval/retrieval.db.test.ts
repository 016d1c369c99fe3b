import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createArchiveReader, createAskingReader, type MaskedItem } from '../../archive/index.ts';
import { call, item, result, type Scene, scene } from '../../archive/store/testing.ts';
import { docIdOf, rootHash } from '../../conversation/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { estimateText } from '../estimate/index.ts';
import { systemTimers } from '../keep-alive.ts';
import { createRetrieval } from './retrieval.ts';
import type { Retrieval } from './types.ts';

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let retrieval: Retrieval;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
  stage = await scene(pool, 'retrieval');
  retrieval = createRetrieval({
    archive: { ...createArchiveReader(pool, { clock: stage.clock }), ...createAskingReader(pool) },
    storedName: async ({ thread }) => thread.session,
    clock: stage.clock,
    timers: systemTimers,
    estimate: estimateText,
  });
});
afterAll(() => database.stop());

/** Something is said in a folder; the documents of it. */
async function say(session: string, folder: string | null, ...said: readonly MaskedItem[][]) {
  const { writer, accountId, key, clock } = stage;
  const stated = { folder, root: null, remoteUrl: null, branch: null, commit: null, isRepository: null };
  const place = folder === null ? null : await writer.resolvePlace(accountId, stated, clock.now());
  const thread = await writer.openThread(
    accountId,
    {
      agent: 'claude-code',
      agentVersion: null,
      clientSessionId: session,
      clientThreadId: null,
      parentThreadId: null,
      kind: 'main',
      place: stated,
      uncertain: null,
    },
    place,
    clock.now(),
  );
  const turns = said.map((items, index) => [index % 2 === 0 ? 'user' : 'assistant', ...items] as const);
  const messages = stage.chain(rootHash(key, place?.projectId ?? null), ...turns);
  await writer.append(stage.batch(thread, messages));
  while ((await writer.index(accountId)).more);
  return messages.map(({ hash }) => docIdOf(key, hash, 0));
}

const ask = (session: string, input: object, tokens = 5_000) =>
  retrieval.answer(
    { id: 'call', input: JSON.stringify(input) },
    {
      accountId: stage.accountId,
      thread: { agent: 'claude-code', session, thread: '' },
      timeZone: 'UTC',
    },
    tokens,
  );
const text = (words: string) => [item({ text: words })];

test('words of another project reach no model, by search, by id, or by the beginning of one', async () => {
  const [mine] = await say('mine', '/w/one', text('The refund window is 14 days, for the walrus shop.'));
  const [same] = await say('same', '/w/one', text('Earlier the refund window was 30 days for walrus.'));
  const [other] = await say('other', '/w/two', text('The refund window of the walrus rival is SECRET.'));
  const found = await ask('mine', { q: 'refund walrus' });
  expect(found.documents.toSorted()).toEqual([mine, same].toSorted());
  expect(found.text).toContain('14 days');
  expect(found.text).toContain('in "Earlier the refund');
  expect(found.text).not.toContain('SECRET');
  for (const docid of [other, other?.slice(0, -4)]) {
    const { text: answer, documents } = await ask('mine', { docid });
    expect(answer).toContain('Nothing is kept under');
    expect([answer.includes('SECRET'), documents]).toEqual([false, []]);
  }
  expect((await ask('other', { docid: other })).text).toContain('SECRET');
  expect((await ask('mine', { docid: same })).text).toContain('30 days');
});

test('a conversation without a project is shown itself alone, and one that is not stored nothing', async () => {
  await say('alone', null, text('A quokka was here.'));
  const [elsewhere] = await say('alone too', null, text('A second quokka was there.'));
  const { text: found } = await ask('alone', { q: 'quokka' });
  expect(found).toContain('A quokka was here.');
  expect(found).not.toContain('second');
  expect((await ask('alone', { docid: elsewhere })).documents).toEqual([]);
  expect((await ask('nobody', { q: 'quokka' })).text).toContain('Nothing of this conversation is kept');
});

test('a long result is read on to its end, word for word', async () => {
  const long = Array.from({ length: 3_000 }, (_, line) => `line ${line} 🐋 of the log`).join('\n');
  const [, asked] = await say('long', '/w/one', text('go'), [call('c9')], [result('c9', long)]);
  let read = '';
  let offset = 0;
  for (let rounds = 0; rounds < 40; rounds += 1) {
    const { text: part, documents } = await ask('long', { docid: asked, offset }, 8_000);
    expect(documents).toEqual([asked]);
    const more = /\n\[characters \d+ to (\d+) of \d+; read on with [^\n]*\]$/.exec(part);
    read += part.slice(part.indexOf('\n\n') + 2, more?.index);
    if (more === null) break;
    offset = Number(more[1]);
  }
  expect(read).toBe(long);
});

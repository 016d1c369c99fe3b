import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DocId, docIdOf, rootHash } from '../../conversation/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { MaskedItem } from '../types.ts';
import { type AskingPlace, type AskingReader, createAskingReader } from './asking.ts';
import { call, item, result, type Scene, scene } from './testing.ts';

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let asking: AskingReader;
let accounts = 0;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
  asking = createAskingReader(pool);
});
afterAll(() => database.stop());
beforeEach(async () => {
  accounts += 1;
  stage = await scene(pool, `asking ${accounts}`);
});

/** A conversation in a folder (null: none is known) with what was said in it, and the documents of that. */
async function conversation(session: string, folder: string | null, ...said: readonly MaskedItem[][]) {
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
  if (thread === null) throw new Error('no thread was opened');
  const turns = said.map((items, index) => [index % 2 === 0 ? 'user' : 'assistant', ...items] as const);
  const messages = stage.chain(rootHash(key, place?.projectId ?? null), ...turns);
  await writer.append(stage.batch(thread, messages));
  const found = await asking.findSession(accountId, 'claude-code', session);
  if (found === null) throw new Error('the session is not found');
  expect(found).toEqual({ sessionId: thread.sessionId, projectId: place?.projectId ?? null });
  return { place: found, docids: messages.map(({ hash }) => docIdOf(key, hash, 0)) };
}

const text = (words: string) => [item({ text: words })];
const shown = async (place: AskingPlace, docids: readonly DocId[]) =>
  (await asking.documentsIn(stage.accountId, place, docids)).toSorted();

describe('a conversation that asks', () => {
  test('is found by agent and name in its account alone', async () => {
    await conversation('one', '/w/one', text('hello'));
    const other = await scene(pool, `other of ${accounts}`);
    expect(await asking.findSession(stage.accountId, 'codex', 'one')).toBeNull();
    expect(await asking.findSession(stage.accountId, 'claude-code', 'two')).toBeNull();
    expect(await asking.findSession(other.accountId, 'claude-code', 'one')).toBeNull();
  });

  test('is shown what its project holds, and nothing of another, of none, or of another account', async () => {
    const mine = await conversation('mine', '/w/one', text('mine'));
    const same = await conversation('same', '/w/one', text('the same project'));
    const other = await conversation('other', '/w/two', text('another project'));
    const none = await conversation('none', null, text('no project'));
    const all = [mine, same, other, none].flatMap((one) => one.docids);
    expect(await shown(mine.place, all)).toEqual([...mine.docids, ...same.docids].toSorted());
    expect(await shown(other.place, all)).toEqual(other.docids);
    expect(
      await asking.documentsIn((await scene(pool, `far ${accounts}`)).accountId, mine.place, all),
    ).toEqual([]);
  });

  test('without a project is shown itself alone', async () => {
    const mine = await conversation('mine', null, text('mine'));
    const other = await conversation('other', null, text('not mine'));
    const project = await conversation('project', '/w/one', text('a project'));
    const all = [mine, other, project].flatMap((one) => one.docids);
    expect(await shown(mine.place, all)).toEqual(mine.docids);
  });

  test('is shown a call by its result, wherever the call itself stands too', async () => {
    const said = [text('go'), [call('c1')], [result('c1', 'in one')]];
    const mine = await conversation('mine', '/w/one', ...said);
    expect(await shown(mine.place, mine.docids)).toEqual(mine.docids.toSorted());
    const messages = stage.chain(
      rootHash(stage.key, mine.place.projectId),
      ['user', ...text('go')],
      ['assistant', call('c1')],
      ['user', result('c1', 'in another place')],
    );
    stage.clock.advance(1_000);
    // The newest result of the same call, in a session of another project.
    const other = await conversation('other', '/w/two', text('begins'));
    const thread = await stage.open('other');
    await stage.writer.append(stage.batch(thread, messages));
    const [, asked = mine.docids[0], theirs] = messages.map(({ hash }) => docIdOf(stage.key, hash, 0));
    expect(
      await shown(
        mine.place,
        [asked, theirs].filter((docid) => docid !== undefined),
      ),
    ).toEqual([]);
    expect(
      await shown(
        other.place,
        [asked].filter((docid) => docid !== undefined),
      ),
    ).toEqual([asked]);
  });
});

import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DocId, docIdOf } from '../../conversation/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import {
  createRecallStore,
  INHERITED,
  type RecallStore,
  readSwitches,
  writeSwitches,
} from '../../recall/index.ts';
import {
  beginning,
  content,
  generation,
  hashNamed,
  hidden,
  threadNamed,
} from '../../recall/store/testing.ts';
import type { ArchiveReader, NewMessage, ThreadState } from '../types.ts';
import { createArchiveHousekeeper, createArchiveKeeper } from './keeper.ts';
import { createArchiveReader } from './reader.ts';
import { call, item, result, type Scene, scene } from './testing.ts';

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let reader: ArchiveReader;
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
  reader = createArchiveReader(pool, { clock: stage.clock });
  store = createRecallStore(pool, { accountKey: async () => stage.key });
});

const CANARY = 'canary-5d1e';
const TABLES = ['beginning', 'layout', 'splice', 'splice_anchor', 'splice_document', 'setting', 'request'];

/** The tables of the account with rows that hold the words, and how many. */
async function rowsWith(words: string): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {};
  for (const table of TABLES) {
    const { rows } = await pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${table} t WHERE account_id = $1 AND strpos(t::text, $2) > 0`,
      [accountId, words],
    );
    if (rows[0]?.n) found[table] = rows[0].n;
  }
  return found;
}

async function rowsLeft(): Promise<number> {
  let left = 0;
  for (const table of TABLES) {
    const { rows } = await pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${table} WHERE account_id = $1`,
      [accountId],
    );
    left += rows[0]?.n ?? 0;
  }
  return left;
}

const docidOf = (message: NewMessage | undefined, position = 0): DocId => {
  if (message === undefined) throw new Error('no such message');
  return docIdOf(stage.key, message.hash, position);
};

interface Filled {
  readonly thread: ThreadState;
  readonly name: string;
  readonly messages: readonly NewMessage[];
  /** Id of the request whose answer the second message is. */
  readonly request: Uuid;
}

/** A session with the canary in everything that Recall keeps of one: two turns, the first with an answer. */
async function fill(word: string, startsWith = word): Promise<Filled> {
  const name = `${word} ${CANARY}`;
  const thread = await stage.open(name);
  const messages = stage.chain(
    stage.root,
    ['user', item({ text: `typed ${startsWith}` })],
    ['assistant', item({ kind: 'answer', text: `answer ${word}` }), call('a', word)],
    ['user', result('a', `output ${word}`)],
    ['assistant', item({ kind: 'answer', text: `more ${word}` })],
  );
  const request = stage.request(thread, {
    view: {
      layout: null,
      made: null,
      because: CANARY,
      unedited: null,
      runs: [],
      sentBytes: 1,
      tokens: { client: 1, sent: 1, limit: null },
    },
  });
  await stage.writer.saveRequest(request);
  await stage.writer.append(stage.batch(thread, messages));
  const [, answer] = messages;
  if (answer === undefined) throw new Error('no answer');
  await stage.writer.saveAnswer({
    id: request.id,
    accountId,
    requestId: request.id,
    providerId: null,
    state: 'complete',
    messages: [answer.hash],
  });
  await keepRecall(name, word, messages, request.id);
  await writeSwitches(
    pool,
    accountId,
    thread.sessionId,
    { ...INHERITED, timeZone: 'Europe/Berlin' },
    stage.clock.now(),
  );
  return { thread, name, messages, request: request.id };
}

async function keepRecall(
  name: string,
  word: string,
  messages: readonly NewMessage[],
  request: Uuid,
): Promise<void> {
  const [first, second, , last] = messages;
  if (first === undefined || second === undefined || last === undefined) throw new Error('no messages');
  const choices = { tool: 1, trimming: 1, memory: CANARY };
  await store.keepBeginning(
    accountId,
    beginning({ thread: threadNamed(name), began: hashNamed(`${word} began`), choices }),
    stage.clock.now(),
  );
  await store.keepGeneration(
    accountId,
    generation({
      madeAt: hashNamed(`${word} early`),
      thread: threadNamed(name),
      layout: content({
        boundaryMessage: second.hash,
        index: [CANARY, { docid: docidOf(first), start: 0, end: 2 }],
      }),
    }),
  );
  await store.keepGeneration(
    accountId,
    generation({
      madeAt: hashNamed(`${word} late`),
      thread: threadNamed(name, 'agent'),
      layout: content({ boundaryMessage: last.hash, index: [CANARY], memory: CANARY }),
    }),
  );
  await store.keepHidden(
    accountId,
    hidden({ request, thread: threadNamed(name), anchors: [`${word} first answer`], data: CANARY }),
  );
  await store.keepHidden(
    accountId,
    hidden({
      thread: threadNamed(name, CANARY),
      anchors: [`${word} other answer`],
      data: { sent: [CANARY] },
    }),
  );
}

describe('a session that a person deletes', () => {
  test('takes along how it began, its layouts, hidden rounds, settings and views', async () => {
    const gone = await fill('gone');
    await fill('stays');
    const before = await rowsWith(CANARY);
    expect(Object.keys(before).sort()).toEqual(['beginning', 'layout', 'request', 'splice']);
    expect(await rowsWith('Berlin')).toEqual({ setting: 2 });
    const version = await store.version(accountId);
    await reader.deleteSession(accountId, gone.thread.sessionId, stage.clock.now());
    expect(await rowsWith('gone')).toEqual({});
    const halves = Object.fromEntries(Object.entries(before).map(([table, n]) => [table, n / 2]));
    expect(await rowsWith(CANARY)).toEqual(halves);
    expect(await rowsWith('Berlin')).toEqual({ setting: 1 });
    expect(await store.version(accountId)).not.toBe(version);
    expect(await readSwitches(pool, accountId, gone.thread.sessionId)).toEqual(INHERITED);
  });

  test('leaves to a fork what stands in the fork’s history, and nothing else; the fork takes it along', async () => {
    const origin = await fill('origin');
    const [first, second] = origin.messages;
    if (first === undefined || second === undefined) throw new Error('no messages');
    const fork = await stage.open('fork');
    const on = stage.chain(second.hash, ['user', item({ text: 'another way' })]);
    await stage.writer.append(stage.batch(fork, on));
    await reader.deleteSession(accountId, origin.thread.sessionId, stage.clock.now());

    const marks = [hashNamed('origin early'), hashNamed('origin late'), hashNamed('origin began')];
    const [kept, ...others] = await store.generations(accountId, marks);
    expect(others).toEqual([]);
    expect(kept).toMatchObject({ madeAt: marks[0], thread: threadNamed('fork') });
    const anchors = ['origin first answer', 'origin other answer'];
    expect(await store.hidden(accountId, anchors)).toMatchObject([
      { request: origin.request, data: CANARY, thread: threadNamed('fork') },
    ]);
    expect(await store.beginnings(accountId, threadNamed('new fork'), marks)).toMatchObject([
      { choices: { memory: CANARY } },
    ]);
    expect(await store.beginnings(accountId, threadNamed('fork'), [])).toEqual([]);
    expect(await rowsWith(origin.name)).toEqual({});

    await reader.deleteSession(accountId, fork.sessionId, stage.clock.now());
    expect(await rowsLeft()).toBe(0);
  });

  test('leaves nothing to a session that only began with the same words', async () => {
    const gone = await fill('gone', 'hello');
    await fill('stays', 'hello');
    await reader.deleteSession(accountId, gone.thread.sessionId, stage.clock.now());
    const marks = [hashNamed('gone early'), hashNamed('gone late')];
    expect(await store.generations(accountId, marks)).toEqual([]);
    expect(await store.hidden(accountId, ['gone first answer', 'gone other answer'])).toEqual([]);
  });
});

describe('hidden rounds of another session', () => {
  test('lose what they show of a document that goes: a text, and a call with its result', async () => {
    const gone = await fill('gone');
    const stays = await fill('stays');
    const shows = async (word: string, docid: DocId) => {
      const record = hidden({
        thread: threadNamed('reader'),
        anchors: [word],
        documents: [docid],
        data: CANARY,
      });
      await store.keepHidden(accountId, record);
      return record;
    };
    const text = await shows('text', docidOf(gone.messages[3]));
    const tool = await shows('tool', docidOf(gone.messages[1], 1));
    const out = await shows('out', docidOf(gone.messages[2]));
    const other = await shows('other', docidOf(stays.messages[2]));
    const anchors = ['text', 'tool', 'out', 'other'];
    expect((await store.hidden(accountId, anchors)).map((record) => record.data)).toEqual(
      anchors.map(() => CANARY),
    );
    await reader.deleteSession(accountId, gone.thread.sessionId, stage.clock.now());
    const left = await store.hidden(accountId, anchors);
    expect(new Map(left.map((record) => [record.id, record.data]))).toEqual(
      new Map([
        [text.id, null],
        [tool.id, null],
        [out.id, null],
        [other.id, CANARY],
      ]),
    );
    expect(left.flatMap((record) => record.documents)).toEqual(other.documents);
  });

  test('lose a result that goes although its call stays', async () => {
    const gone = await fill('gone');
    const [, second] = gone.messages;
    if (second === undefined) throw new Error('no message');
    const fork = await stage.open('fork');
    await stage.writer.append(stage.batch(fork, stage.chain(second.hash, ['user', result('a', 'refused')])));
    const record = hidden({
      thread: threadNamed('fork'),
      documents: [docidOf(second, 1)],
      anchors: ['shows'],
    });
    await store.keepHidden(accountId, record);
    await reader.deleteSession(accountId, gone.thread.sessionId, stage.clock.now());
    expect(await store.hidden(accountId, ['shows'])).toMatchObject([{ id: record.id, data: null }]);
  });

  test('that are kept while a document goes do not outlive it', async () => {
    const gone = await fill('gone');
    const docid = docidOf(gone.messages[0]);
    const records = Array.from({ length: 40 }, () =>
      hidden({ thread: threadNamed('r'), documents: [docid], anchors: ['r'] }),
    );
    await Promise.all([
      ...records.map((record) => store.keepHidden(accountId, record)),
      reader.deleteSession(accountId, gone.thread.sessionId, stage.clock.now()),
    ]);
    const left = await store.hidden(accountId, ['r']);
    expect(left).toHaveLength(records.length);
    for (const record of left) expect(record).toMatchObject({ data: null, documents: [] });
  });
});

describe('what goes whole', () => {
  test('a whole archive takes all of it but what a person set for the account', async () => {
    await fill('one');
    await store.keepBeginning(
      accountId,
      beginning({ thread: threadNamed('never archived') }),
      stage.clock.now(),
    );
    await store.keepHidden(accountId, hidden({ thread: threadNamed('never archived') }));
    await store.keepGeneration(accountId, generation({ thread: threadNamed('never archived') }));
    await writeSwitches(pool, accountId, accountId, { ...INHERITED, tool: false }, stage.clock.now());
    const version = await store.version(accountId);
    await createArchiveKeeper(pool, stage).deleteArchive(accountId, stage.clock.now());
    expect(await rowsLeft()).toBe(1);
    expect(await readSwitches(pool, accountId, accountId)).toEqual({ ...INHERITED, tool: false });
    expect(await store.version(accountId)).not.toBe(version);
  });

  test('a project takes what was set for it', async () => {
    const place = await stage.writer.resolvePlace(
      accountId,
      { folder: '/w/app', root: null, remoteUrl: null, branch: null, commit: null, isRepository: null },
      stage.clock.now(),
    );
    if (place === null) throw new Error('no place');
    const { projectId } = place;
    expect(
      await writeSwitches(pool, accountId, projectId, { ...INHERITED, recall: false }, stage.clock.now()),
    ).toBe(true);
    await createArchiveKeeper(pool, stage).deleteProject(accountId, projectId, stage.clock.now());
    expect(await rowsLeft()).toBe(0);
    expect(await writeSwitches(pool, accountId, projectId, INHERITED, stage.clock.now())).toBe(false);
  });

  test('the time that a person set takes it with its sessions, and what was never archived by its own age', async () => {
    const old = await fill('old');
    await store.keepBeginning(
      accountId,
      beginning({ thread: threadNamed('never archived') }),
      stage.clock.now(),
    );
    const keeper = createArchiveKeeper(pool, stage);
    const day = 86_400_000;
    await keeper.setRetention(accountId, accountId, 10, stage.clock.now());
    const now = Date.now();
    const at = (days: number) => new Date(now - days * day);
    await pool.query('UPDATE session SET last_seen_at = $2 WHERE account_id = $1', [accountId, at(20)]);
    await pool.query('UPDATE setting SET set_at = $2 WHERE account_id = $1', [accountId, at(20)]);
    await pool.query('UPDATE beginning SET at = $2 WHERE account_id = $1', [accountId, at(20)]);
    await store.keepBeginning(accountId, beginning({ thread: threadNamed('young') }), now as Millis);
    const clock = { now: () => now as Millis, monotonic: () => 0 };
    const report = await createArchiveHousekeeper(pool, { clock }).expire(accountId, true);
    expect(report).toMatchObject({ state: 'deleted', deleted: 1 });
    expect(await rowsWith(old.name)).toEqual({});
    expect(await rowsWith('never archived')).toEqual({});
    expect(await rowsWith('young')).toEqual({ beginning: 1 });
  });
});

import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, item, result, type Scene, scene } from '../archive/store/testing.ts';
import { docIdOf, hexOf, type MessageHash } from '../conversation/index.ts';
import type { Database } from '../db/index.ts';
import { testDatabase } from '../db/testing.ts';
import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import { createRecallReader } from './read.ts';
import type { RecallReader } from './read-types.ts';
import { CHAIN } from './read-views.ts';
import { createRecallStore } from './store/store.ts';
import { content, generation, hashNamed, hidden, START, threadNamed } from './store/testing.ts';
import type { RecallStore } from './stored.ts';

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let store: RecallStore;
let reader: RecallReader;
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
  reader = createRecallReader(pool);
});

/** Archives a conversation of four messages, the first typed text with a mask; and its newest request. */
async function archived(view: object | null = null) {
  const thread = await stage.open('s');
  const messages = stage.chain(
    stage.root,
    ['user', item({ text: 'my key is [masked:1]', masked: true, originalSize: 40 })],
    ['assistant', call('c1'), call('c2')],
    ['user', result('c1', 'one'), result('c2', 'two')],
    ['assistant', item({ kind: 'answer', text: 'done' })],
  );
  await stage.writer.append(stage.batch(thread, messages));
  const [first, , third, last] = messages.map(({ hash }) => hash) as MessageHash[];
  if (first === undefined || third === undefined || last === undefined) throw new Error('no message');
  const request = stage.request(thread, { lastMessage: last, view: view as never });
  await stage.writer.saveRequest(request);
  return { sessionId: thread.sessionId, requestId: request.id, messages, first, third, last };
}

describe('the layouts of a session', () => {
  test('are its own, newest first, each with where it cuts', async () => {
    const { sessionId, third } = await archived();
    const at = (minute: number) => (START + minute * 60_000) as Millis;
    const cut = content({ boundaryMessage: third });
    for (const made of [
      generation({ madeAt: hashNamed('one'), at: at(1), layout: cut }),
      generation({ madeAt: hashNamed('two'), at: at(2), reason: 'fallback', layout: null }),
      generation({ madeAt: hashNamed('sub'), at: at(3), thread: threadNamed('s', 'agent') }),
      generation({ madeAt: hashNamed('else'), thread: threadNamed('another') }),
    ])
      await store.keepGeneration(accountId, made);
    const found = await reader.layouts(accountId, sessionId);
    expect(found.map(({ message }) => message)).toEqual(
      ['sub', 'two', 'one'].map((word) => hexOf(hashNamed(word))),
    );
    expect(found.map(({ thread }) => thread)).toEqual(['agent', 'main', 'main']);
    expect(found[2]?.content).toMatchObject({ boundary: hexOf(third), boundarySeq: 4, indexTokens: 7 });
    expect(found[1]?.content).toBeNull();
    expect(found[0]?.content?.boundarySeq).toBeNull();
    const other = await scene(pool, `account ${scenes} other`);
    expect(await reader.layouts(other.accountId, sessionId)).toEqual([]);
  });

  test('show their index with the typed words as the archive has them, and say how many are masked', async () => {
    const { sessionId, first, third } = await archived();
    const typed = docIdOf(stage.key, first, 0);
    const index = ['[older]\nuser: ', { docid: typed, start: 0, end: 40 }, '\n[closing]'];
    const made = generation({ layout: content({ boundaryMessage: third, index }) });
    await store.keepGeneration(accountId, made);
    const name = hexOf(made.madeAt);
    expect(await reader.layout(accountId, sessionId, name)).toMatchObject({
      index: '[older]\nuser: my key is [masked:1]\n[closing]',
      masked: 1,
      memory: 'a block',
      left: 2,
      content: { boundarySeq: 4 },
    });
    expect(await reader.layout(accountId, sessionId, hexOf(hashNamed('none')))).toBeNull();
    const other = await scene(pool, `account ${scenes} other`);
    expect(await reader.layout(other.accountId, sessionId, name)).toBeNull();
  });

  test('have no index once typed words of it are gone', async () => {
    const { sessionId } = await archived();
    const gone = { docid: docIdOf(stage.key, hashNamed('gone'), 0), start: 0, end: 4 };
    await pool.query(
      `INSERT INTO layout (account_id, made_at, reason, content, choices, agent, session, thread, at, tokens_before,
         tokens_after)
       VALUES ($1, $2, 'pause', $3, '{"tool":1,"trimming":1,"memory":null}', 'claude-code', 's', '', $4, 2, 1)`,
      [
        accountId,
        hashNamed('made'),
        JSON.stringify({ ...content(), boundaryMessage: 'ab'.repeat(32), index: ['x', gone] }),
        new Date(START),
      ],
    );
    const found = await reader.layout(accountId, sessionId, hexOf(hashNamed('made')));
    expect(found).toMatchObject({ index: null, masked: 0, left: 0 });
  });
});

describe('what a request was', () => {
  test('is read from its newest message up, oldest first, each with its items', async () => {
    const { requestId, messages } = await archived();
    const chain = await reader.chain(accountId, requestId);
    expect(chain.map(({ hash }) => hash)).toEqual(messages.map(({ hash }) => hexOf(hash)));
    expect(chain.map(({ items }) => items)).toEqual([1, 2, 2, 1]);
    expect(chain.at(-1)?.bytes).toBe(4);
    const hashes = chain.slice(2).map(({ hash }) => hash);
    const shown = await reader.messages(accountId, [...hashes, hexOf(hashNamed('none'))], 2);
    expect(shown.map(({ hash }) => hash)).toEqual(hashes);
    expect(shown[0]?.items.map(({ kind, text, length }) => [kind, text, length])).toEqual([
      ['tool_result', 'on', 3],
      ['tool_result', 'tw', 3],
    ]);
    expect(shown[1]?.role).toBe('assistant');
  });

  test('is nothing for a request without messages, of another account, or that is not there', async () => {
    const { requestId } = await archived();
    const bare = stage.request(null);
    await stage.writer.saveRequest(bare);
    expect(await reader.chain(accountId, bare.id)).toEqual([]);
    expect(await reader.chain(accountId, stage.id())).toEqual([]);
    const other = await scene(pool, `account ${scenes} other`);
    expect(await reader.chain(other.accountId, requestId)).toEqual([]);
    expect(await reader.messages(other.accountId, [hexOf(hashNamed('none'))], 10)).toEqual([]);
  });

  test('is read along the keys, however long the conversation is', async () => {
    const thread = await stage.open('long');
    const turns = Array.from(
      { length: 4_000 },
      (_, at) => ['user', item({ text: `message ${at}` })] as const,
    );
    const messages = stage.chain(stage.root, ...turns);
    await stage.writer.append(stage.batch(thread, messages));
    const last = messages.at(-1)?.hash ?? null;
    const request = stage.request(thread, { lastMessage: last });
    await stage.writer.saveRequest(request);
    expect(await reader.chain(accountId, request.id)).toHaveLength(4_000);
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`EXPLAIN (COSTS OFF) ${CHAIN}`, [
      accountId,
      request.id,
    ]);
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toMatch(/Seq Scan on (message|item|request)/);
  });
});

describe('views', () => {
  const tokens = { client: 9, sent: 5, limit: null };
  const base = { layout: null, made: null, because: null, unedited: null, runs: [], sentBytes: 1, tokens };
  const run = { is: 'ours', what: 'tool', bytes: 9, record: null };

  test('are marked in lists: edited, made a layout, left as it came', async () => {
    const thread = await stage.open('s');
    const views = [
      { ...base, runs: [run], made: 'pause' },
      { ...base, unedited: { reason: 'deadline', detail: '' } },
      base,
      null,
    ];
    const requests = views.map((view) => stage.request(thread, { view: view as never }));
    for (const request of requests) await stage.writer.saveRequest(request);
    const ids = requests.map(({ id }) => id);
    expect(await reader.marks(accountId, ids)).toEqual(
      new Map([
        [ids[0], { edited: true, made: 'pause', unedited: null }],
        [ids[1], { edited: false, made: null, unedited: 'deadline' }],
        [ids[2], { edited: false, made: null, unedited: null }],
      ]),
    );
    expect(await reader.marks(accountId, [])).toEqual(new Map());
  });

  test('tell how often a step failed since a moment, with the newest failure', async () => {
    const thread = await stage.open('s');
    const failed = (detail: string) => ({ ...base, unedited: { reason: 'fault', detail } });
    const since = stage.clock.now();
    for (const view of [failed('old'), base, failed('new'), null]) {
      stage.clock.advance(1_000);
      await stage.writer.saveRequest(stage.request(thread, { view: view as never }));
    }
    expect(await reader.failures(accountId, since)).toMatchObject({
      count: 2,
      newest: { reason: 'fault', detail: 'new' },
    });
    expect((await reader.failures(accountId, (since + 2_000) as Millis)).count).toBe(1);
    expect(await reader.failures(accountId, (since + 9_000) as Millis)).toEqual({ count: 0, newest: null });
  });
});

describe('hidden rounds', () => {
  const use = { type: 'tool_use', id: 'u1', name: 'context-mode-search', input: { q: 'refund' } };
  const answer = { type: 'tool_result', tool_use_id: 'u1', content: [{ type: 'text', text: 'found' }] };
  const messages = [
    JSON.stringify({ role: 'assistant', content: [use] }),
    JSON.stringify({ role: 'user', content: [answer] }),
  ];
  const items = [
    '{"type":"function_call","call_id":"f1","name":"context-mode-search","arguments":"{\\"q\\":1}"}',
    '{"type":"function_call","call_id":"f2","name":"shell","arguments":"{}"}',
    '{"type":"function_call_output","call_id":"f1","output":"read"}',
  ];

  test('of either protocol show our calls and their answers, wherever they stand in the record', async () => {
    const one = hidden({ data: { places: [{ sent: messages }], mixed: null } });
    const other = hidden({ protocol: 'openai', data: { after: null, sent: items } });
    const gone = hidden({ data: null });
    for (const record of [one, other, gone]) await store.keepHidden(accountId, record);
    expect(await reader.hiddenRound(accountId, one.id)).toEqual([
      { input: '{"q":"refund"}', result: 'found' },
    ]);
    expect(await reader.hiddenRound(accountId, other.id)).toEqual([{ input: '{"q":1}', result: 'read' }]);
    expect(await reader.hiddenRound(accountId, gone.id)).toEqual([]);
    expect(await reader.hiddenRound(accountId, stage.id())).toBeNull();
  });
});

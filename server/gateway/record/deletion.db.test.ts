import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type ArchiveHousekeeper,
  type ArchiveKeeper,
  type ArchiveReader,
  type ArchiveWriter,
  createArchiveHousekeeper,
  createArchiveKeeper,
  createArchiveReader,
  createArchiveWriter,
  ensureAccount,
} from '../../archive/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { Canaries, databaseFiles, everySample, everyValue } from '../../db/testing-traces.ts';
import { type ManualClock, manualClock } from '../../kernel/clock.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import type { InstallationKey } from '../../kernel/installation-key.ts';
import { systemRandom } from '../../kernel/random.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import type { RecordedAnswer } from './protocol.ts';

const installationKey = new Uint8Array(32).fill(3) as InstallationKey;
let database: Database;
let clock: ManualClock;
let accounts = 0;
let accountId: Uuid;
let writer: ArchiveWriter;
let pipeline: Pipeline;
let reader: ArchiveReader;
let keeper: ArchiveKeeper;
let housekeeper: ArchiveHousekeeper;
let canary: Canaries;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.stop();
});
beforeEach(async () => {
  clock = manualClock(Date.UTC(2026, 10, 30, 9));
  accounts += 1;
  accountId = await ensureAccount(database.pool, `account ${accounts}`, {
    clock,
    random: systemRandom,
    installationKey,
  });
  writer = createArchiveWriter(database.pool, { clock, installationKey });
  pipeline = createPipeline(writer);
  reader = createArchiveReader(database.pool, { clock });
  keeper = createArchiveKeeper(database.pool, { clock });
  housekeeper = createArchiveHousekeeper(database.pool, { clock });
  canary = new Canaries();
});

type Headers = readonly (readonly [string, string])[];

interface Talk {
  readonly door?: 'anthropic' | 'openai';
  readonly target?: string;
  readonly headers: Headers;
  readonly body: unknown;
  readonly status?: number;
  readonly contentType?: string;
  readonly answer: string;
  readonly ending?: RecordedAnswer['ending'];
}

/** Plays one exchange; `between` happens after the request was archived and before its answer is. */
async function play(talk: Talk, between: () => Promise<unknown> = async () => undefined): Promise<void> {
  clock.advance(1000);
  const id = newId(clock);
  const { door = 'anthropic', target = '/v1/messages', headers } = talk;
  await pipeline.request({
    id,
    accountId,
    door,
    method: 'POST',
    target,
    headers,
    body: Buffer.from(JSON.stringify(talk.body)),
    receivedAt: clock.now(),
  });
  await between();
  await pipeline.answer({
    id,
    accountId,
    door,
    status: talk.status ?? 200,
    headers: [],
    contentType: talk.contentType ?? 'application/json',
    contentEncoding: '',
    providerRequestId: canary.at(`${ownerOf(headers)} provider request`),
    ending: talk.ending ?? 'complete',
    responseBytes: talk.answer.length,
    headMs: 1,
    firstByteMs: 2,
    totalMs: 3,
    ownMs: 1,
    endedAt: clock.now(),
    body: Buffer.from(talk.answer),
  });
  await writer.confirm(accountId, 500);
}

/** Whose a canary is stands first in its place: the session that alone holds it. */
function ownerOf(headers: Headers): string {
  return headers.find(([name]) => name === 'x-test-owner')?.[1] ?? 'none';
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
const sse = (events: readonly object[]) =>
  events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join('');

function headersOf(owner: string, more: Headers = []): Headers {
  return [
    ['user-agent', 'claude-cli/2.1.197 (x)'],
    ['x-claude-code-session-id', canary.at(`${owner} session name`)],
    ['x-test-owner', owner],
    ['x-passing', canary.at(`${owner} never kept: header`)],
    ...more,
  ];
}

/** System prompt and tools of a session, in a folder of a repository without a remote. */
function preamble(owner: string, folder: string) {
  const at = (place: string) => canary.at(`${owner} ${place}`);
  return {
    model: `claude-${at('model')}`,
    max_tokens: 100,
    system: [
      { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.197' },
      { type: 'text', text: `Prompt ${at('system')}\n - Primary working directory: ${folder}` },
      { type: 'text', text: `Current branch: ${at('branch')}` },
    ],
    tools: [{ name: 'Bash', description: at('tool description'), input_schema: { type: 'object' } }],
    [at('unknown field name')]: at('unknown field'),
  };
}

/** A conversation with something in every place that a conversation has. */
function messages(owner: string) {
  const at = (place: string) => canary.at(`${owner} ${place}`);
  return [
    { role: 'user', content: `Please ${at('title')}` },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: at('thinking'), signature: base64(at('signature')) },
        { type: 'text', text: at('echoed answer') },
        {
          type: 'tool_use',
          id: 'toolu_1',
          name: 'Read',
          input: { file_path: `/w/${at('path')}.ts`, [at('input key')]: at('input value') },
        },
        { type: 'tool_use', id: 'toolu_2', name: at('tool name'), input: { command: `rm ${at('command')}` } },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [
            { type: 'text', text: at('result') },
            {
              type: 'image',
              source: { type: 'base64', media_type: 'image/png', data: base64(`\u0089PNG ${at('image')}`) },
            },
          ],
        },
        { type: 'tool_result', tool_use_id: 'toolu_2', is_error: true, content: at('failed result') },
        {
          type: 'document',
          title: at('document title'),
          source: { type: 'base64', media_type: 'application/pdf', data: base64(`%PDF ${at('document')}`) },
        },
        { type: 'made_up', [at('unknown key')]: { deep: [at('unknown part')] } },
        { type: 'text', text: `\ud800 and \0 ${at('text that no column holds')}` },
        { type: 'text', text: `<system-reminder>${at('reminder')}</system-reminder>` },
        { type: 'text', text: `${'long '.repeat(4000)}${at('end of a long text')}` },
      ],
    },
  ];
}

function answered(owner: string, stop: object = { type: 'message_stop' }): string {
  const at = (place: string) => canary.at(`${owner} ${place}`);
  return sse([
    { type: 'message_start', message: { id: at('message id'), model: 'x', usage: {} } },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'thinking_delta', thinking: at('produced thinking') },
    },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: at('produced text') } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: at('stop reason') }, usage: { output_tokens: 1 } },
    stop,
  ]);
}

const stream = { contentType: 'text/event-stream' } as const;

/** A session that goes through everything that a session goes through. */
async function fullSession(owner: string, folder: string): Promise<void> {
  const at = (place: string) => canary.at(`${owner} ${place}`);
  const headers = headersOf(owner);
  const head = preamble(owner, folder);
  const said = messages(owner);
  const target = `/v1/messages?beta=${at('never kept: query')}`;
  await play({
    target,
    headers,
    body: { ...head, messages: said.slice(0, 1) },
    ...stream,
    answer: answered(owner),
  });
  await play({ target, headers, body: { ...head, messages: said }, ...stream, answer: answered(owner) });
  // The same under other bytes: the archive keeps their hashes beside the message.
  const marked = said.map((one, n) => (n === 0 ? { content: one.content, role: one.role } : one));
  const retyped = [...marked.slice(0, 2), { role: 'user', content: at('typed after a rewind') }];
  await play({
    headers,
    body: { ...head, messages: retyped },
    ...stream,
    answer: sse([
      { type: 'message_start', message: { id: 'm', model: 'x', usage: {} } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: at('partial answer') } },
    ]),
    ending: 'client_gone',
  });
  await play({
    headers,
    body: { ...head, messages: [...retyped, { role: 'user', content: at('refused words') }] },
    status: 400,
    answer: JSON.stringify({
      type: 'error',
      error: { type: at('error type'), message: `messages.0: ${at('error message')}` },
    }),
  });
  const agent: Headers = [...headers, ['x-claude-code-agent-id', at('sub-agent id')]];
  const task = [{ role: 'user', content: `Task: ${at('sub-agent task')}` }];
  await play({
    headers: agent,
    body: {
      ...head,
      system: [...head.system, { type: 'text', text: at('sub-agent system') }],
      messages: task,
    },
    ...stream,
    answer: answered(`${owner} sub-agent`),
  });
}

/** Which canaries are anywhere in the tables now. */
async function found(): Promise<readonly string[]> {
  return canary.foundIn(await everyValue(database.pool));
}

/** All places, but those that are never kept. */
function kept(isOwners: (place: string) => boolean): readonly string[] {
  return canary.places().filter((place) => isOwners(place) && !place.includes('never kept'));
}

const of = (owner: string) => (place: string) => place.startsWith(`${owner} `);

async function sessionNamed(owner: string): Promise<Uuid> {
  const { rows } = await database.pool.query<{ id: Uuid }>(
    'SELECT id FROM session WHERE account_id = $1 AND client_session_id = $2',
    [accountId, canary.at(`${owner} session name`)],
  );
  const [row] = rows;
  if (row === undefined) throw new Error(`no session of ${owner}`);
  return row.id;
}

async function projectOf(sessionId: Uuid): Promise<Uuid> {
  const session = await reader.getSession(accountId, sessionId);
  if (session?.project == null) throw new Error('the session is in no project');
  return session.project.id;
}

/** Rows of the account by table, but what stays: the account, its numbers, the audit. */
async function rowsLeft(): Promise<Readonly<Record<string, number>>> {
  const { rows: tables } = await database.pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns
     WHERE table_schema = current_schema() AND column_name = 'account_id'
       AND table_name NOT IN ('audit', 'search_state')`,
  );
  const left: Record<string, number> = {};
  for (const { name } of tables) {
    const { rows } = await database.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${name} WHERE account_id = $1`,
      [accountId],
    );
    if (rows[0]?.n) left[name] = rows[0].n;
  }
  return left;
}

describe('what is deleted leaves no trace', () => {
  test('of a session, wherever its words stood; what others hold stays, and goes with the last of them', async () => {
    const folder = `/w/${canary.at('project folder')}`;
    await fullSession('first', folder);
    // A fork sends the history of the first session under a name of its own.
    const shared = messages('first').slice(0, 2);
    const more = [...shared, { role: 'user', content: `On: ${canary.at('fork typed')}` }];
    const head = preamble('fork', folder);
    await play({
      headers: headersOf('fork'),
      body: { ...head, messages: more },
      ...stream,
      answer: answered('fork'),
    });
    await fullSession('other', `/w/${canary.at('other place')}`);
    expect(await found()).toEqual(kept(() => true));

    expect(await reader.deleteSession(accountId, await sessionNamed('first'), clock.now())).toBe(true);
    // A fork takes over the log up to what it shares: the answer that the agent echoed otherwise stands in it, too.
    const log = JSON.stringify([
      shared,
      canary.at('first produced thinking'),
      canary.at('first produced text'),
    ]);
    const isShared = (place: string) => log.includes(canary.at(place)) || place === 'first signature';
    expect(canary.places().filter(isShared).length).toBeGreaterThan(8);
    expect((await found()).filter((place) => of('first')(place) && !isShared(place))).toEqual([]);
    expect((await found()).filter((place) => !of('first')(place))).toEqual(
      kept((place) => !of('first')(place)),
    );

    expect(await reader.deleteSession(accountId, await sessionNamed('fork'), clock.now())).toBe(true);
    expect(await found()).toEqual(kept((place) => of('other')(place)));
    expect(await reader.deleteSession(accountId, await sessionNamed('other'), clock.now())).toBe(true);
    expect(await found()).toEqual([]);
    expect(await rowsLeft()).toEqual({});
  });

  test('of a project: its sessions, its unplaced conversations, its names; other projects stay', async () => {
    const folder = `/w/${canary.at('mine folder')}`;
    await fullSession('mine', folder);
    await fullSession('mine second', folder);
    await fullSession('other', `/w/${canary.at('other place')}`);
    const unnamed = headersOf('mine unplaced').filter(([name]) => name !== 'x-claude-code-session-id');
    const talk = messages('mine unplaced');
    for (const said of [talk.slice(0, 1), talk])
      await play({
        headers: unnamed,
        body: { ...preamble('mine unplaced', folder), messages: said },
        ...stream,
        answer: answered('mine unplaced'),
      });
    const all = kept((place) => place !== 'mine unplaced session name');
    expect(await found()).toEqual(all);

    const projectId = await projectOf(await sessionNamed('mine'));
    expect(await keeper.deleteProject(accountId, projectId, clock.now())).toBe(true);
    expect(await found()).toEqual(kept(of('other')));
    expect(await keeper.deleteProject(accountId, projectId, clock.now())).toBe(false);
    const { rows } = await database.pool.query(
      `SELECT actor, act, subject, data FROM audit WHERE account_id = $1 AND act <> 'session.delete'`,
      [accountId],
    );
    expect(rows).toEqual([
      { actor: 'person', act: 'project.delete', subject: projectId, data: { sessions: 3 } },
    ]);
  });

  test('of everything, what belongs to no session with it', async () => {
    await fullSession('a', `/w/${canary.at('folder')}`);
    await fullSession('b', `/v/${canary.at('another folder')}`);
    await play({
      target: `/v1/files/${canary.at('other target')}`,
      headers: headersOf('loose'),
      body: {},
      status: 500,
      answer: JSON.stringify({ error: { type: 'x', message: canary.at('loose error') } }),
    });
    await keeper.deleteArchive(accountId, clock.now());
    expect(await found()).toEqual([]);
    expect(await rowsLeft()).toEqual({});
  });

  test('in the samples of the planner and the files of tables, indexes and log either, once it was cleaned', async () => {
    const folder = `/w/${canary.at('cleaned folder')}`;
    await fullSession('gone', folder);
    await fullSession('stays', `/w/${canary.at('stays folder')}`);
    await database.pool.query('ANALYZE');
    await database.pool.query('CHECKPOINT');
    const before = await databaseFiles(database.pool);
    const sampled = canary.foundIn(await everySample(database.pool));
    const gone = kept((place) => of('gone')(place) || place === 'cleaned folder');
    // What is compressed cannot be seen in the files; nearly everything can.
    expect(canary.foundIn(before.tables).filter((place) => gone.includes(place)).length).toBeGreaterThan(
      gone.length / 2,
    );
    expect(canary.foundIn(before.log).length).toBeGreaterThan(gone.length / 2);

    await keeper.deleteProject(accountId, await projectOf(await sessionNamed('gone')), clock.now());
    const cleaned = await housekeeper.clean({ thorough: true });
    expect(cleaned?.rewritten).toEqual(expect.arrayContaining(['item', 'event', 'message', 'session']));
    const after = await databaseFiles(database.pool);
    const isGone = (place: string) => gone.includes(place);
    expect(sampled.filter(isGone).length).toBeGreaterThan(0);
    expect(canary.foundIn(await everySample(database.pool)).filter(isGone)).toEqual([]);
    expect(canary.foundIn(after.tables).filter(isGone)).toEqual([]);
    expect(canary.foundIn(after.log).filter(isGone)).toEqual([]);
    expect(canary.foundIn(after.tables).filter(of('stays')).length).toBeGreaterThan(10);
  }, 240_000);
});

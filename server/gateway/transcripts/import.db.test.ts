import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ArchiveWriter, createArchiveWriter, ensureAccount } from '../../archive/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { type Millis, manualClock } from '../../kernel/clock.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import type { InstallationKey } from '../../kernel/installation-key.ts';
import { systemRandom } from '../../kernel/random.ts';
import { createPipeline } from '../record/pipeline.ts';
import { SessionReader } from './session-reader.ts';
import type { ImportedTranscript } from './types.ts';

const installationKey = new Uint8Array(32).fill(3) as InstallationKey;
const START = Date.UTC(2026, 10, 30, 9);
const SAID = Date.UTC(2026, 0, 5);
const SESSION = '00000000-1111-4222-8333-444444444444';
const SECRET = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
const REMINDER = "<system-reminder>\n# currentDate\nToday's date is 2026-11-30.\n</system-reminder>";
const clock = manualClock(START);
let database: Database;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.stop();
});

interface Scene {
  readonly accountId: Uuid;
  readonly writer: ArchiveWriter;
}

async function scene(name: string): Promise<Scene> {
  const accountId = await ensureAccount(database.pool, name, {
    clock,
    random: systemRandom,
    installationKey,
  });
  return { accountId, writer: createArchiveWriter(database.pool, { clock, installationKey }) };
}

type Line = Readonly<Record<string, unknown>>;
interface Said {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: unknown;
}

const TURN: readonly Said[] = [
  { role: 'user', content: `Read a.txt; my key is ${SECRET}` },
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'a.txt' } }],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'inside\n' }] },
  { role: 'assistant', content: [{ type: 'text', text: 'It says: inside.' }] },
];

/** The lines of a conversation, ten seconds apart. */
function linesOf(conversation: readonly Said[], session = SESSION): readonly Line[] {
  return conversation.map(({ role, content }, index) => ({
    parentUuid: index === 0 ? null : `u${index - 1}`,
    isSidechain: false,
    type: role,
    message: {
      role,
      content,
      ...(role === 'assistant' ? { id: `m${index}`, model: 'claude-opus-4-8' } : {}),
    },
    uuid: `u${index}`,
    timestamp: new Date(SAID + index * 10_000).toISOString(),
    cwd: '/home/dev/place',
    sessionId: session,
    version: '2.1.197',
    gitBranch: 'main',
  }));
}

async function importLines(
  { accountId, writer }: Scene,
  lines: readonly Line[],
): Promise<ImportedTranscript> {
  const content = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const reader = new SessionReader('claude-code');
  reader.push(Buffer.from(`${JSON.stringify({ file: 'f', bytes: content.length })}\n`));
  reader.push(content);
  reader.push(Buffer.from('\n'));
  const imported = await reader.archive(writer, clock, accountId);
  if (imported === null) throw new Error('no session');
  return imported;
}

/** Sends a request through the recorder as Claude Code sends it. */
async function send(
  { accountId, writer }: Scene,
  messages: readonly Said[],
  session = SESSION,
): Promise<void> {
  const body = {
    model: 'claude-opus-4-8',
    messages,
    system: [
      { type: 'text', text: ' - Primary working directory: /home/dev/place\n - Is a git repository: false' },
    ],
    tools: [{ name: 'Read', input_schema: {} }],
    max_tokens: 100,
  };
  const headers = [
    ['user-agent', 'claude-cli/2.1.197 (external, sdk-cli)'],
    ['x-claude-code-session-id', session],
  ] as const;
  const note = await createPipeline(writer).request({
    id: newId(clock),
    accountId,
    door: 'anthropic',
    method: 'POST',
    target: '/v1/messages?beta=true',
    headers,
    body: Buffer.from(JSON.stringify(body)),
    receivedAt: clock.now(),
  });
  expect(note).toBeNull();
}

/** The same conversation as it goes over the wire: a reminder first, a system message behind what was typed. */
function onTheWire(conversation: readonly Said[]): readonly Said[] {
  const [first, ...rest] = conversation;
  const parts = [
    { type: 'text', text: REMINDER },
    { type: 'text', text: first?.content },
  ];
  return [
    { role: 'user', content: parts },
    { role: 'system', content: 'Available agent types: many' },
    ...rest,
  ];
}

interface Row {
  readonly session: string;
  readonly kind: string;
  readonly at: Date;
  readonly duration_ms: string | null;
  readonly text: string | null;
  readonly hash: string | null;
}

async function log({ accountId }: Scene): Promise<readonly Row[]> {
  const { rows } = await database.pool.query<Row>(
    `SELECT s.client_session_id AS session, e.kind, e.at, e.duration_ms, i.text, encode(e.message_hash, 'hex') AS hash
     FROM event e JOIN session s ON s.account_id = e.account_id AND s.id = e.session_id
     LEFT JOIN item i ON i.account_id = e.account_id AND i.message_hash = e.message_hash AND i.position = e.position
     WHERE e.account_id = $1 ORDER BY s.started_at, s.client_session_id, e.seq`,
    [accountId],
  );
  return rows;
}

const NEXT: Said = { role: 'user', content: 'And now?' };

it('a transcript is archived masked, at the times of its lines, and twice writes nothing', async () => {
  const here = await scene('first');
  const lines = linesOf(TURN);
  expect(await importLines(here, lines)).toMatchObject({
    state: 'imported',
    messages: 4,
    added: 4,
    faults: [],
  });
  const rows = await log(here);
  expect(rows.map((row) => row.kind)).toEqual(['input', 'tool_call', 'tool_result', 'answer']);
  expect(rows.map((row) => row.at.getTime() - SAID)).toEqual([0, 10_000, 20_000, 30_000]);
  expect(rows[2]?.duration_ms).toBe('10000');
  expect(rows[0]?.text).toMatch(/^Read a\.txt; my key is \[masked:/);
  expect(rows[2]?.text).toBe('inside\n');
  expect(await importLines(here, lines)).toMatchObject({ state: 'present', messages: 4, added: 0 });
  expect(await log(here)).toEqual(rows);
});

it('the next request goes on with what was imported; what the agent put beside it is kept once', async () => {
  const here = await scene('resumed');
  await importLines(here, linesOf(TURN));
  const before = await log(here);
  const request = [...onTheWire(TURN), NEXT];
  await send(here, request);
  const after = await log(here);
  expect(after.slice(0, before.length)).toEqual(before);
  expect(after.slice(before.length).map((row) => [row.kind, row.text])).toEqual([
    ['injected', REMINDER],
    ['injected', 'Available agent types: many'],
    ['input', 'And now?'],
  ]);
  // Another process knows nothing of the request before.
  await send(here, [...request, { role: 'assistant', content: 'Done.' }, { role: 'user', content: 'Bye.' }]);
  expect((await log(here)).slice(after.length).map((row) => [row.kind, row.text])).toEqual([
    ['answer', 'Done.'],
    ['input', 'Bye.'],
  ]);
});

it('a reminder that was folded into a tool result leaves the result that was imported as it is', async () => {
  const here = await scene('folded');
  await importLines(here, linesOf(TURN));
  const before = await log(here);
  const folded = `inside\n\n<system-reminder>\nhook\n</system-reminder>`;
  const sent = TURN.map((one, index) =>
    index === 2 ? { ...one, content: [{ type: 'tool_result', tool_use_id: 't1', content: folded }] } : one,
  );
  await send(here, [...onTheWire(sent), NEXT]);
  const added = (await log(here)).slice(before.length).map((row) => row.kind);
  expect(added).toEqual(['injected', 'injected', 'injected', 'input']);
});

it('what went through the door is found in its files, with whatever was put beside it', async () => {
  const here = await scene('door first');
  await send(here, onTheWire(TURN));
  const before = await log(here);
  expect(await importLines(here, linesOf(TURN))).toMatchObject({ state: 'present', messages: 4, added: 0 });
  expect(await log(here)).toEqual(before);
  const more = [...TURN, NEXT, { role: 'assistant' as const, content: [{ type: 'text', text: 'Later.' }] }];
  expect(await importLines(here, linesOf(more))).toMatchObject({ state: 'extended', added: 2 });
  expect((await log(here)).slice(before.length).map((row) => row.kind)).toEqual(['input', 'answer']);
});

it('other words at the same place are other messages', async () => {
  const here = await scene('different');
  await importLines(here, linesOf(TURN));
  const before = await log(here);
  const [first, ...rest] = onTheWire(TURN);
  const parts = [
    { type: 'text', text: REMINDER },
    { type: 'text', text: 'Read b.txt' },
  ];
  await send(here, [{ role: 'user', content: parts }, ...rest]);
  expect(first).toBeDefined();
  const added = (await log(here)).slice(before.length);
  expect(added.filter((row) => row.kind === 'input').map((row) => row.text)).toEqual(['Read b.txt']);
  expect(added.map((row) => row.kind)).toContain('tool_result');
});

it('a fork takes over the log of the session that it was forked off', async () => {
  const here = await scene('fork');
  await importLines(here, linesOf(TURN));
  const own = '00000000-1111-4222-8333-555555555555';
  const forked = [
    ...TURN,
    NEXT,
    { role: 'assistant' as const, content: [{ type: 'text', text: 'Forked.' }] },
  ];
  expect(await importLines(here, linesOf(forked, own))).toMatchObject({ state: 'imported', added: 2 });
  const rows = await log(here);
  const origin = rows.filter((row) => row.session === SESSION);
  const fork = rows.filter((row) => row.session === own);
  expect(fork.slice(0, origin.length).map(({ hash, at }) => [hash, at])).toEqual(
    origin.map(({ hash, at }) => [hash, at]),
  );
  expect(fork.slice(origin.length).map((row) => row.text)).toEqual(['And now?', 'Forked.']);
});

it('times that cannot be are not taken: none is after now, and none moves the account’s clock', async () => {
  const here = await scene('times');
  const lines = linesOf(TURN).map((line, index) => ({
    ...line,
    timestamp: ['9999-12-31T00:00:00Z', 'no time', '2026-01-05T00:00:00Z', undefined][index],
  }));
  await importLines(here, lines);
  expect((await log(here)).map((row) => row.at.getTime() as Millis)).toEqual([START, START, START, START]);
  const { rows } = await database.pool.query('SELECT clock_at FROM account WHERE id = $1', [here.accountId]);
  expect(rows[0].clock_at.getTime()).toBeLessThanOrEqual(START);
});

it('no secret of a transcript stands anywhere in the database', async () => {
  const here = await scene('secrets');
  await importLines(here, [
    ...linesOf(TURN),
    {
      ...linesOf(TURN)[0],
      uuid: 'q',
      parentUuid: 'u3',
      type: 'attachment',
      message: undefined,
      attachment: { type: 'queued_command', prompt: SECRET },
    },
  ]);
  const { rows } = await database.pool.query(
    "SELECT 1 FROM item WHERE account_id = $1 AND (text LIKE $2 OR encode(body, 'escape') LIKE $2)",
    [here.accountId, `%${SECRET}%`],
  );
  expect(rows).toEqual([]);
  expect((await log(here)).filter((row) => row.kind === 'input')).toHaveLength(2);
});

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createArchiveReader, createArchiveWriter, ensureAccount } from '../../archive/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { type ManualClock, manualClock } from '../../kernel/clock.ts';
import { watchFreeSpace } from '../../kernel/free-space.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import type { InstallationKey } from '../../kernel/installation-key.ts';
import { systemRandom } from '../../kernel/random.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';

const installationKey = new Uint8Array(32).fill(3) as InstallationKey;
const LEAST = 2_000_000_000;
let database: Database;
let clock: ManualClock;
let accounts = 0;
let accountId: Uuid;
let pipeline: Pipeline;
let free: number;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.stop();
});
beforeEach(async () => {
  clock = manualClock(Date.UTC(2026, 10, 30, 9));
  accounts += 1;
  const tools = { clock, random: systemRandom, installationKey };
  accountId = await ensureAccount(database.pool, `account ${accounts}`, tools);
  const disk = watchFreeSpace('/archive', clock, async () => free);
  const mayBegin = async () => ((await disk.read()) ?? Number.POSITIVE_INFINITY) >= LEAST;
  pipeline = createPipeline(createArchiveWriter(database.pool, { clock, installationKey }), mayBegin);
  free = LEAST;
});

/** What the disk says from now on, when the reading before is old. */
function roomBecomes(bytes: number): void {
  free = bytes;
  clock.advance(10_000);
}

/** A request of a session (null: of none that is named) with these typed words; gives why it was not archived. */
async function say(session: string | null, typed: readonly string[]): Promise<string | null> {
  return pipeline.request({
    id: newId(clock),
    accountId,
    door: 'anthropic',
    method: 'POST',
    target: '/v1/messages',
    headers: [
      ['user-agent', 'claude-cli/2.1.197 (x)'],
      ...(session === null ? [] : [['x-claude-code-session-id', session] as const]),
    ],
    body: Buffer.from(
      JSON.stringify({
        model: 'm',
        messages: typed.flatMap((content, n) => [
          ...(n === 0 ? [] : [{ role: 'assistant', content: `answer ${n}` }]),
          { role: 'user', content },
        ]),
      }),
    ),
    receivedAt: clock.now(),
  });
}

async function archived(): Promise<readonly (readonly string[])[]> {
  const reader = createArchiveReader(database.pool, { clock });
  const { items } = await reader.listSessions(accountId, { limit: 10 });
  const logs = await Promise.all(
    items.map(async ({ id }) => {
      const { rows } = await reader.readLog(accountId, id, { kinds: ['input'], limit: 99, clip: 99 });
      return rows.map((row) => row.body);
    }),
  );
  return logs.sort();
}

async function rows(table: string): Promise<number> {
  const found = await database.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM ${table} WHERE account_id = $1`,
    [accountId],
  );
  return found.rows[0]?.n ?? -1;
}

test('while little room is left, new sessions pass unrecorded and those that have begun go on', async () => {
  expect(await say('begun', ['one'])).toBeNull();
  expect(await say(null, ['unnamed one'])).toBeNull();
  roomBecomes(LEAST - 1);
  expect(await say('new', ['secret'])).toBe('disk_low');
  expect(await say(null, ['another unnamed'])).toBe('disk_low');
  expect(await say('begun', ['one', 'two'])).toBeNull();
  expect(await say(null, ['unnamed one', 'unnamed two'])).toBeNull();
  expect(await archived()).toEqual([
    ['one', 'two'],
    ['unnamed one', 'unnamed two'],
  ]);
  expect(await rows('session')).toBe(2);
});

test('the first request with room again brings all of a session that passed unrecorded', async () => {
  roomBecomes(0);
  expect(await say('s', ['one'])).toBe('disk_low');
  expect(await rows('message')).toBe(0);
  roomBecomes(LEAST);
  expect(await say('s', ['one', 'two'])).toBeNull();
  expect(await archived()).toEqual([['one', 'two']]);
});

test('an answer to a request that passed unrecorded is not kept either', async () => {
  roomBecomes(0);
  const id = newId(clock);
  const about = { id, accountId, door: 'anthropic', headers: [] } as const;
  const body = Buffer.from('{"model":"m","messages":[{"role":"user","content":"hello"}]}');
  const request = { ...about, method: 'POST', target: '/v1/messages', body, receivedAt: clock.now() };
  expect(await pipeline.request(request)).toBe('disk_low');
  const answer = '{"id":"m","type":"message","role":"assistant","content":[{"type":"text","text":"hi"}]}';
  await pipeline.answer({
    ...about,
    status: 200,
    contentType: 'application/json',
    contentEncoding: '',
    providerRequestId: null,
    ending: 'complete',
    responseBytes: answer.length,
    headMs: 1,
    firstByteMs: 1,
    totalMs: 1,
    ownMs: 1,
    endedAt: clock.now(),
    body: Buffer.from(answer),
  });
  expect(await Promise.all(['session', 'message', 'answer'].map(rows))).toEqual([0, 0, 0]);
});

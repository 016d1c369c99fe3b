import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createArchiveReader, createArchiveWriter, ensureAccount } from '../../archive/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { type Millis, manualClock } from '../../kernel/clock.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import type { InstallationKey } from '../../kernel/installation-key.ts';
import { systemRandom } from '../../kernel/random.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import { readCase, unnamedCases } from './recorded.testing.ts';

const installationKey = new Uint8Array(32).fill(3) as InstallationKey;
const clock = manualClock(Date.UTC(2026, 10, 30, 9));
let database: Database;
let accountId: Uuid;
let pipeline: Pipeline;
let accounts = 0;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.stop();
});
beforeEach(async () => {
  accounts += 1;
  accountId = await ensureAccount(database.pool, `unnamed ${accounts}`, {
    clock,
    random: systemRandom,
    installationKey,
  });
  pipeline = restarted();
});

function restarted(): Pipeline {
  return createPipeline(createArchiveWriter(database.pool, { clock, installationKey }));
}

/** A message as Pi sends it: a typed text, an answer (`>text`), a call (`!id`) or its result (`=id`). */
function messageOf(text: string): object {
  const rest = text.slice(1);
  if (text.startsWith('>')) return { role: 'assistant', content: [{ type: 'text', text: rest }] };
  if (text.startsWith('!'))
    return { role: 'assistant', content: [{ type: 'tool_use', id: rest, name: 'read', input: {} }] };
  if (text.startsWith('='))
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: rest, content: 'x' }] };
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** Sends a request of Pi's and leaves its answer open; answers are given by the function that comes back. */
async function send(history: readonly string[], folder = '/home/dev/project') {
  clock.advance(1000);
  const id = newId(clock);
  const body = Buffer.from(
    JSON.stringify({
      model: 'claude-sonnet-4-6',
      messages: history.map(messageOf),
      system: [
        {
          type: 'text',
          text: `You help.\nCurrent date: 2026-11-30\nCurrent working directory: ${folder}`,
        },
      ],
      tools: [{ name: 'read' }],
    }),
  );
  const door = 'anthropic' as const;
  const headers = [['User-Agent', 'Anthropic/JS 0.91.1']] as const;
  const at = clock.now() as Millis;
  const note = await pipeline.request({
    ...{ id, accountId, door, headers, body, method: 'POST', target: '/v1/messages', receivedAt: at },
  });
  expect(note).toBeNull();
  return async (text: string | null) => {
    clock.advance(500);
    const message = { type: 'message', id: 'm', role: 'assistant', content: [messageOf(text ?? '')] };
    const content = text === null ? null : (messageOf(text) as { content: unknown }).content;
    const answer = Buffer.from(text === null ? '' : JSON.stringify({ ...message, content }));
    await pipeline.answer({
      ...{ id, accountId, door, status: text === null ? null : 200, headers: [], body: answer },
      ...{ contentType: 'application/json', contentEncoding: '', providerRequestId: null },
      ...{ ending: text === null ? 'client_gone' : 'complete', responseBytes: answer.length },
      ...{ headMs: 1, firstByteMs: 1, totalMs: 2, ownMs: 1, endedAt: clock.now() as Millis },
    });
  };
}

async function exchange(history: readonly string[], answer: string, folder?: string): Promise<void> {
  await (await send(history, folder))(answer);
}

/** The sessions, the one that was seen last at the end, each as its agent and the texts of its log. */
async function sessions(): Promise<readonly string[]> {
  const reader = createArchiveReader(database.pool, { clock });
  const { items } = await reader.listSessions(accountId, { limit: 50 });
  return Promise.all(
    items.toReversed().map(async ({ id, agent }) => {
      const { rows } = await reader.readLog(accountId, id, { limit: 200, clip: 100 });
      const texts = rows.map((row) => (row.kind === 'head_move' ? '^' : row.body || row.kind));
      return `${agent}: ${texts.join(' ')}`;
    }),
  );
}

async function notes(): Promise<readonly (string | null)[]> {
  const { rows } = await database.pool.query<{ note: string | null }>(
    'SELECT note FROM request WHERE account_id = $1 ORDER BY received_at, id',
    [accountId],
  );
  return rows.map((row) => row.note);
}

describe('an agent that names no session', () => {
  it('goes on in the session in which its history stands, also after a restart', async () => {
    await exchange(['one'], '>a');
    await exchange(['one', '>a', 'two'], '!t1');
    pipeline = restarted();
    await exchange(['one', '>a', 'two', '!t1', '=t1'], '>b');
    expect(await sessions()).toEqual(['pi: one a two {} x b']);
    expect(await notes()).toEqual([null, null, null]);
  });

  it('begins a new session when it says the same first words again after they were answered', async () => {
    await exchange(['one'], '>a');
    await exchange(['one'], '>b');
    await exchange(['one', '>a', 'left'], '>c');
    await exchange(['one', '>b', 'right'], '>d');
    expect(await sessions()).toEqual(['pi: one a left c', 'pi: one b right d']);
    expect(await notes()).toEqual([null, null, null, null]);
  });

  it('begins a new session when the same first words are still being answered', async () => {
    const first = await send(['one']);
    const second = await send(['one']);
    await first('>a');
    await second('>b');
    await exchange(['one', '>b', 'two'], '>c');
    expect(await sessions()).toEqual(['pi: one a', 'pi: one b two c']);
  });

  it('writes nothing twice when it repeats a request that was not answered', async () => {
    await (await send(['one']))(null);
    await (await send(['one']))(null);
    await exchange(['one'], '>a');
    await (await send(['one', '>a', 'two']))(null);
    await exchange(['one', '>a', 'two'], '>b');
    expect(await sessions()).toEqual(['pi: one a two b']);
    expect(await notes()).toEqual([null, null, null, null, null]);
  });

  it('goes on where the first words were not answered and others followed', async () => {
    await (await send(['one']))(null);
    await exchange(['one', 'two'], '>a');
    expect(await sessions()).toEqual(['pi: one two a']);
  });

  it('is put to the session whose history it goes back in, and that is said to be uncertain', async () => {
    await exchange(['one'], '>a');
    await exchange(['one', '>a', 'two'], '>b');
    await exchange(['one', '>a', 'other'], '>c');
    await exchange(['one', '>a', 'other', '>c', 'on'], '>d');
    expect(await sessions()).toEqual(['pi: one a two b ^ other c on d']);
    expect((await notes()).map((note) => note !== null)).toEqual([false, false, true, false]);
  });

  it('goes on in its session after a compaction that keeps a tool call', async () => {
    const summary =
      'The conversation history before this point was compacted into the following summary:\n\n<summary>\nS\n</summary>';
    await exchange(['one'], '!t1');
    await exchange(['one', '!t1', '=t1'], '>a');
    await exchange([summary, '!t1', '=t1', '>a', 'two'], '>b');
    const found = await sessions();
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('two b');
    expect(await notes()).toEqual([null, null, null]);
  });

  it('begins an uncertain session where its history was never seen', async () => {
    await exchange(['one', '>unseen', 'two'], '>b');
    expect(await sessions()).toEqual(['pi: one unseen two b']);
    expect((await notes()).map((note) => note !== null)).toEqual([true]);
  });

  it('keeps equal words in two projects apart', async () => {
    await exchange(['one'], '>a', '/home/dev/left');
    await exchange(['one'], '>b', '/home/dev/right');
    await exchange(['one', '>a', 'two'], '>c', '/home/dev/left');
    expect((await sessions()).toSorted()).toEqual(['pi: one a two c', 'pi: one b']);
  });

  it('may have an event worked off a second time', async () => {
    clock.advance(1000);
    const [first] = readCase('pi/anthropic-session', accountId, clock.now());
    if (first === undefined) throw new Error('no exchange');
    await pipeline.request(first.request);
    await pipeline.request(first.request);
    await pipeline.answer(first.answer);
    expect(await sessions()).toHaveLength(1);
  });
});

it.each(unnamedCases)('the recorded conversation %s is one session without an echo', async (name) => {
  for (const { request, answer } of readCase(name, accountId, clock.now())) {
    expect(await pipeline.request(request)).toBeNull();
    expect(await pipeline.answer(answer)).toBeNull();
  }
  if (name.endsWith('compaction')) return;
  expect(await sessions()).toHaveLength(1);
  const { rows } = await database.pool.query(
    `SELECT 1 FROM message WHERE account_id = $1 AND role = 'assistant' AND origin = 'received'`,
    [accountId],
  );
  expect(rows).toEqual([]);
  expect((await notes()).filter((note) => note !== null)).toEqual([]);
});

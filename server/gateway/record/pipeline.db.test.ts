import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createArchiveReader, createArchiveWriter, ensureAccount } from '../../archive/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { manualClock } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { InstallationKey } from '../../kernel/installation-key.ts';
import { systemRandom } from '../../kernel/random.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import { readCase, recordedCases } from './recorded.testing.ts';

const installationKey = new Uint8Array(32).fill(3) as InstallationKey;
const start = Date.UTC(2026, 10, 30, 9);
const clock = manualClock(start);
let database: Database;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.stop();
});

async function account(name: string): Promise<Uuid> {
  return ensureAccount(database.pool, name, { clock, random: systemRandom, installationKey });
}

function pipeline(): Pipeline {
  return createPipeline(createArchiveWriter(database.pool, { clock, installationKey }));
}

async function play(name: string, accountId: Uuid, into: Pipeline, from = start): Promise<(string | null)[]> {
  const notes: (string | null)[] = [];
  for (const { request, answer } of readCase(name, accountId, from)) {
    notes.push(await into.request(request), await into.answer(answer));
  }
  return notes;
}

interface Line {
  readonly thread: string;
  readonly kind: string;
  readonly text: string | null;
  readonly origin: string | null;
}

async function log(accountId: Uuid): Promise<readonly Line[]> {
  const { rows } = await database.pool.query<Line>(
    `SELECT t.client_thread_id AS thread, e.kind, i.text, m.origin FROM event e
     JOIN thread t ON t.account_id = e.account_id AND t.id = e.thread_id
     LEFT JOIN item i ON i.account_id = e.account_id AND i.message_hash = e.message_hash AND i.position = e.position
     LEFT JOIN message m ON m.account_id = e.account_id AND m.hash = e.message_hash
     WHERE e.account_id = $1 ORDER BY e.session_id, e.seq`,
    [accountId],
  );
  return rows;
}

async function counts(accountId: Uuid): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const table of ['session', 'thread', 'message', 'item', 'event', 'preamble', 'blob']) {
    const { rows } = await database.pool.query<{ n: string }>(
      `SELECT count(*) AS n FROM ${table} WHERE account_id = $1`,
      [accountId],
    );
    found[table] = Number(rows[0]?.n);
  }
  return found;
}

describe.each(recordedCases)('the recorded conversation %s', (name) => {
  it('is archived without a request that could not be read or placed', async () => {
    const accountId = await account(`read ${name}`);
    const notes = await play(name, accountId, pipeline());
    expect(notes.filter((note) => note !== null)).toEqual([]);
    const { rows } = await database.pool.query(
      'SELECT path, note FROM request WHERE account_id = $1 AND (note IS NOT NULL OR ending IS NULL)',
      [accountId],
    );
    expect(rows).toEqual([]);
  });

  it('writes nothing but the requests themselves when all of it is sent again', async () => {
    const accountId = await account(`again ${name}`);
    await play(name, accountId, pipeline());
    const once = await counts(accountId);
    const moves = (await log(accountId)).filter((line) => line.kind === 'head_move').length;
    await play(name, accountId, pipeline(), start + 3_600_000);
    const twice = await counts(accountId);
    const movesAgain = (await log(accountId)).filter(
      (line) => line.kind === 'head_move' || line.kind === 'client_compaction',
    );
    expect({ ...twice, event: 0 }).toEqual({ ...once, event: 0 });
    expect((twice.event ?? 0) - (once.event ?? 0)).toBeLessThanOrEqual(movesAgain.length - moves);
  });

  it('holds each answer as the provider gave it, and an echo only where the agent began a new chain', async () => {
    const accountId = await account(`answers ${name}`);
    await play(name, accountId, pipeline());
    const { rows } = await database.pool.query<{ origin: string; text: string }>(
      `SELECT m.origin, string_agg(i.kind || ':' || i.text, '|' ORDER BY i.position) AS text
       FROM message m JOIN item i ON i.account_id = m.account_id AND i.message_hash = m.hash
       WHERE m.account_id = $1 AND m.role = 'assistant' AND i.kind IN ('answer', 'tool_call')
       GROUP BY m.origin, m.hash`,
      [accountId],
    );
    const produced = rows.filter((row) => row.origin === 'produced').map((row) => row.text);
    const echoed = rows.filter((row) => row.origin === 'received').map((row) => row.text);
    expect(produced.length).toBeGreaterThan(name.endsWith('count-tokens') ? -1 : 0);
    const compacted = (await log(accountId)).some((line) => line.kind === 'client_compaction');
    if (!compacted) expect(echoed).toEqual([]);
  });
});

describe('the threads of a session', () => {
  it.each([
    ['claude-code/opus-one-shot', 1],
    ['claude-code/opus-session', 1],
    ['claude-code/opus-subagent', 2],
    ['codex/gpt-5.4-subagent', 2],
    ['opencode/anthropic-subagent', 2],
    ['opencode/openai-subagent', 2],
    ['pi/openai-session', 1],
  ])('of %s are its main line and its sub-agents, side requests not among them', async (name, threads) => {
    const accountId = await account(`threads ${name}`);
    await play(name, accountId, pipeline());
    const { items } = await createArchiveReader(database.pool, { clock }).listSessions(accountId, {
      limit: 10,
    });
    expect(items.map((session) => session.threads)).toEqual([threads]);
  });
});

describe('what is remembered of the request before', () => {
  const content = async (accountId: Uuid) =>
    (await log(accountId)).map(({ thread, kind, text, origin }) => ({ thread, kind, text, origin }));

  it.each(recordedCases)('changes nothing in the archive of %s', async (name) => {
    const remembering = await account(`remembering ${name}`);
    const forgetful = await account(`forgetful ${name}`);
    await play(name, remembering, pipeline());
    for (const { request, answer } of readCase(name, forgetful, start)) {
      const fresh = pipeline();
      await fresh.request(request);
      await fresh.answer(answer);
    }
    const plain = (lines: Awaited<ReturnType<typeof content>>) =>
      lines.map((line) => ({ ...line, text: line.text?.replace(/\[masked:(\w+):\w+\]/g, '[$1]') }));
    expect(plain(await content(remembering))).toEqual(plain(await content(forgetful)));
  });

  it('is not believed after a deletion: the next request brings all of it again', async () => {
    const name = 'claude-code/opus-session';
    const accountId = await account(`deleted ${name}`);
    const reader = createArchiveReader(database.pool, { clock });
    const exchanges = readCase(name, accountId, start);
    const into = pipeline();
    const half = Math.floor(exchanges.length / 2);
    for (const { request, answer } of exchanges.slice(0, half)) {
      await into.request(request);
      await into.answer(answer);
    }
    const [before] = (await reader.listSessions(accountId, { limit: 10 })).items;
    if (before === undefined) throw new Error('nothing was archived');
    const typed = (await log(accountId)).filter((line) => line.kind === 'input' && line.thread === '');
    expect(typed.length).toBeGreaterThan(0);
    await reader.deleteSession(accountId, before.id, clock.now());
    for (const { request, answer } of exchanges.slice(half)) {
      await into.request(request);
      await into.answer(answer);
    }
    const again = (await log(accountId)).filter((line) => line.kind === 'input' && line.thread === '');
    expect(again.map((line) => line.text)).toEqual(expect.arrayContaining(typed.map((line) => line.text)));
  });
});

describe('requests that are archived before they are sent', () => {
  it.each(recordedCases.filter((name) => /session|subagent/.test(name)))(
    '%s leaves the archive as it is without',
    async (name) => {
      const [plain, early] = [await account(`plain ${name}`), await account(`early ${name}`)];
      await play(name, plain, pipeline());
      const into = pipeline();
      for (const { request, answer } of readCase(name, early, start)) {
        await into.early(request);
        await into.request(request);
        await into.answer(answer);
      }
      expect(await log(early)).toEqual(await log(plain));
      expect(await counts(early)).toEqual(await counts(plain));
      expect(await recorded(early)).toEqual(await recorded(plain));
    },
  );
});

/** What the records of requests say, in their order. */
async function recorded(accountId: Uuid): Promise<readonly unknown[]> {
  const { rows } = await database.pool.query(
    `SELECT kind, retry, note, model, thread_id IS NULL AS unplaced, last_message IS NULL AS empty,
       preamble_hash IS NULL AS bare FROM request WHERE account_id = $1 ORDER BY received_at, id`,
    [accountId],
  );
  return rows;
}

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type ArchiveKeeper,
  type ArchiveReader,
  type ArchiveWriter,
  createArchiveHousekeeper,
  createArchiveKeeper,
  createArchiveReader,
  createArchiveWriter,
  ensureAccount,
} from '../../archive/index.ts';
import { integrityFaults } from '../../archive/store/testing-integrity.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { type ManualClock, manualClock } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { InstallationKey } from '../../kernel/installation-key.ts';
import { createLogger } from '../../kernel/log.ts';
import { systemRandom } from '../../kernel/random.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import type { FromWorker } from './protocol.ts';
import { createQueue } from './queue.ts';
import { type RecordedExchange, readCase } from './recorded.testing.ts';

const installationKey = new Uint8Array(32).fill(3) as InstallationKey;
const start = Date.UTC(2026, 10, 30, 9);
let database: Database;
let clock: ManualClock;
let accounts = 0;
let accountId: Uuid;
let writer: ArchiveWriter;
let pipeline: Pipeline;
let reader: ArchiveReader;
let keeper: ArchiveKeeper;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.stop();
});
beforeEach(async () => {
  clock = manualClock(start);
  accounts += 1;
  const tools = { clock, random: systemRandom, installationKey };
  accountId = await ensureAccount(database.pool, `account ${accounts}`, tools);
  writer = createArchiveWriter(database.pool, { clock, installationKey });
  pipeline = createPipeline(writer);
  reader = createArchiveReader(database.pool, { clock });
  keeper = createArchiveKeeper(database.pool, { clock });
});

const exchangesOf = (name = 'claude-code/opus-session') => readCase(name, accountId, start);

/** The first exchange of the conversation in which the model is asked for something about the project. */
function firstTurn(): RecordedExchange {
  const found = exchangesOf().find(({ request }) => Buffer.from(request.body).includes('working directory'));
  if (found === undefined) throw new Error('no turn');
  return found;
}

async function play(exchanges: readonly RecordedExchange[]): Promise<void> {
  for (const { request, answer } of exchanges) {
    await pipeline.request(request);
    await pipeline.answer(answer);
  }
}

/** The main line of every session as kinds and texts, without marks: what a person reads. */
async function readable(): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ line: string }>(
    `SELECT e.kind || ': ' || i.text AS line FROM event e
     JOIN thread t ON t.account_id = e.account_id AND t.id = e.thread_id
     JOIN item i ON i.account_id = e.account_id AND i.message_hash = e.message_hash AND i.position = e.position
     WHERE e.account_id = $1 AND t.client_thread_id = '' AND e.kind IN ('input', 'answer', 'tool_call', 'tool_result')
     ORDER BY e.session_id, e.seq`,
    [accountId],
  );
  return rows.map((row) => row.line);
}

async function sessions(): Promise<readonly { readonly id: Uuid; readonly project: Uuid | null }[]> {
  const { items } = await reader.listSessions(accountId, { limit: 100 });
  return items.map((one) => ({ id: one.id, project: one.project?.id ?? null }));
}

async function onlySession(): Promise<{ readonly id: Uuid; readonly project: Uuid }> {
  const [one] = await sessions();
  if (one?.project == null) throw new Error('no session in a project');
  return { id: one.id, project: one.project };
}

async function countOf(table: string): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM ${table} WHERE account_id = $1`,
    [accountId],
  );
  return rows[0]?.n ?? -1;
}

describe('an agent that goes on talking while its conversation is deleted', () => {
  test.each(['session', 'project', 'archive'] as const)(
    'begins anew with its next request, which brings the whole of it (%s)',
    async (what) => {
      const exchanges = exchangesOf();
      await play(exchanges);
      const whole = (await readable()).filter((line) => line.startsWith('input'));
      accountId = await ensureAccount(database.pool, `again ${what} ${accounts}`, {
        clock,
        random: systemRandom,
        installationKey,
      });
      const again = exchangesOf();
      const half = Math.floor(again.length / 2);
      await play(again.slice(0, half));
      const before = await onlySession();
      if (what === 'session') await reader.deleteSession(accountId, before.id, clock.now());
      else if (what === 'project') await keeper.deleteProject(accountId, before.project, clock.now());
      else await keeper.deleteArchive(accountId, clock.now());
      expect(await countOf('message')).toBe(0);
      await expectAnew(again.slice(half), whole);
      const after = await onlySession();
      expect(after.id).not.toBe(before.id);
      expect(await integrityFaults(database.pool, accountId)).toEqual({});
    },
  );

  /** As the queue does it: what deletions came between is read anew. */
  async function expectAnew(rest: readonly RecordedExchange[], inputs: readonly string[]): Promise<void> {
    const told: FromWorker[] = [];
    const queue = createQueue({
      pipeline,
      writer,
      clock,
      log: createLogger('silent', 'test'),
      tell: (message) => told.push(message),
    });
    let job = 0;
    for (const { request, answer } of rest) {
      queue.take({ job: ++job, request });
      queue.take({ job: ++job, answer });
    }
    await expect.poll(() => told.filter((one) => one.type === 'done').length, { timeout: 20_000 }).toBe(job);
    expect(told.filter((one) => one.type === 'done' && one.notArchived !== null)).toEqual([]);
    expect((await readable()).filter((line) => line.startsWith('input'))).toEqual(inputs);
  }

  test('loses the answer that was on its way, not more, and nothing of it is kept', async () => {
    const first = firstTurn();
    await pipeline.request(first.request);
    expect(await countOf('message')).toBeGreaterThan(0);
    await keeper.deleteArchive(accountId, clock.now());
    await pipeline.answer(first.answer);
    const left = await Promise.all(
      ['session', 'message', 'item', 'answer', 'request', 'preamble'].map(countOf),
    );
    expect(left).toEqual([0, 0, 0, 0, 0, 0]);
  });

  test('of which nobody knows the session loses it just so', async () => {
    const first = firstTurn();
    const body = Buffer.from(
      JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'words that name no session' }] }),
    );
    const request = { ...first.request, headers: [], body };
    await pipeline.request(request);
    const [unplaced] = (await reader.listSessions(accountId, { limit: 2 })).items;
    if (unplaced === undefined) throw new Error('no session was made');
    expect(unplaced).toMatchObject({ clientSessionId: null, requests: 1 });
    await reader.deleteSession(accountId, unplaced.id, clock.now());
    await pipeline.answer(first.answer);
    const left = await Promise.all(
      ['session', 'message', 'item', 'answer', 'request', 'preamble'].map(countOf),
    );
    expect(left).toEqual([0, 0, 0, 0, 0, 0]);
  });
});

describe('deletions that meet', () => {
  test('writers and each other leave whole conversations or none', async () => {
    const names = ['claude-code/opus-session', 'claude-code/opus-subagent', 'codex/gpt-5.4-subagent'];
    const told: FromWorker[] = [];
    const queue = createQueue({
      pipeline,
      writer,
      clock,
      log: createLogger('silent', 'test'),
      tell: (message) => told.push(message),
    });
    let job = 0;
    for (const { request, answer } of names.flatMap(exchangesOf)) {
      queue.take({ job: ++job, request });
      queue.take({ job: ++job, answer });
    }
    const done = () => told.filter((one) => one.type === 'done').length;
    let deleted = 0;
    for (let round = 0; done() < job; round += 1) {
      const standing = await sessions();
      const results = await Promise.all(
        standing.flatMap(({ id, project }) => [
          reader.deleteSession(accountId, id, clock.now()),
          reader.deleteSession(accountId, id, clock.now()),
          ...(project !== null && round % 3 === 0
            ? [keeper.deleteProject(accountId, project, clock.now())]
            : []),
        ]),
      );
      deleted += results.filter(Boolean).length;
      const seen = done();
      await expect.poll(() => done() > seen || done() === job, { timeout: 20_000 }).toBe(true);
    }
    expect(deleted).toBeGreaterThan(0);
    expect(told.filter((one) => one.type === 'done' && one.notArchived !== null)).toEqual([]);
    expect(await integrityFaults(database.pool, accountId)).toEqual({});
    await keeper.deleteArchive(accountId, clock.now());
    expect(await countOf('message')).toBe(0);
    expect(await countOf('blob')).toBe(0);
  });

  test('one session count once', async () => {
    await play([firstTurn()]);
    const { id } = await onlySession();
    const results = await Promise.all(
      Array.from({ length: 6 }, () => reader.deleteSession(accountId, id, clock.now())),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
    const { rows } = await database.pool.query('SELECT act FROM audit WHERE account_id = $1', [accountId]);
    expect(rows).toEqual([{ act: 'session.delete' }]);
  });
});

describe('a process that ends in the middle of a deletion', () => {
  test('has deleted whole sessions, and the next one ends what it began', async () => {
    await play(exchangesOf('claude-code/opus-one-shot'));
    await play(exchangesOf('claude-code/opus-session'));
    await play(exchangesOf('claude-code/opus-subagent'));
    const all = await sessions();
    expect(all.length).toBeGreaterThan(2);
    const archive = { kind: 'archive', subject: accountId } as const;
    expect(await keeper.planDeletion(accountId, archive, clock.now())).toBe(clock.now() + 12_000);
    clock.advance(12_000);
    // The process ends when the first session is gone: its connections break, whatever it was doing.
    let commits = 0;
    const dying = new Proxy(database.pool, {
      get(pool, name) {
        if (name !== 'connect') return Reflect.get(pool, name).bind(pool);
        return async () => {
          const client = await pool.connect();
          const { query } = client;
          client.query = ((...given: Parameters<typeof query>) => {
            if ((given as unknown[])[0] === 'COMMIT') commits += 1;
            if (commits > 1) return Promise.reject(new Error('the process was killed'));
            return Reflect.apply(query, client, given);
          }) as typeof query;
          return client;
        };
      },
    });
    await expect(createArchiveHousekeeper(dying, { clock }).carryOutDeletions(accountId)).rejects.toThrow();
    expect((await sessions()).length).toBe(all.length - 1);
    expect(await integrityFaults(database.pool, accountId)).toEqual({});
    expect(await keeper.undoDeletion(accountId, accountId)).toBe(false);

    const housekeeper = createArchiveHousekeeper(database.pool, { clock });
    await housekeeper.renewPlans(accountId);
    expect(await housekeeper.carryOutDeletions(accountId)).toEqual({ done: 1, next: null });
    expect(await sessions()).toEqual([]);
    expect(await countOf('message')).toBe(0);
    expect(await countOf('pending_deletion')).toBe(0);
  });
});

import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { ArchiveReader, MessageHash } from '../types.ts';
import { createArchiveKeeper } from './keeper.ts';
import { createArchiveReader } from './reader.ts';
import { call, item, result, type Scene, scene, type Turn } from './testing.ts';
import { integrityFaults } from './testing-integrity.ts';

let database: Database;
let pool: pg.Pool;
let accounts = 0;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());

/** A session of a random forest: it goes on from a message of an earlier one, or begins anew. */
interface Plant {
  /** Which earlier session it forks from, and after how many of its messages; null: from none. */
  readonly from: readonly [session: number, messages: number] | null;
  readonly turns: readonly Words[];
  readonly subAgent: readonly Words[];
  /** Which of a few system prompts its requests have. */
  readonly preamble: number;
}

/** Words and pictures of a turn, out of a few, so that different sessions say and show the same. */
interface Words {
  readonly typed: number;
  readonly picture: number | null;
  readonly answers: boolean;
}

const words: fc.Arbitrary<Words> = fc.record({
  typed: fc.nat(3),
  picture: fc.option(fc.nat(2)),
  answers: fc.boolean(),
});

const forest: fc.Arbitrary<{ readonly plants: readonly Plant[]; readonly order: readonly number[] }> = fc
  .array(
    fc.record({
      from: fc.option(fc.tuple(fc.nat(5), fc.nat(6)), { freq: 3 }),
      turns: fc.array(words, { minLength: 1, maxLength: 3 }),
      subAgent: fc.array(words, { maxLength: 2 }),
      preamble: fc.nat(1),
    }),
    { minLength: 2, maxLength: 6 },
  )
  .chain((plants) =>
    fc.record({
      plants: fc.constant(plants),
      order: fc.shuffledSubarray(
        plants.map((_, n) => n),
        { minLength: plants.length },
      ),
    }),
  );

function turnsOf(said: readonly Words[]): Turn[] {
  return said.flatMap(({ typed, picture, answers }): Turn[] => {
    const bytes = Buffer.from(`picture ${picture}`);
    const media = picture === null ? [] : [{ mime: 'image/png', bytes }];
    const user: Turn = ['user', item({ text: `typed ${typed}`, media })];
    if (!answers) return [user];
    return [
      user,
      ['assistant', item({ kind: 'answer', text: `answer ${typed}` }), call(`c${typed}`)],
      ['user', result(`c${typed}`, `result ${typed}`)],
    ];
  });
}

/** Grows a forest and answers its sessions, in order. */
async function grow(stage: Scene, plants: readonly Plant[]): Promise<readonly Uuid[]> {
  const chains: MessageHash[][] = [];
  const sessions: Uuid[] = [];
  for (const [n, { from, turns, subAgent, preamble }] of plants.entries()) {
    const origin = from === null || n === 0 ? [] : (chains[from[0] % n] ?? []).slice(0, from[1]);
    const thread = await stage.open(`session ${n}`);
    const added = stage.chain(origin.at(-1) ?? stage.root, ...turnsOf(turns));
    const hash = stage.slice(`preamble ${preamble}`);
    const request = stage.request(thread, { preambleHash: hash, lastMessage: added.at(-1)?.hash ?? null });
    const aliases = added.map((one) => ({
      parent: one.parent,
      slice: stage.slice(`${n}`),
      message: one.hash,
    }));
    await stage.writer.append(stage.batch(thread, added, { aliases }));
    await stage.writer.saveRequest(request);
    await stage.writer.savePreamble(stage.accountId, hash, async () => [
      { name: 'system', body: Buffer.from(`preamble ${preamble}`) },
    ]);
    await stage.writer.saveAnswer({
      id: stage.id(),
      accountId: stage.accountId,
      requestId: request.id,
      providerId: null,
      state: 'complete',
      messages: added.slice(-1).map((one) => one.hash),
    });
    if (subAgent.length > 0) {
      const agent = await stage.open(`session ${n}`, 'agent');
      await stage.writer.append(stage.batch(agent, stage.chain(stage.root, ...turnsOf(subAgent))));
    }
    chains.push([...origin, ...added.map((one) => one.hash)]);
    sessions.push(thread.sessionId);
    stage.clock.advance(1000);
  }
  return sessions;
}

/** All that is told of a session: what it was forked from is not, since that may be gone; nor how often a form was seen. */
async function told(reader: ArchiveReader, accountId: Uuid, sessionId: Uuid): Promise<unknown> {
  const lines: unknown[] = [];
  for await (const line of reader.exportSession(accountId, sessionId)) lines.push(JSON.parse(line));
  expect(lines.length).toBeGreaterThan(2);
  return JSON.parse(
    JSON.stringify(lines, (key, value: unknown) => (key === 'fork_session_id' ? undefined : value)),
  );
}

async function rows(accountId: Uuid): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const table of [
    'session',
    'thread',
    'event',
    'message',
    'item',
    'media',
    'blob',
    'request',
    'preamble',
  ]) {
    const found = await pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${table} WHERE account_id = $1`,
      [accountId],
    );
    counts[table] = found.rows[0]?.n ?? -1;
  }
  return counts;
}

async function newScene(): Promise<Scene> {
  accounts += 1;
  return scene(pool, `forest ${accounts}`);
}

test('whatever sessions share, those that remain read as before, and nothing remains that none refers to', async () => {
  await fc.assert(
    fc.asyncProperty(forest, async ({ plants, order }) => {
      const stage = await newScene();
      const reader = createArchiveReader(pool, { clock: stage.clock });
      const sessions = await grow(stage, plants);
      expect(await integrityFaults(pool, stage.accountId)).toEqual({});
      let left = [...sessions];
      for (const n of order) {
        const goes = sessions[n] as Uuid;
        left = left.filter((one) => one !== goes);
        const before = await Promise.all(left.map((one) => told(reader, stage.accountId, one)));
        expect(await reader.deleteSession(stage.accountId, goes, stage.clock.now())).toBe(true);
        expect(await Promise.all(left.map((one) => told(reader, stage.accountId, one)))).toEqual(before);
        expect(await integrityFaults(pool, stage.accountId)).toEqual({});
      }
      expect(Object.values(await rows(stage.accountId)).every((count) => count === 0)).toBe(true);
    }),
    { numRuns: 12 },
  );
});

test('an order of deletions leads where any other does: what is left depends on who is left alone', async () => {
  await fc.assert(
    fc.asyncProperty(forest, fc.nat(5), async ({ plants, order }, kept) => {
      const counts: unknown[] = [];
      for (const turn of [order, [...order].reverse()]) {
        const stage = await newScene();
        const reader = createArchiveReader(pool, { clock: stage.clock });
        const sessions = await grow(stage, plants);
        for (const n of turn)
          if (n !== kept % plants.length)
            await reader.deleteSession(stage.accountId, sessions[n] as Uuid, stage.clock.now());
        counts.push(await rows(stage.accountId));
        await createArchiveKeeper(pool, { clock: stage.clock }).deleteArchive(
          stage.accountId,
          stage.clock.now(),
        );
        expect(Object.values(await rows(stage.accountId)).every((count) => count === 0)).toBe(true);
      }
      expect(counts[0]).toEqual(counts[1]);
    }),
    { numRuns: 6 },
  );
});

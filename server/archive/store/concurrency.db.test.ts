import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Database, openPool } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { createLogger } from '../../kernel/log.ts';
import type { ArchiveWriter } from '../types.ts';
import type { StorePool } from './connection.ts';
import { createArchiveReader } from './reader.ts';
import { call, item, result, type Scene, scene, type Turn } from './testing.ts';

let database: Database;
let pools: readonly pg.Pool[];
let writers: readonly ArchiveWriter[];
let stage: Scene;
let accounts = 0;

beforeAll(async () => {
  database = await testDatabase();
  pools = [database.pool, openPool(database.settings, createLogger('silent', 'test'), { max: 8 })];
});
afterAll(async () => {
  await pools[1]?.end();
  await database.stop();
});
beforeEach(async () => {
  accounts += 1;
  stage = await scene(database.pool, `account ${accounts}`);
  writers = [stage.writer, stage.secondWriter(pools[1] ?? database.pool)];
});

const TURNS: readonly Turn[] = Array.from({ length: 20 }, (_, n): readonly Turn[] => [
  ['user', n === 0 ? item({ text: 'start' }) : result(`call ${n - 1}`, `result ${n}`)],
  ['assistant', item({ kind: 'answer', text: `answer ${n}` }), call(`call ${n}`)],
]).flat();

interface LogLine {
  readonly session_id: Uuid;
  readonly seq: number;
  readonly hash: string;
  readonly parent: string;
  readonly position: number;
}

async function readLogs(): Promise<readonly LogLine[]> {
  const { rows } = await database.pool.query<LogLine>(
    `SELECT e.session_id, e.seq, encode(m.hash, 'hex') AS hash, encode(m.parent, 'hex') AS parent, e.position
     FROM event e JOIN message m ON m.account_id = e.account_id AND m.hash = e.message_hash
     WHERE e.account_id = $1 AND e.position IS NOT NULL ORDER BY e.session_id, e.seq`,
    [stage.accountId],
  );
  return rows;
}

/** Does the tasks, as many at once as both pools have connections: one that waits for a connection is given up in time. */
async function atOnce(tasks: readonly (() => Promise<unknown> | undefined)[]): Promise<void> {
  const left = tasks.values();
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (const task of left) await task();
    }),
  );
}

async function count(sql: string): Promise<number> {
  const { rows } = await database.pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${sql}`, [
    stage.accountId,
  ]);
  return rows[0]?.n ?? -1;
}

describe('two gateways that write at once', () => {
  test('one conversation become one chain: no message twice, none missing, no gap, parents first', async () => {
    const messages = stage.chain(stage.root, ...TURNS);
    await atOnce(
      Array.from({ length: 200 }, (_, n) => async () => {
        const writer = writers[n % 2];
        const thread = await writer?.openThread(
          stage.accountId,
          {
            agent: 'codex',
            agentVersion: null,
            clientSessionId: 'one',
            clientThreadId: null,
            parentThreadId: null,
            kind: 'main',
            place: {
              folder: null,
              root: null,
              remoteUrl: null,
              branch: null,
              commit: null,
              isRepository: null,
            },
            uncertain: null,
          },
          null,
          stage.clock.now(),
        );
        const end = 1 + ((n * 7) % messages.length);
        await writer?.append(stage.batch(thread ?? null, messages.slice(0, end)));
      }),
    );
    const log = await readLogs();
    expect(new Set(log.map((line) => line.session_id)).size).toBe(1);
    expect(new Set(log.map((line) => `${line.hash}:${line.position}`)).size).toBe(log.length);
    expect(log).toHaveLength(60);
    const places = new Map(log.map((line, n) => [line.hash, n]));
    for (const [n, line] of log.entries()) expect(places.get(line.parent) ?? -1).toBeLessThan(n);
    const seqs = await database.pool.query<{ seq: number }>(
      'SELECT seq FROM event WHERE account_id = $1 ORDER BY seq',
      [stage.accountId],
    );
    expect(seqs.rows.map((row) => row.seq)).toEqual(seqs.rows.map((_, n) => n + 1));
    expect(await count('message WHERE account_id = $1')).toBe(40);
    expect(await count('session WHERE account_id = $1')).toBe(1);
    expect(await count('thread WHERE account_id = $1')).toBe(1);
  });

  test('many sessions, each get their own gapless log', async () => {
    const threads = await Promise.all(Array.from({ length: 20 }, (_, n) => stage.open(`s${n}`)));
    const messages = stage.chain(stage.root, ...TURNS.slice(0, 10));
    await atOnce(
      threads.flatMap((thread) =>
        messages.map((_, n) => () => writers[n % 2]?.append(stage.batch(thread, messages.slice(0, n + 1)))),
      ),
    );
    const log = await readLogs();
    for (const thread of threads) {
      const lines = log.filter((line) => line.session_id === thread.sessionId);
      expect(lines).toHaveLength(15);
    }
    const { rows } = await database.pool.query<{ first: number; last: number; n: number; next: number }>(
      `SELECT min(e.seq) AS first, max(e.seq) AS last, count(*)::int AS n, max(s.next_seq) AS next
       FROM event e JOIN session s ON s.account_id = e.account_id AND s.id = e.session_id
       WHERE e.account_id = $1 GROUP BY e.session_id`,
      [stage.accountId],
    );
    for (const row of rows) expect(row).toEqual({ first: 1, last: row.n, n: row.n, next: row.n + 1 });
  });

  test('a deletion beside appends leaves other sessions whole', async () => {
    const reader = createArchiveReader(database.pool, { clock: stage.clock });
    const messages = stage.chain(stage.root, ...TURNS.slice(0, 6));
    for (let round = 0; round < 10; round += 1) {
      const gone = await stage.open(`gone ${round}`);
      await stage.writer.append(stage.batch(gone, messages));
      const kept = await stage.open(`kept ${round}`);
      await Promise.all([
        reader.deleteSession(stage.accountId, gone.sessionId, stage.clock.now()),
        writers[1]?.append(stage.batch(kept, messages)),
        writers[0]?.append(stage.batch(kept, messages.slice(0, 3))),
      ]);
      const { rows } = await reader.readLog(stage.accountId, kept.sessionId, { limit: 100, clip: 100 });
      expect(rows.filter((row) => row.docid !== null)).toHaveLength(9);
      expect(await reader.deleteSession(stage.accountId, kept.sessionId, stage.clock.now())).toBe(true);
    }
    expect(await count('message WHERE account_id = $1')).toBe(0);
  });
});

describe('a transaction that dies', () => {
  /** A pool whose connections fail at the query with this number (from 1): before it runs, or by ending the server's side. */
  function failingPool(at: number, kill: boolean): StorePool {
    let seen = 0;
    return {
      query: ((...given: unknown[]) =>
        (database.pool.query as (...values: unknown[]) => unknown)(...given)) as pg.Pool['query'],
      connect: (async () => {
        const client = await database.pool.connect();
        const query = client.query.bind(client) as (...values: unknown[]) => Promise<unknown>;
        const failing = async (...values: unknown[]) => {
          seen += 1;
          if (seen === at && kill) await endSession(client);
          else if (seen === at) throw new Error('the process died here');
          return query(...values);
        };
        return new Proxy(client, {
          get: (target, key) => {
            if (key === 'query') return failing;
            const value: unknown = Reflect.get(target, key, target);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        });
      }) as pg.Pool['connect'],
    };
  }

  async function endSession(client: pg.PoolClient): Promise<void> {
    client.on('error', () => undefined);
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await database.pool.query('SELECT pg_terminate_backend($1, 5000)', [rows[0]?.pid]);
  }

  test.each([false, true])(
    'half-way leaves nothing, and the next append writes all (server side ended: %s)',
    async (kill) => {
      const messages = stage.chain(stage.root, ...TURNS.slice(0, 4));
      let failures = 0;
      for (let at = 1; ; at += 1) {
        const thread = await stage.open(`s ${at}`);
        const before = await rows();
        const writer = stage.secondWriter(failingPool(at, kill));
        const own = stage.chain(stage.root, ['user', item({ text: `own ${at}` })], ...TURNS.slice(0, 3));
        const died = await writer.append(stage.batch(thread, own)).then(
          () => false,
          () => true,
        );
        if (!died) break;
        failures += 1;
        expect(await rows()).toEqual(before);
        await stage.writer.append(stage.batch(thread, messages));
      }
      // BEGIN, content, clock, session, chain, events, title, COMMIT.
      expect(failures).toBeGreaterThanOrEqual(7);
    },
  );

  async function rows(): Promise<readonly number[]> {
    const tables = ['message', 'message_alias', 'item', 'blob', 'media', 'event'];
    return Promise.all(tables.map((table) => count(`${table} WHERE account_id = $1`)));
  }
});

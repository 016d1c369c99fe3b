import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { ArchiveReader, RequestOutcome } from '../types.ts';
import { createArchiveReader } from './reader.ts';
import { conversation, item, type Scene, START, scene } from './testing.ts';

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let reader: ArchiveReader;
let accounts = 0;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
  reader = createArchiveReader(pool, { clock: { now: () => START, monotonic: () => 0 } });
});
afterAll(() => database.stop());
beforeEach(async () => {
  accounts += 1;
  stage = await scene(pool, `account ${accounts}`);
});

function outcome(id: Uuid, more: Partial<RequestOutcome> = {}): RequestOutcome {
  return {
    id,
    accountId: stage.accountId,
    status: 200,
    ending: 'complete',
    responseBytes: 10,
    headMs: 1.5,
    firstByteMs: 2.25,
    totalMs: 30,
    ownMs: 0.5,
    providerRequestId: 'req_1',
    stopReason: 'end_turn',
    usage: null,
    error: null,
    ...more,
  };
}

describe('pages', () => {
  test('put together are all rows, newest first, each once, whatever comes in meanwhile', async () => {
    for (let n = 0; n < 23; n += 1) {
      if (n % 3 > 0) stage.clock.advance(1000);
      await stage.writer.saveRequest(stage.request(await stage.open(`s ${n}`)));
    }
    const lists = [
      async (limit: number, cursor?: string) => {
        const page = await reader.listSessions(stage.accountId, { limit, ...(cursor ? { cursor } : {}) });
        return { ...page, items: page.items.map((row) => ({ id: row.id, at: row.lastSeenAt })) };
      },
      async (limit: number, cursor?: string) => {
        const page = await reader.listRequests(stage.accountId, { limit, ...(cursor ? { cursor } : {}) });
        return { ...page, items: page.items.map((row) => ({ id: row.id, at: row.receivedAt })) };
      },
    ];
    for (const list of lists) {
      const { items: all, next: none } = await list(1000);
      expect(none).toBeNull();
      expect(all.length).toBeGreaterThanOrEqual(23);
      expect(all.map((row) => row.at)).toEqual(all.map((row) => row.at).sort((left, right) => right - left));
      const seen: unknown[] = [];
      let next: string | undefined;
      do {
        const page = await list(5, next);
        seen.push(...page.items);
        next = page.next ?? undefined;
        stage.clock.advance(1000);
        await stage.writer.saveRequest(stage.request(await stage.open(`new ${stage.clock.now()}`)));
      } while (next);
      expect(seen).toEqual(all);
    }
  });

  test('refuse a cursor that no page gave', async () => {
    for (const cursor of ['', 'x', 'MTIz', Buffer.from('1.2').toString('base64url')]) {
      await expect(reader.listSessions(stage.accountId, { limit: 5, cursor })).rejects.toMatchObject({
        code: 'bad_request',
      });
    }
  });
});

describe('sessions', () => {
  test('are filtered by agent, project, words and time', async () => {
    const one = await conversation(stage, 'one', 'Fix the Login_page 100%');
    stage.clock.advance(10_000);
    const two = await conversation(stage, 'two', 'other things');
    const ids = async (filter: Partial<Parameters<ArchiveReader['listSessions']>[1]>) =>
      (await reader.listSessions(stage.accountId, { limit: 9, ...filter })).items.map((row) => row.id);
    expect(await ids({})).toEqual([two, one]);
    expect(await ids({ text: 'login_PAGE 100%' })).toEqual([one]);
    expect(await ids({ text: 'loginXpage' })).toEqual([]);
    expect(await ids({ text: 'one\0' })).toEqual([]);
    expect(await ids({ agent: 'codex' })).toEqual([]);
    expect(await ids({ agent: 'claude-code' })).toEqual([two, one]);
    expect(await ids({ projectId: one })).toEqual([]);
    expect(await ids({ projectId: 'no id' as Uuid })).toEqual([]);
    expect(await ids({ from: stage.clock.now() })).toEqual([two]);
    expect(await ids({ to: stage.clock.now() })).toEqual([one]);
  });

  test('tell what is known of them', async () => {
    const id = await conversation(stage, 'named', 'hello there');
    const agent = await stage.open('named', 'agent-1');
    await stage.writer.append(stage.batch(agent, stage.chain(stage.root, ['user', item({ text: 'sub' })])));
    await stage.writer.saveRequest(stage.request(agent));
    expect(await reader.getSession(stage.accountId, id)).toMatchObject({
      id,
      clientSessionId: 'named',
      agent: 'claude-code',
      agentVersion: '2.1.0',
      title: 'hello there',
      project: null,
      worktree: null,
      startedAt: START,
      lastSeenAt: START,
      turns: 1,
      requests: 1,
      threads: 2,
    });
    expect(await reader.getSession(stage.accountId, 'x' as Uuid)).toBeNull();
  });
});

describe('an id', () => {
  test('may be a prefix that no other has; an ambiguous one gets its candidates', async () => {
    await conversation(stage, 's', ...Array.from({ length: 40 }, (_, n) => `${n}`));
    const { rows } = await pool.query<{ docid: string }>('SELECT docid FROM item WHERE account_id = $1', [
      stage.accountId,
    ]);
    const ids = rows.map((row) => `context-mode-msg-${row.docid}`);
    for (const id of ids) {
      for (const digits of [0, 1, 2, 3, 4, 16]) {
        const length = 'context-mode-msg-'.length + digits;
        const prefix = id.slice(0, length);
        const others = ids.filter((other) => other.startsWith(prefix)).sort();
        const answer = await reader.readDocument(stage.accountId, prefix, {});
        if (digits === 0) expect(answer).toEqual({ missing: true });
        else if (others.length === 1) expect(answer).toMatchObject({ found: { docid: id } });
        else expect(answer).toEqual({ ambiguous: others.slice(0, 20) });
      }
    }
    for (const odd of ['', ' ', 'g', 'context-mode-msg-%', '0'.repeat(65), "'", '\0']) {
      expect(await reader.readDocument(stage.accountId, odd, {})).toEqual({ missing: true });
      expect(await reader.readRaw(stage.accountId, odd)).toBeNull();
    }
  });
});

describe('requests', () => {
  test('come back with their outcome, usage and error as they were reported', async () => {
    const thread = await stage.open('s', 'agent-1');
    const request = stage.request(thread, { path: `/v1/${'x'.repeat(5000)}`, note: 'odd\0' });
    await stage.writer.saveRequest(request);
    await stage.writer.saveRequest(request);
    expect(await reader.getRequest(stage.accountId, request.id)).toMatchObject({
      status: null,
      ending: null,
      usage: null,
    });
    const usage = {
      input: 2 ** 40,
      cacheRead: 1,
      cacheWrite5m: null,
      cacheWrite1h: 0,
      cacheWriteOther: null,
      output: 7,
      reasoning: null,
    };
    const error = { type: 'overloaded_error', message: 'Over\ud800loaded' };
    await stage.writer.saveOutcome(outcome(request.id, { status: 529, ending: 'complete', usage, error }));
    expect(await reader.getRequest(stage.accountId, request.id)).toMatchObject({
      id: request.id,
      sessionId: thread.sessionId,
      thread: 'agent-1',
      status: 529,
      headMs: 1.5,
      firstByteMs: 2.25,
      ownMs: 0.5,
      usage,
      error: { type: 'overloaded_error', message: 'Over\ufffdloaded' },
      note: 'odd\u2400',
      path: `/v1/${'x'.repeat(1996)}`,
    });
    expect((await reader.getSession(stage.accountId, thread.sessionId))?.requests).toBe(1);
    expect((await stage.open('s', 'agent-1')).lastRequestMessage).toBeNull();
    await stage.writer.saveOutcome(outcome(stage.id()));
  });

  test('leave their last message with the thread, so that a retry is known', async () => {
    const thread = await stage.open('s');
    await stage.writer.saveRequest(stage.request(thread, { lastMessage: stage.root }));
    await stage.writer.saveRequest(stage.request(thread, { kind: 'title' }));
    expect((await stage.open('s')).lastRequestMessage).toEqual(stage.root);
  });

  test('tell of an unknown agent only if it took part in a conversation', async () => {
    const unknown = { agent: 'unknown', agentVersion: null } as const;
    await stage.writer.saveRequest(stage.request(null, { ...unknown, kind: 'other' }));
    expect(await reader.connections(stage.accountId)).toEqual([]);
    await stage.writer.saveRequest(stage.request(null, { ...unknown, kind: 'main' }));
    expect(await reader.connections(stage.accountId)).toMatchObject([{ agent: 'unknown', requests: 1 }]);
  });

  test('say per agent when it was seen last and how it went', async () => {
    const first = stage.request(null, { note: 'no session' });
    await stage.writer.saveRequest(first);
    await stage.writer.saveOutcome(outcome(first.id));
    stage.clock.advance(5);
    const codex = stage.request(null, { agent: 'codex', agentVersion: null });
    await stage.writer.saveRequest(codex);
    const error = { type: 'authentication_error', message: 'invalid x-api-key' };
    await stage.writer.saveOutcome(outcome(codex.id, { status: 401, error }));
    stage.clock.advance(5);
    await stage.writer.saveRequest(stage.request(null, { agent: 'codex', agentVersion: '0.171.0' }));
    expect(await reader.connections(stage.accountId)).toEqual([
      {
        agent: 'codex',
        agentVersion: '0.171.0',
        lastSeenAt: START + 10,
        requests: 2,
        lastStatus: 401,
        lastError: error,
      },
      {
        agent: 'claude-code',
        agentVersion: '2.1.0',
        lastSeenAt: START,
        requests: 1,
        lastStatus: 200,
        lastError: null,
      },
    ]);
  });
});

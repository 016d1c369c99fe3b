import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { ArchiveReader, LogRow, RequestOutcome } from '../types.ts';
import { createArchiveReader } from './reader.ts';
import { call, item, result, type Scene, START, scene } from './testing.ts';

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

async function conversation(name: string, ...texts: readonly string[]): Promise<Uuid> {
  const thread = await stage.open(name);
  const messages = stage.chain(stage.root, ...texts.map((text) => ['user', item({ text })] as const));
  await stage.writer.append(stage.batch(thread, messages));
  return thread.sessionId;
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
    const one = await conversation('one', 'Fix the Login_page 100%');
    stage.clock.advance(10_000);
    const two = await conversation('two', 'other things');
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
    const id = await conversation('named', 'hello there');
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

describe('the log', () => {
  async function mixed(): Promise<Uuid> {
    const thread = await stage.open('s');
    const messages = stage.chain(
      stage.root,
      ['user', item({ text: 'Please LIST 50% of it' })],
      ['assistant', item({ kind: 'answer', text: 'Gern: ÄÖ' }), call('a', '{"command":"ls -la"}')],
      ['user', result('a', 'back\\slash\0 and_under')],
    );
    await stage.writer.append(
      stage.batch(thread, messages, {
        marks: [{ kind: 'request_failed', message: null, data: { type: 'overloaded' } }],
      }),
    );
    return thread.sessionId;
  }
  const seqs = async (id: Uuid, filter: Partial<Parameters<ArchiveReader['readLog']>[2]>) =>
    (await reader.readLog(stage.accountId, id, { limit: 99, clip: 99, ...filter })).rows.map(
      (row) => row.seq,
    );

  test('matches like SQL: wildcards, ASCII in either case, everything else exactly', async () => {
    const id = await mixed();
    expect(await seqs(id, {})).toEqual([1, 2, 3, 4, 5]);
    expect(await seqs(id, { match: 'please list' })).toEqual([1]);
    expect(await seqs(id, { match: 'p%50' })).toEqual([1]);
    expect(await seqs(id, { match: 'G_rn' })).toEqual([2]);
    expect(await seqs(id, { match: 'äö' })).toEqual([]);
    expect(await seqs(id, { match: 'ÄÖ' })).toEqual([2]);
    expect(await seqs(id, { match: 'k\\s' })).toEqual([4]);
    expect(await seqs(id, { match: 'slash\\' })).toEqual([]);
    expect(await seqs(id, { match: 'h\0 a' })).toEqual([4]);
    expect(await seqs(id, { match: 'bash' })).toEqual([3]);
    expect(await seqs(id, { match: 'OVERLOADED' })).toEqual([5]);
    expect(await seqs(id, { kinds: ['tool_call', 'input'] })).toEqual([1, 3]);
    expect(await seqs(id, { kinds: [] })).toEqual([]);
  });

  test('finds a text as it is written, in any case, with what stands for anything in a pattern standing for itself', async () => {
    const id = await conversation(
      'literal',
      '100% of it, 100% again',
      '1000 of it',
      'a_b',
      'axb',
      'ÉTÉ \\d été',
      'NUL \0 here',
      'no such thing',
    );
    const find = async (text: string) => {
      const { total, matched, items } = await reader.findMatches(stage.accountId, id, { text, limit: 10 });
      expect(matched).toBe(items.length);
      expect(total).toBe(items.reduce((sum, one) => sum + one.count, 0));
      const { rows } = await reader.readLog(stage.accountId, id, {
        match: text,
        matchMode: 'literal',
        limit: 10,
        clip: 0,
      });
      expect(rows.map((row) => [row.seq, row.docid])).toEqual(items.map((one) => [one.seq, one.docid]));
      return items.map((one) => [one.seq, one.count]);
    };
    expect(await find('100%')).toEqual([[1, 2]]);
    expect(await find('OF IT')).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(await find('a_b')).toEqual([[3, 1]]);
    expect(await find('éTé')).toEqual([[5, 2]]);
    expect(await find('\\d')).toEqual([[5, 1]]);
    expect(await find('\0')).toEqual([[6, 1]]);
    expect(await find('nothing of that')).toEqual([]);
    expect(
      await reader.findMatches(stage.accountId, id, { text: 'of it', after: 1, limit: 10 }),
    ).toMatchObject({
      total: 1,
      items: [{ seq: 2 }],
    });
    expect(await reader.findMatches(stage.accountId, id, { text: '', limit: 10 })).toEqual({
      total: 0,
      matched: 0,
      items: [],
    });
  });

  test('finds in a text of ASCII letters alone what it finds in the same text with another letter behind it', async () => {
    const letters = fc.constantFrom(
      'k',
      'K',
      '\u212a',
      'i',
      'I',
      '\u0130',
      's',
      'S',
      '%',
      '_',
      '\\',
      '\n',
      ' ',
    );
    const ascii = letters.filter((letter) => letter < '\u007f');
    let made = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: ascii, minLength: 1, maxLength: 20 }),
        fc.string({ unit: letters, minLength: 1, maxLength: 3 }),
        async (plain, text) => {
          made += 1;
          const id = await conversation(`ascii ${made}`, plain, `${plain}é`);
          const { items } = await reader.findMatches(stage.accountId, id, { text, limit: 10 });
          const counts = [1, 2].map((seq) => items.find((one) => one.seq === seq)?.count ?? 0);
          expect(counts[0]).toBe(counts[1]);
          const expected = plain.toLowerCase().split(text.toLowerCase()).length - 1;
          if (!text.includes('\u0130')) expect(counts[0]).toBe(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('finds names of tools and facts of marks, and says how many there are beyond those it gives', async () => {
    const thread = await stage.open('marks');
    const messages = stage.chain(
      stage.root,
      ['user', item({ text: 'x' })],
      ['assistant', call('c', '{"command":"x x"}', 'WebFetch')],
    );
    const mark = { kind: 'client_compaction', message: null, data: { trigger: 'auto x' } } as const;
    await stage.writer.append(stage.batch(thread, messages, { marks: [mark] }));
    const find = (text: string, limit: number) =>
      reader.findMatches(stage.accountId, thread.sessionId, { text, limit });
    expect((await find('webfetch', 9)).items.map((one) => one.seq)).toEqual([3]);
    expect((await find('AUTO', 9)).items).toEqual([{ seq: 1, docid: null, count: 1 }]);
    expect(await find('x', 2)).toMatchObject({ total: 4, matched: 3, items: [{ seq: 1 }, { seq: 2 }] });
  });

  test('gives the newest of more matches than asked for, oldest first, between two positions', async () => {
    const id = await conversation('s', ...Array.from({ length: 30 }, (_, n) => `line ${n + 1}`));
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          after: fc.option(fc.integer({ min: -2, max: 33 }), { nil: undefined }),
          before: fc.option(fc.integer({ min: -2, max: 33 }), { nil: undefined }),
          limit: fc.integer({ min: 1, max: 33 }),
          match: fc.constantFrom(undefined, 'line', 'LINE 1', '_ 2_'),
        }),
        async ({ after, before, limit, match }) => {
          const all = Array.from({ length: 30 }, (_, n) => n + 1).filter(
            (seq) =>
              seq > (after ?? 0) &&
              seq < (before ?? 99) &&
              (match !== 'LINE 1' || `${seq}`.startsWith('1')) &&
              (match !== '_ 2_' || /^2\d/.test(`${seq}`)),
          );
          const filter = {
            limit,
            clip: 5,
            ...(after === undefined ? {} : { after }),
            ...(before === undefined ? {} : { before }),
          };
          const answer = await reader.readLog(
            stage.accountId,
            id,
            match === undefined ? filter : { ...filter, match },
          );
          expect(answer.rows.map((row) => row.seq)).toEqual(all.slice(-limit));
          expect(answer.showing).toBe(answer.rows.length);
          expect(answer.matched).toBe(all.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('tells of each row what a reader needs', async () => {
    const id = await mixed();
    const { rows } = await reader.readLog(stage.accountId, id, { limit: 9, clip: 4 });
    const [input, , toolCall, toolResult, mark] = rows as readonly [LogRow, LogRow, LogRow, LogRow, LogRow];
    expect(input).toMatchObject({
      kind: 'input',
      role: 'user',
      thread: 'main',
      body: 'Plea',
      length: 21,
      media: 0,
    });
    expect(toolCall).toMatchObject({
      kind: 'tool_call',
      tool: 'Bash',
      mainInput: 'ls',
      callId: 'a',
      isError: false,
    });
    expect(toolResult).toMatchObject({ kind: 'tool_result', callId: 'a', body: 'back' });
    expect(mark).toMatchObject({
      kind: 'request_failed',
      role: null,
      docid: null,
      body: '',
      data: { type: 'overloaded' },
    });
    expect(await reader.readEvent(stage.accountId, id, 4)).toMatchObject({ body: 'back\\slash\0 and_under' });
    for (const seq of [0, 6, -1, 1.5, Number.NaN, 2 ** 40])
      expect(await reader.readEvent(stage.accountId, id, seq)).toBeNull();
  });
});

describe('an id', () => {
  test('may be a prefix that no other has; an ambiguous one gets its candidates', async () => {
    await conversation('s', ...Array.from({ length: 40 }, (_, n) => `${n}`));
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

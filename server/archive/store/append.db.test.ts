import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { call, item, result, type Scene, START, scene } from './testing.ts';

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let accounts = 0;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());
beforeEach(async () => {
  accounts += 1;
  stage = await scene(pool, `account ${accounts}`);
});

interface LoggedEvent {
  readonly seq: number;
  readonly kind: string;
  readonly text: string | null;
  readonly at: number;
  readonly duration: number | null;
}

async function log(sessionId: Uuid): Promise<readonly LoggedEvent[]> {
  const { rows } = await pool.query<Omit<LoggedEvent, 'at'> & { at: Date }>(
    `SELECT e.seq, e.kind, i.text, e.at, e.duration_ms::int AS duration
     FROM event e LEFT JOIN item i USING (account_id, message_hash, position)
     WHERE e.account_id = $1 AND e.session_id = $2 ORDER BY e.seq`,
    [stage.accountId, sessionId],
  );
  return rows.map((row) => ({ ...row, at: row.at.getTime() }));
}

async function texts(sessionId: Uuid): Promise<readonly (string | null)[]> {
  return (await log(sessionId)).map((row) => row.text ?? row.kind);
}

async function rowCounts(): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const table of ['session', 'thread', 'message', 'message_alias', 'item', 'blob', 'media', 'event']) {
    const { rows } = await pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${table} WHERE account_id = $1`,
      [stage.accountId],
    );
    counts[table] = rows[0]?.n ?? -1;
  }
  return counts;
}

describe('the log', () => {
  test('holds each item once, in order, from position 1 without gaps', async () => {
    const thread = await stage.open('s');
    const messages = stage.chain(
      stage.root,
      ['user', item({ kind: 'injected', text: 'reminder' }), item({ text: 'do it' })],
      ['assistant', item({ kind: 'answer', text: 'I look' }), call('a'), call('b')],
    );
    expect(await stage.writer.append(stage.batch(thread, messages))).toEqual({ appended: 5 });
    stage.clock.advance(1500);
    const results = stage.chain(messages[1]?.hash ?? stage.root, [
      'user',
      result('b', 'B'),
      result('a', 'A'),
    ]);
    await stage.writer.append(stage.batch(await stage.open('s'), results));
    expect(await log(thread.sessionId)).toEqual([
      { seq: 1, kind: 'injected', text: 'reminder', at: START, duration: null },
      { seq: 2, kind: 'input', text: 'do it', at: START, duration: null },
      { seq: 3, kind: 'answer', text: 'I look', at: START, duration: null },
      { seq: 4, kind: 'tool_call', text: '{"command":"ls"}', at: START, duration: null },
      { seq: 5, kind: 'tool_call', text: '{"command":"ls"}', at: START, duration: null },
      { seq: 6, kind: 'tool_result', text: 'B', at: START + 1500, duration: 1500 },
      { seq: 7, kind: 'tool_result', text: 'A', at: START + 1500, duration: 1500 },
    ]);
    expect((await stage.open('s')).head).toEqual(results[0]?.hash);
  });

  test('is not touched by a resend or a retry', async () => {
    const thread = await stage.open('s');
    const messages = stage.chain(
      stage.root,
      ['user', item()],
      ['assistant', item({ kind: 'answer', text: 'hi' })],
    );
    const alias = { parent: stage.root, slice: stage.slice('x'), message: messages[0]?.hash ?? stage.root };
    const batch = stage.batch(thread, messages, { aliases: [alias] });
    await stage.writer.append(batch);
    const before = await rowCounts();
    stage.clock.advance(1000);
    expect(await stage.writer.append(batch)).toEqual({ appended: 0 });
    const first = messages.slice(0, 1);
    expect(await stage.writer.append(stage.batch(await stage.open('s'), first))).toEqual({ appended: 0 });
    expect(await rowCounts()).toEqual(before);
    expect((await stage.open('s')).head).toEqual(messages[1]?.hash);
  });

  test('gets what an earlier batch lost, from the chain', async () => {
    const messages = stage.chain(
      stage.root,
      ['user', item({ text: '1' })],
      ['assistant', item({ kind: 'answer', text: '2' })],
      ['user', item({ text: '3' })],
    );
    await stage.writer.append(stage.batch(await stage.open('other'), messages.slice(0, 1)));
    const thread = await stage.open('s');
    await stage.writer.append(stage.batch(thread, messages.slice(1)));
    expect(await texts(thread.sessionId)).toEqual(['1', '2', '3']);
  });

  test('of a rewind begins the new branch with a head move, and keeps the old branch', async () => {
    const thread = await stage.open('s');
    const [ask, answer] = stage.chain(
      stage.root,
      ['user', item({ text: 'ask' })],
      ['assistant', item({ kind: 'answer', text: 'old' })],
    );
    if (!ask || !answer) throw new Error('no chain');
    const old = stage.chain(answer.hash, ['user', item({ text: 'old way' })]);
    await stage.writer.append(stage.batch(thread, [ask, answer, ...old]));
    const branch = stage.chain(answer.hash, ['user', item({ text: 'new way' })]);
    await stage.writer.append(stage.batch(await stage.open('s'), branch));
    expect(await texts(thread.sessionId)).toEqual(['ask', 'old', 'old way', 'head_move', 'new way']);
    const next = stage.chain(branch[0]?.hash ?? stage.root, [
      'assistant',
      item({ kind: 'answer', text: 'yes' }),
    ]);
    const stale = stage.batch(thread, next, {
      marks: [{ kind: 'head_move', message: branch[0]?.hash ?? null, data: {} }],
    });
    await stage.writer.append(stale);
    expect((await texts(thread.sessionId)).slice(4)).toEqual(['new way', 'yes']);
  });

  test('carries marks: compactions before, failures behind the messages they came with', async () => {
    const thread = await stage.open('s');
    const messages = stage.chain(stage.root, ['user', item({ text: 'summary' })]);
    await stage.writer.append(
      stage.batch(thread, messages, {
        marks: [
          {
            kind: 'request_failed',
            message: messages[0]?.hash ?? null,
            data: { status: 529, type: 'over\0loaded\ud800' },
          },
          { kind: 'client_compaction', message: null, data: {} },
        ],
      }),
    );
    expect(await texts(thread.sessionId)).toEqual(['client_compaction', 'summary', 'request_failed']);
    expect(await stage.writer.append(stage.batch(thread, messages))).toEqual({ appended: 0 });
    const alone = stage.batch(thread, [], {
      marks: [{ kind: 'client_compaction', message: null, data: { n: 1 } }],
    });
    expect(await stage.writer.append(alone)).toEqual({ appended: 1 });
    expect(await stage.writer.append(alone)).toEqual({ appended: 0 });
    stage.clock.advance(1);
    expect(await stage.writer.append({ ...alone, at: stage.clock.now() })).toEqual({ appended: 1 });
  });

  test('links a result to the nearest call above it, also where the provider uses an id again', async () => {
    const thread = await stage.open('s');
    const messages = stage.chain(
      stage.root,
      ['user', item()],
      ['assistant', call('x', '{"n":1}')],
      ['user', result('x', 'one')],
      ['assistant', call('x', '{"n":2}')],
    );
    await stage.writer.append(stage.batch(thread, messages));
    const more = stage.chain(
      messages[3]?.hash ?? stage.root,
      ['user', result('x', 'two')],
      ['user', result('y', 'none')],
    );
    await stage.writer.append(stage.batch(await stage.open('s'), more));
    const { rows } = await pool.query<{ text: string; input: string | null }>(
      `SELECT r.text, c.text AS input FROM item r
       LEFT JOIN item c ON c.account_id = r.account_id AND c.message_hash = r.call_message AND c.position = r.call_position
       WHERE r.account_id = $1 AND r.kind = 'tool_result' ORDER BY r.text`,
      [stage.accountId],
    );
    expect(rows).toEqual([
      { text: 'none', input: null },
      { text: 'one', input: '{"n":1}' },
      { text: 'two', input: '{"n":2}' },
    ]);
  });
});

describe('a session', () => {
  test('is named by the first typed words, on one line of at most 120 characters', async () => {
    const thread = await stage.open('s');
    const [first] = stage.chain(stage.root, ['user', item({ kind: 'injected', text: 'reminder' })]);
    if (!first) throw new Error('no chain');
    await stage.writer.append(stage.batch(thread, [first]));
    const typed = stage.chain(first.hash, [
      'user',
      item({ text: `\n fix\r\n\tthe ${'\u{1f600}'.repeat(200)}` }),
    ]);
    await stage.writer.append(stage.batch(await stage.open('s'), typed));
    const { rows } = await pool.query<{ title: string; turns: number }>(
      'SELECT title, turns FROM session WHERE account_id = $1',
      [stage.accountId],
    );
    expect(rows).toEqual([{ title: `fix the ${'\u{1f600}'.repeat(111)}…`, turns: 1 }]);
    expect([...(rows[0]?.title ?? '')]).toHaveLength(120);
  });

  test('counts typed messages of the main line as turns, not those of sub-agents', async () => {
    const thread = await stage.open('s');
    await stage.writer.append(
      stage.batch(
        thread,
        stage.chain(
          stage.root,
          ['user', item({ text: '1' }), item({ text: '1b' })],
          ['assistant', call('a')],
          ['user', result('a', 'r'), item({ text: '2' })],
        ),
      ),
    );
    const agent = await stage.open('s', 'agent-1');
    expect(agent.sessionId).toBe(thread.sessionId);
    await stage.writer.append(stage.batch(agent, stage.chain(stage.root, ['user', item({ text: 'sub' })])));
    const { rows } = await pool.query('SELECT turns FROM session WHERE account_id = $1', [stage.accountId]);
    expect(rows).toEqual([{ turns: 2 }]);
  });

  test('that begins with the history of another is a fork: the same positions and times, counting on', async () => {
    const thread = await stage.open('parent');
    const history = stage.chain(
      stage.root,
      ['user', item({ text: '1' })],
      ['assistant', item({ kind: 'answer', text: '2' }), call('a')],
      ['user', result('a', '3')],
      ['assistant', item({ kind: 'answer', text: '4' })],
    );
    await stage.writer.append(stage.batch(thread, history.slice(0, 2)));
    const agent = await stage.open('parent', 'agent-1');
    await stage.writer.append(stage.batch(agent, stage.chain(stage.root, ['user', item({ text: 'sub' })])));
    stage.clock.advance(700);
    await stage.writer.append(stage.batch(await stage.open('parent'), history.slice(2)));
    stage.clock.advance(60_000);
    const last = history[3]?.hash ?? stage.root;
    await stage.writer.append(
      stage.batch(await stage.open('parent'), stage.chain(last, ['user', item({ text: 'on' })])),
    );
    const before = await log(thread.sessionId);

    const fork = await stage.open('fork');
    const own = stage.chain(last, ['user', item({ text: 'another way' })]);
    await stage.writer.append(stage.batch(fork, own));
    expect((await log(fork.sessionId)).slice(0, 6)).toEqual(before.slice(0, 6));
    expect(await texts(fork.sessionId)).toEqual([
      '1',
      '2',
      '{"command":"ls"}',
      'sub',
      '3',
      '4',
      'another way',
    ]);
    expect(await log(thread.sessionId)).toEqual(before);
    expect((await stage.open('fork')).head).toEqual(own[0]?.hash);
    const { rows } = await pool.query(
      'SELECT fork_session_id, fork_seq, next_seq, turns, title FROM session WHERE id = $1',
      [fork.sessionId],
    );
    expect(rows).toEqual([
      { fork_session_id: thread.sessionId, fork_seq: 6, next_seq: 8, turns: 2, title: '1' },
    ]);
  });

  test('that begins with the same typed words as another is no fork: its events have their own time', async () => {
    const first = stage.chain(stage.root, ['user', item({ text: 'hi' })]);
    await stage.writer.append(stage.batch(await stage.open('a'), first));
    stage.clock.advance(3_600_000);
    const thread = await stage.open('b');
    await stage.writer.append(stage.batch(thread, first));
    expect(await log(thread.sessionId)).toMatchObject([{ seq: 1, text: 'hi', at: START + 3_600_000 }]);
    expect(await rowCounts()).toMatchObject({ message: 1, item: 1, event: 2 });
  });

  test('without a name is found again by its chain', async () => {
    const messages = stage.chain(
      stage.root,
      ['user', item({ text: '1' })],
      ['assistant', item({ kind: 'answer', text: '2' })],
    );
    await stage.writer.append(stage.batch(null, messages.slice(0, 1)));
    await stage.writer.append(stage.batch(null, messages.slice(1)));
    await stage.writer.append(stage.batch(null, stage.chain(stage.root, ['user', item({ text: 'other' })])));
    const { rows } = await pool.query<{ id: Uuid }>(
      'SELECT id FROM session WHERE account_id = $1 ORDER BY next_seq',
      [stage.accountId],
    );
    expect(await Promise.all(rows.map((row) => texts(row.id)))).toEqual([['other'], ['1', '2']]);
  });
});

describe('time', () => {
  test('of an event is when it was seen, and never runs backwards within a session, even if the clock of the host does', async () => {
    const thread = await stage.open('s');
    const [one, two] = stage.chain(stage.root, ['user', item({ text: '1' })], ['user', item({ text: '2' })]);
    if (!one || !two) throw new Error('no chain');
    await stage.writer.append(stage.batch(thread, [one]));
    stage.clock.advance(-3_600_000);
    await stage.writer.append(stage.batch(await stage.open('s'), [two]));
    const other = await stage.open('t');
    await stage.writer.append(stage.batch(other, stage.chain(stage.root, ['user', item({ text: '3' })])));
    await stage.writer.saveRequest(stage.request(other));
    expect((await log(thread.sessionId)).map((row) => row.at)).toEqual([START, START]);
    const late = START - 3_600_000;
    expect((await log(other.sessionId)).map((row) => row.at)).toEqual([late]);
    const { rows } = await pool.query<{ received_at: Date; started_at: Date }>(
      'SELECT received_at, started_at FROM request JOIN session ON session.id = session_id WHERE request.account_id = $1',
      [stage.accountId],
    );
    expect(rows).toEqual([{ received_at: new Date(late), started_at: new Date(late) }]);
  });
});

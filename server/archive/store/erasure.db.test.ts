import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { ArchiveReader, NewMessage } from '../types.ts';
import { createArchiveReader } from './reader.ts';
import { call, item, result, type Scene, scene } from './testing.ts';

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let reader: ArchiveReader;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());
beforeEach(async () => {
  const tables = await tableNames();
  await pool.query(`TRUNCATE ${tables.join(', ')}`);
  stage = await scene(pool);
  reader = createArchiveReader(pool, { clock: stage.clock });
});

async function tableNames(): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind IN ('r', 'p') AND n.nspname = 'public' AND c.relname <> '_prisma_migrations' ORDER BY 1`,
  );
  return rows.map((row) => row.name);
}

/** Every table with the number of rows that hold the words, as text or as bytes. */
async function rowsWith(words: string): Promise<Readonly<Record<string, number>>> {
  const found: Record<string, number> = {};
  const hex = Buffer.from(words).toString('hex');
  for (const table of await tableNames()) {
    const { rows } = await pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${table} t WHERE strpos(t::text, $1) > 0 OR strpos(t::text, $2) > 0`,
      [words, hex],
    );
    if (rows[0]?.n) found[table] = rows[0].n;
  }
  return found;
}

/** Rows of every table but the one that counts changes of what Recall keeps. */
async function rowCounts(): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const table of await tableNames()) {
    const { rows } = await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table}`);
    if (table !== 'recall_state') counts[table] = rows[0]?.n ?? -1;
  }
  return counts;
}

const CANARY = 'canary-7f3a';

/** A session with the canary in everything that a session can hold. */
async function fill(
  name: string,
): Promise<{ readonly sessionId: Uuid; readonly messages: readonly NewMessage[] }> {
  const { writer, accountId } = stage;
  const bytes = Buffer.from(`image ${CANARY}`);
  const thread = await stage.open(`${name} ${CANARY}`);
  const messages = stage.chain(
    stage.root,
    ['user', item({ text: `typed ${CANARY}\0`, body: bytes, media: [{ mime: 'image/png', bytes }] })],
    ['assistant', item({ kind: 'answer', text: CANARY }), call('a', `{"x":"${CANARY}"}`, CANARY)],
    ['user', result('a', `out ${CANARY}`)],
  );
  const preamble = stage.slice(CANARY);
  const request = stage.request(thread, {
    preambleHash: preamble,
    lastMessage: messages[0]?.hash ?? null,
    note: CANARY,
  });
  await writer.saveRequest(request);
  await writer.savePreamble(accountId, preamble, async () => [{ name: 'system', body: bytes }]);
  await writer.append(
    stage.batch(thread, messages, {
      aliases: messages.map((message, n) => ({
        parent: message.parent,
        slice: stage.slice(`${n}`),
        message: message.hash,
      })),
      marks: [{ kind: 'request_failed', message: messages[0]?.hash ?? null, data: { type: CANARY } }],
    }),
  );
  const agent = await stage.open(`${name} ${CANARY}`, `agent ${CANARY}`);
  await writer.append(stage.batch(agent, stage.chain(stage.root, ['user', item({ text: `sub ${CANARY}` })])));
  await writer.saveAnswer({
    id: stage.id(),
    accountId,
    requestId: request.id,
    providerId: CANARY,
    state: 'complete',
    messages: messages.slice(1, 2).map((message) => message.hash),
  });
  await writer.saveOutcome({
    id: request.id,
    accountId,
    status: 200,
    ending: 'complete',
    responseBytes: 1,
    headMs: 1,
    firstByteMs: 1,
    totalMs: 1,
    ownMs: 1,
    providerRequestId: CANARY,
    stopReason: null,
    usage: null,
    error: { type: 'e', message: CANARY },
  });
  return { sessionId: thread.sessionId, messages };
}

describe('a session that a person deletes', () => {
  test('leaves no trace of its content in any table, but that it was deleted', async () => {
    const before = await rowCounts();
    const { sessionId } = await fill('gone');
    const held = await rowsWith(CANARY);
    expect(Object.keys(held).sort()).toEqual([
      'answer',
      'blob',
      'event',
      'item',
      'preamble',
      'request',
      'session',
      'thread',
    ]);
    expect(await reader.deleteSession(stage.accountId, sessionId, stage.clock.now())).toBe(true);
    expect(await rowsWith(CANARY)).toEqual({});
    expect(await rowCounts()).toEqual({ ...before, audit: 1 });
    const { rows } = await pool.query('SELECT actor, act, subject, data FROM audit');
    expect(rows).toEqual([
      {
        actor: 'person',
        act: 'session.delete',
        subject: sessionId,
        data: { events: 6, messages: 4, items: 5 },
      },
    ]);
    expect(await reader.deleteSession(stage.accountId, sessionId, stage.clock.now())).toBe(false);
    expect(await rowCounts()).toEqual({ ...before, audit: 1 });
  });

  test('takes nothing from a fork of it, and the last of both takes all', async () => {
    const before = await rowCounts();
    const { sessionId, messages } = await fill('parent');
    const fork = await stage.open('fork');
    const last = messages.at(-1);
    if (!last) throw new Error('no messages');
    await stage.writer.append(stage.batch(fork, stage.chain(last.hash, ['user', item({ text: 'on' })])));
    const log = await reader.readLog(stage.accountId, fork.sessionId, { limit: 99, clip: 999 });
    expect(log.rows).toHaveLength(5);
    await reader.deleteSession(stage.accountId, sessionId, stage.clock.now());
    expect(await reader.readLog(stage.accountId, fork.sessionId, { limit: 99, clip: 999 })).toEqual(log);
    for (const row of log.rows) {
      if (row.docid === null) continue;
      const answer = await reader.readDocument(stage.accountId, row.docid, {});
      expect(answer).toMatchObject({ found: { sessionId: fork.sessionId } });
    }
    const next = stage.chain(last.hash, ['user', item({ text: 'another' })]);
    expect(await stage.writer.append(stage.batch(await stage.open('fork'), next))).toEqual({ appended: 2 });
    await reader.deleteSession(stage.accountId, fork.sessionId, stage.clock.now());
    expect(await rowsWith(CANARY)).toEqual({});
    expect(await rowCounts()).toEqual({ ...before, audit: 2 });
  });

  test('stays deleted for a late append, and begins anew with its next request', async () => {
    const thread = await stage.open('s');
    const messages = stage.chain(
      stage.root,
      ['user', item({ text: 'one' })],
      ['user', item({ text: 'two' })],
    );
    await stage.writer.append(stage.batch(thread, messages.slice(0, 1)));
    await reader.deleteSession(stage.accountId, thread.sessionId, stage.clock.now());
    const before = await rowCounts();
    expect(await stage.writer.append(stage.batch(thread, messages.slice(1)))).toEqual({ appended: 0 });
    await stage.writer.saveRequest(stage.request(thread));
    expect(await rowCounts()).toEqual(before);
    expect(await reader.getSession(stage.accountId, thread.sessionId)).toBeNull();
    const again = await stage.open('s');
    expect(again.sessionId).not.toBe(thread.sessionId);
    expect(await stage.writer.append(stage.batch(again, messages))).toEqual({ appended: 2 });
  });
});

type Exported = Readonly<Record<string, unknown>>;

const HASHES: ReadonlySet<string> = new Set([
  'head',
  'last_request',
  'hash',
  'parent',
  'slice',
  'message_hash',
  'blob_hash',
  'original_hash',
  'stored_hash',
  'call_message',
  'preamble_hash',
  'last_message',
]);

/** Writes an exported row into its table: hashes from hex, other bytes from base64. */
async function insert(table: string, row: Exported): Promise<void> {
  const value = Object.fromEntries(
    Object.entries({ ...row, account_id: stage.accountId }).map(([column, given]) => [
      column,
      HASHES.has(column) && typeof given === 'string' ? `\\x${given}` : given,
    ]),
  );
  await pool.query(`INSERT INTO ${table} SELECT * FROM jsonb_populate_record(NULL::${table}, $1::jsonb)`, [
    JSON.stringify(value),
  ]);
}

function fromBase64(bytes: unknown): string | null {
  return typeof bytes === 'string' ? `\\x${Buffer.from(bytes, 'base64').toString('hex')}` : null;
}

describe('an export', () => {
  test('holds enough to rebuild the session with the same ids, texts and log', async () => {
    const { sessionId } = await fill('s');
    const lines: string[] = [];
    for await (const line of reader.exportSession(stage.accountId, sessionId)) lines.push(line);
    for (const line of lines) expect(line).toMatch(/^\{.*\}\n$/);
    const parsed = lines.map((line): readonly [string, Exported] => {
      const [entry] = Object.entries(JSON.parse(line) as Record<string, Exported>);
      return entry ?? ['', {}];
    });
    const dump = async () => {
      const log = await reader.readLog(stage.accountId, sessionId, { limit: 99, clip: 999 });
      const ids = log.rows.flatMap((row) => row.docid ?? []);
      return {
        log,
        session: await reader.getSession(stage.accountId, sessionId),
        requests: await reader.listRequests(stage.accountId, { sessionId, limit: 9 }),
        documents: await Promise.all(ids.map((id) => reader.readDocument(stage.accountId, id, {}))),
        counts: { ...(await rowCounts()), audit: 0 },
      };
    };
    const before = await dump();
    await reader.deleteSession(stage.accountId, sessionId, stage.clock.now());
    for (const [kind, row] of parsed) await rebuild(kind, row);
    expect(await dump()).toEqual(before);
    expect(parsed[0]).toMatchObject(['header', { format: 'context-mode-session', version: 1 }]);
    expect(parsed.at(-1)).toEqual(['end', { events: 6 }]);
  });

  async function rebuild(kind: string, row: Exported): Promise<void> {
    if (kind === 'header') await insert('session', row.session as Exported);
    else if (kind === 'blob') await insert('blob', { ...row, bytes: fromBase64(row.bytes) });
    else if (kind === 'message') {
      await insert('message', { ...row, items: null, aliases: null });
      for (const one of row.items as readonly Exported[]) {
        const exact = (one.text as string).includes('\0')
          ? `\\x${Buffer.from(one.text as string).toString('hex')}`
          : null;
        const text = (one.text as string).replaceAll('\0', '\u2400');
        const docid = (one.docid as string).slice('context-mode-msg-'.length);
        await insert('item', { ...one, docid, text, exact, body: fromBase64(one.body) });
        for (const media of one.media as readonly Exported[]) await insert('media', media);
      }
      for (const alias of row.aliases as readonly Exported[]) {
        await insert('message_alias', { ...alias, message_hash: row.hash });
      }
    } else if (kind === 'preamble')
      await insert('preamble', { ...row, bodies: (row.bodies as string[]).map(fromBase64) });
    else if (kind === 'answer') {
      await insert('answer', { ...row, messages: (row.messages as string[]).map((hash) => `\\x${hash}`) });
    } else if (kind !== 'end') await insert(kind, row);
  }

  test('brings what several messages show once, before the first of them, wherever their rows lie', async () => {
    const thread = await stage.open('pictures');
    const picture = (n: number) => ({ mime: 'image/png', bytes: Buffer.from(`picture ${n}`) });
    const messages = stage.chain(
      stage.root,
      ...Array.from(
        { length: 9 },
        (_, n) => ['user', item({ text: `${n}`, media: [picture(n), picture(n + 1)] })] as const,
      ),
    );
    await stage.writer.append(stage.batch(thread, messages));
    // A row that is written anew lies behind the others.
    for (const { hash } of messages.toReversed())
      await pool.query('UPDATE message SET seen_at = seen_at WHERE hash = $1', [hash]);
    const told: string[] = [];
    for await (const line of reader.exportSession(stage.accountId, thread.sessionId)) {
      const { blob, message } = JSON.parse(line) as Record<string, Exported | undefined>;
      if (blob) told.push(Buffer.from(blob.bytes as string, 'base64').toString());
      if (message) told.push((message.items as readonly Exported[])[0]?.text as string);
    }
    expect(told).toEqual(['picture 0', ...messages.flatMap((_, n) => [`picture ${n + 1}`, `${n}`])]);
  });

  test('of a long session has every event once, each message before it', async () => {
    const thread = await stage.open('long');
    const turns = Array.from({ length: 450 }, (_, n) => ['user', item({ text: `${n}` })] as const);
    const messages = stage.chain(stage.root, ...turns);
    await stage.writer.append(stage.batch(thread, messages));
    const told = new Set<unknown>();
    const seqs: unknown[] = [];
    for await (const line of reader.exportSession(stage.accountId, thread.sessionId)) {
      const { message, event } = JSON.parse(line) as Record<string, Exported | undefined>;
      if (message) told.add(message.hash);
      if (event) {
        expect(told.has(event.message_hash)).toBe(true);
        seqs.push(event.seq);
      }
    }
    expect(seqs).toEqual(turns.map((_, n) => n + 1));
    expect(told.size).toBe(450);
  });
});

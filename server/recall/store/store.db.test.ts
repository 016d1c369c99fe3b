import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call, item, result, type Scene, scene } from '../../archive/store/testing.ts';
import { docIdOf, type MessageHash, rootHash } from '../../conversation/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { RecallStore } from '../stored.ts';
import { CHAIN_ITEMS } from './chain-items.ts';
import { createRecallStore } from './store.ts';
import {
  beginning,
  content,
  generation,
  hashNamed,
  hidden,
  NO_DOCUMENT,
  START,
  threadNamed,
} from './testing.ts';

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let store: RecallStore;
let accountId: Uuid;
let scenes = 0;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());
beforeEach(async () => {
  scenes += 1;
  stage = await scene(pool, `account ${scenes}`);
  accountId = stage.accountId;
  store = createRecallStore(pool, { accountKey: async () => stage.key });
});

/** Runs something and tells whether the account's version changed by it. */
async function changes(act: () => Promise<unknown>): Promise<boolean> {
  const before = await store.version(accountId);
  await act();
  return (await store.version(accountId)) !== before;
}

describe('a beginning', () => {
  test('is found by its thread and by its message, oldest first; of other threads only by the message', async () => {
    const one = beginning({ began: hashNamed('one') });
    const two = beginning({ began: hashNamed('two'), choices: { tool: null, trimming: 2, memory: 'm' } });
    const forked = beginning({ thread: threadNamed('other', 'agent'), began: hashNamed('one') });
    const elsewhere = beginning({ thread: threadNamed('other'), began: hashNamed('three') });
    for (const [n, each] of [two, one, forked, elsewhere].entries())
      await store.keepBeginning(accountId, each, (START + n) as Millis);
    expect(await store.beginnings(accountId, threadNamed('s'), [])).toEqual([two, one]);
    expect(await store.beginnings(accountId, threadNamed('s'), [hashNamed('one')])).toEqual([
      two,
      one,
      forked,
    ]);
    expect(
      await store.beginnings(accountId, threadNamed('new'), [hashNamed('x'), hashNamed('three')]),
    ).toEqual([elsewhere]);
    expect(await store.beginnings(accountId, threadNamed('s', 'agent'), [])).toEqual([]);
  });

  test('stays as it was kept first, and says so by the version', async () => {
    const first = beginning();
    expect(await changes(() => store.keepBeginning(accountId, first, START))).toBe(true);
    const again = { ...first, choices: { tool: null, trimming: null, memory: null } };
    expect(await changes(() => store.keepBeginning(accountId, again, START))).toBe(false);
    expect(await store.beginnings(accountId, first.thread, [])).toEqual([first]);
  });

  test('of a thread with names of any length and any characters is found again', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 900 });
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(text, text, text, async (session, thread, memory) => {
        const name = threadNamed(`\0${session}`, `${thread}\ud800`.repeat(3));
        // A name may come twice: each beginning has a message of its own.
        runs += 1;
        const kept = beginning({
          thread: name,
          began: hashNamed(`run ${runs}`),
          choices: { tool: 1, trimming: 1, memory: `${memory}\0\udfff` },
        });
        await store.keepBeginning(accountId, kept, START);
        const found = await store.beginnings(accountId, name, []);
        expect(found).toContainEqual(kept);
      }),
      { numRuns: 30 },
    );
  });
});

test('an account is untouched until anything of it is kept, whatever other accounts have', async () => {
  const other = await scene(pool, `other of account ${scenes}`);
  await store.keepBeginning(other.accountId, beginning(), START);
  expect(await store.isUntouched(accountId)).toBe(true);
  await store.keepHidden(accountId, hidden());
  expect(await store.isUntouched(accountId)).toBe(false);
  expect(await store.isUntouched(other.accountId)).toBe(false);
});

describe('a generation', () => {
  test('is found by its message in a chain, whole and to the character', async () => {
    const one = generation({
      madeAt: hashNamed('1'),
      layout: content({
        runningTyped: hashNamed('typed'),
        index: ['\0\ud800 "', { docid: NO_DOCUMENT, start: 3, end: 9 }, '\\u0000é'],
        memory: 'm\0',
        cacheMark: '1h',
      }),
    });
    const other = generation({ madeAt: hashNamed('2'), layout: null, reason: 'fallback' });
    // The index names a document, so that one of that name has to be there.
    const [message] = stage.chain(stage.root, ['user', item()]);
    if (message === undefined) throw new Error('no message');
    await stage.writer.append(stage.batch(await stage.open('s'), [message]));
    const docid = docIdOf(stage.key, message.hash, 0);
    const named = {
      ...one,
      layout: content({ ...one.layout, index: ['\0\ud800 "', { docid, start: 3, end: 9 }, '\\u0000é'] }),
    };
    expect(await changes(() => store.keepGeneration(accountId, named))).toBe(true);
    await store.keepGeneration(accountId, other);
    const chain = [hashNamed('0'), hashNamed('1'), hashNamed('2')];
    const found = await store.generations(accountId, chain);
    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining([named, other]));
    expect(await store.generations(accountId, [hashNamed('0')])).toEqual([]);
  });

  test('of two at one message the first holds, for both', async () => {
    const first = generation();
    const second = generation({ reason: 'window', thread: threadNamed('fork') });
    expect(await store.keepGeneration(accountId, first)).toEqual(first);
    let answer: unknown;
    expect(
      await changes(async () => {
        answer = await store.keepGeneration(accountId, second);
      }),
    ).toBe(false);
    expect(answer).toEqual(first);
    const many = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        store.keepGeneration(accountId, generation({ madeAt: hashNamed('many'), tokensAfter: n })),
      ),
    );
    expect(new Set(many.map((one) => one.tokensAfter)).size).toBe(1);
  });

  test('whose newest document is not in the archive any more is not kept', async () => {
    const late = generation({ layout: content({ index: ['→ Bash (', `x (${NO_DOCUMENT})\n`, '[end]'] }) });
    await expect(store.keepGeneration(accountId, late)).rejects.toMatchObject({ code: 'conflict' });
    const typed = generation({ layout: content({ index: ['a', { docid: NO_DOCUMENT, start: 0, end: 1 }] }) });
    await expect(store.keepGeneration(accountId, typed)).rejects.toMatchObject({ code: 'conflict' });
    expect(await store.generations(accountId, [late.madeAt])).toEqual([]);
  });
});

describe('hidden rounds', () => {
  test('are found by any of their anchors, each record once, oldest first', async () => {
    const late = hidden({ anchors: ['a', 'b'], at: (START + 5) as Millis });
    const early = hidden({
      anchors: ['b', 'c'],
      protocol: 'openai',
      data: { text: '\0\ud800', n: [1, null] },
    });
    const other = hidden({ anchors: ['d'] });
    for (const record of [late, early, other])
      expect(await changes(() => store.keepHidden(accountId, record))).toBe(true);
    expect(await store.hidden(accountId, ['b', 'a', 'zzz'])).toEqual([early, late]);
    expect(await store.hidden(accountId, [])).toEqual([]);
  });

  test('are replaced by a record with the same id, with what they were found by', async () => {
    const first = hidden({ anchors: ['one', 'both'] });
    const second = { ...first, anchors: ['both', 'two'], data: 'other' };
    await store.keepHidden(accountId, first);
    expect(await changes(() => store.keepHidden(accountId, second))).toBe(true);
    expect(await store.hidden(accountId, ['one'])).toEqual([]);
    expect(await store.hidden(accountId, ['both', 'two'])).toEqual([second]);
  });

  test('that show a document which is not in the archive are kept without their content', async () => {
    const record = hidden({ documents: [NO_DOCUMENT] });
    await store.keepHidden(accountId, record);
    expect(await store.hidden(accountId, record.anchors)).toEqual([{ ...record, documents: [], data: null }]);
  });
});

describe('the items of a chain', () => {
  test('come in the order of the messages, with the texts that an index may show, cut', async () => {
    const bytes = Buffer.from('png');
    const messages = stage.chain(
      stage.root,
      [
        'user',
        item({ text: '😀'.repeat(500) }),
        item({ kind: 'image', text: '', media: [{ mime: 'image/png', bytes }] }),
      ],
      ['assistant', item({ kind: 'answer', text: 'done', mainInput: 'x', path: '/a' })],
    );
    stage.clock.advance(7);
    await stage.writer.append(stage.batch(await stage.open('s'), messages));
    await stage.writer.confirm(accountId, 2);
    const [first, second] = messages;
    if (first === undefined || second === undefined) throw new Error('no messages');
    const items = await store.chainItems(accountId, [second.hash, hashNamed('not there'), first.hash]);
    expect(items.map(({ message, position }) => [message, position])).toEqual([
      [second.hash, 0],
      [first.hash, 0],
      [first.hash, 1],
    ]);
    expect(items[0]).toEqual({
      message: second.hash,
      position: 0,
      docid: docIdOf(stage.key, second.hash, 0),
      kind: 'answer',
      tool: null,
      callId: null,
      isError: false,
      mainInput: 'x',
      path: '/a',
      text: 'done',
      mime: null,
      confirmed: expect.any(Boolean),
      at: null,
    });
    expect(items[1]).toMatchObject({ text: '😀'.repeat(400), mime: null, at: stage.clock.now() });
    expect(items[2]).toMatchObject({ text: '', mime: 'image/png' });
    expect(items.filter((one) => one.confirmed)).toHaveLength(2);
    expect(await store.chainItems(accountId, [])).toEqual([]);
  });

  test('have of results only what sub-agents brought back, however the ids of calls are used', async () => {
    const messages = stage.chain(
      stage.root,
      ['assistant', call('a', '{}', 'Agent'), call('b', '{}', 'Bash')],
      ['user', result('b', 'output'), result('a', `found ${'it '.repeat(300)}`)],
    );
    await stage.writer.append(stage.batch(await stage.open('s'), messages));
    const items = await store.chainItems(
      accountId,
      messages.map(({ hash }) => hash),
    );
    expect(items.map(({ kind, callId, text }) => [kind, callId, text])).toEqual([
      ['tool_call', 'a', ''],
      ['tool_call', 'b', ''],
      ['tool_result', 'b', ''],
      ['tool_result', 'a', `found ${'it '.repeat(300)}`.slice(0, 400)],
    ]);
  });

  test('are found by the keys alone, whatever the server knows, and each once', async () => {
    const connection = await pool.connect();
    // References are not checked: it would be done one by one, by plans for empty tables.
    await connection.query('SET session_replication_role = replica');
    await connection.query(
      `INSERT INTO message SELECT $1, sha256(n::text::bytea), sha256('p'), 'user', 'received', now()
       FROM generate_series(1, 6000) n`,
      [accountId],
    );
    await connection.query(
      `INSERT INTO item (account_id, message_hash, position, docid, kind, is_error, text, chars, bytes, original_size,
         original_hash, masked, stored_hash)
       SELECT $1, sha256(n::text::bytea), 0, left(encode(sha256(('d' || n)::bytea), 'hex'), 16), 'tool_result', false,
         'x', 1, 1, 1, 'x', false, 'x' FROM generate_series(1, 6000) n`,
      [accountId],
    );
    connection.release(true);
    const { rows } = await pool.query<{ hash: MessageHash }>(
      'SELECT sha256(n::text::bytea) AS hash FROM generate_series(1001, 5000) n',
    );
    const hashes = rows.map((row) => row.hash);
    expect(await store.chainItems(accountId, hashes)).toHaveLength(4_000);
    for (const known of ['SELECT 1', 'ANALYZE item, message, media']) {
      await pool.query(known);
      const nodes = await planOf(CHAIN_ITEMS, [
        `'${accountId}'`,
        `'\\x${Buffer.concat(hashes).toString('hex')}'`,
      ]);
      expect(nodes.filter((node) => node['Node Type'] === 'Index Scan')).not.toEqual([]);
      for (const node of nodes)
        expect(node).not.toMatchObject({ 'Node Type': 'Seq Scan', 'Relation Name': 'item' });
      // Each message once, and nothing beside: times and kinds are asked for only where an index tells them.
      expect(Math.max(...nodes.map((node) => Number(node['Index Searches'] ?? 0)))).toBe(4_000);
      expect(nodes.filter((node) => node['Relation Name'] === 'message')).toMatchObject([
        { 'Actual Loops': 0 },
      ]);
    }
  });

  interface PlanNode {
    readonly [name: string]: unknown;
    readonly Plans?: readonly PlanNode[];
  }

  /** The nodes of a statement's plan as it is made without its values, and run. */
  async function planOf(text: string, values: readonly string[]): Promise<readonly PlanNode[]> {
    const connection = await pool.connect();
    try {
      await connection.query('SET plan_cache_mode = force_generic_plan');
      await connection.query(`PREPARE looked (uuid, bytea) AS ${text}`);
      const { rows } = await connection.query<{ 'QUERY PLAN': readonly [{ readonly Plan: PlanNode }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE looked (${values.join(', ')})`,
      );
      const flat = (node: PlanNode): readonly PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flat)];
      const [row] = rows;
      return row === undefined ? [] : flat(row['QUERY PLAN'][0].Plan);
    } finally {
      connection.release(true);
    }
  }
});

describe('the root of a session', () => {
  test('is its project’s, or the one of none; a session that is not there has none', async () => {
    expect(await store.rootOf(accountId, threadNamed('s'))).toBeNull();
    await stage.open('s');
    expect(await store.rootOf(accountId, threadNamed('s'))).toEqual(rootHash(stage.key, null));
  });
});

test('a secret in a name is not kept, and what has that name is found by it', async () => {
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const thread = threadNamed(`session ${secret}`, `agent ${secret}`);
  const record = hidden({ thread, anchors: ['named'] });
  await store.keepBeginning(accountId, beginning({ thread }), START);
  await store.keepGeneration(accountId, generation({ thread }));
  await store.keepHidden(accountId, record);
  for (const table of ['beginning', 'layout', 'splice']) {
    const { rows } = await pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM ${table} t WHERE account_id = $1 AND strpos(t::text, $2) = 0`,
      [accountId, secret],
    );
    expect(rows).toEqual([{ n: 1 }]);
  }
  expect(await store.beginnings(accountId, thread, [])).toEqual([beginning({ thread })]);
});

test('one account sees nothing of another', async () => {
  const other = await scene(pool, `other ${scenes}`);
  const record = hidden();
  await store.keepBeginning(accountId, beginning(), START);
  await store.keepGeneration(accountId, generation());
  await store.keepHidden(accountId, record);
  expect(await store.beginnings(other.accountId, threadNamed('s'), [beginning().began])).toEqual([]);
  expect(await store.generations(other.accountId, [generation().madeAt])).toEqual([]);
  expect(await store.hidden(other.accountId, record.anchors)).toEqual([]);
  expect(await store.version(other.accountId)).toBe('0');
});

import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { ArchiveReader, LogRow } from '../types.ts';
import { createArchiveReader } from './reader.ts';
import { call, conversation, item, result, type Scene, START, scene } from './testing.ts';

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
      stage,
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
          const id = await conversation(stage, `ascii ${made}`, plain, `${plain}é`);
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
    const id = await conversation(stage, 's', ...Array.from({ length: 30 }, (_, n) => `line ${n + 1}`));
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

import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { ArchiveReader, MaskedItem, SearchAnswer, SearchFilter, ThreadState } from '../types.ts';
import { createArchiveReader } from './reader.ts';
import { call, item, result, type Scene, scene, type Turn } from './testing.ts';

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let reader: ArchiveReader;
let sessions = 0;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());
beforeEach(async () => {
  sessions += 1;
  stage = await scene(pool, `account ${sessions}`);
  reader = createArchiveReader(pool, { clock: stage.clock });
});

/** Indexes all that waits. */
async function indexed(of = stage): Promise<void> {
  while ((await of.writer.index(of.accountId)).more);
}

/** Archives and indexes a session of these turns. */
async function archived(turns: readonly Turn[], of = stage): Promise<ThreadState> {
  sessions += 1;
  const thread = await of.open(`session ${sessions}`);
  await of.writer.append(of.batch(thread, of.chain(of.root, ...turns)));
  await indexed(of);
  of.clock.advance(1000);
  return thread;
}

/** One session of typed texts, each a message of its own. */
const typed = (...texts: readonly string[]) =>
  archived(texts.map((text) => ['user', item({ text })] as const));

function ask(q: string, more: Partial<SearchFilter> = {}, of = stage): Promise<SearchAnswer> {
  return reader.search(of.accountId, { q, limit: 20, ...more });
}

/** Snippets of the hits, best first. */
const found = async (q: string, more: Partial<SearchFilter> = {}) =>
  (await ask(q, more)).items.map((hit) => hit.snippet.text);

describe('what is found', () => {
  test('any of the words is enough, all of them rank higher, and nearer ones higher still', async () => {
    await typed(
      'only the window is here',
      `a refund of some sort. ${'Then quite another matter was told at length. '.repeat(9)}And a window.`,
      'the refund window is thirty days. What follows is as long as the text above it, so that nothing but nearness tells them apart, which is what this checks. '.repeat(
        2,
      ),
      'nothing of it',
    );
    const hits = await found('what is the refund window?');
    expect(hits).toHaveLength(3);
    expect(hits[0]).toContain('refund window is thirty');
    expect(hits.at(-1)).toContain('only the window');
  });

  test.each([
    ['refund window', 'refundWindow'],
    ['refund window', 'refund_window'],
    ['refund window', 'REFUND-WINDOW'],
    ['refundwindow', 'const refundWindow = 3'],
    ['refundWindow', 'the refund_window of it'],
    ['quota.ts', 'see src/billing/quota.ts for it'],
    ['billing/quota', 'see src/billing/quota.ts for it'],
    ['resume', 'her résumé'],
    ['résumé', 'her resume'],
    ['strasse', 'die Straße'],
    ['deployments', 'we deployed it'],
    ['0x1F', 'mask & 0x1F'],
    ['0x1f', 'mask & 0x1F'],
    ['10.0.0.1', 'from 10.0.0.1:443'],
    ['返金', '返金期間を確認する'],
    ['期間', '返金期間を確認する'],
    ['確', '返金期間を確認する'],
    ['退款', '我们的退款窗口是三十天'],
    ['환불', '환불기간을 확인하세요'],
    ['기간', '환불기간을 확인하세요'],
    ['HTTPServer', 'new HTTPServer2(port)'],
    ['refundW*', 'const refundWindow = 3'],
    ['configurat*', 'the configurations differ'],
    ['configuri*', 'while configuring it'],
    ['"TypeError: x is not"', 'Uncaught TypeError: x is not a function'],
    ['"eError: x is no"', 'Uncaught TypeError: x is not a function'],
    ['"--no-cache"', 'docker build --no-cache .'],
    ['--no-cache', 'docker build --no-cache .'],
    ['"=>"', 'const f = () => 1'],
    ['=>', 'const f = () => 1'],
    ['"to be or not to be"', 'to be or not to be'],
    ['who am I', 'and who am I then'],
    ['🚀', 'shipped 🚀 today'],
    ['"refund window"', 'const refundWindow = 3'],
    ['"返金期間"', '返金期間を確認する'],
  ])('%s finds %s', async (q, text) => {
    await typed('nothing of the kind', text, 'nor this');
    const [hit, ...others] = (await ask(q)).items;
    expect(hit?.snippet.text).toBe(text);
    expect(others.filter((other) => other.snippet.text === 'nor this')).toEqual([]);
    expect(hit?.snippet.marks.length).toBeGreaterThan(0);
  });

  test('a phrase, a word to leave out and a beginning are strict', async () => {
    await typed(
      'the refund window',
      'the window of a refund',
      'the refund window of old billing',
      'refunded',
    );
    expect(await found('"refund window"')).toHaveLength(2);
    expect(await found('"refund window" -billing')).toEqual(['the refund window']);
    expect(await found('refund -"refund window"')).toEqual(['refunded', 'the window of a refund']);
    expect(await found('refunde*')).toEqual(['refunded']);
    expect(await found('"window refund"')).toEqual([]);
  });

  test('characters with punctuation rank before their mere words, and an answer without them says so', async () => {
    await typed('no cache was there, cache, no cache at all', 'run it with --no-cache please');
    expect((await found('--no-cache'))[0]).toBe('run it with --no-cache please');
    const { items, notes } = await ask('--cache');
    expect(items).toHaveLength(2);
    expect(notes.join()).toContain('“--cache”');
  });

  test('every mark of ASCII, paths and stack traces are searched for without a fault', async () => {
    await typed("it's a test: a/b-c");
    const marks = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at));
    for (const mark of marks) {
      for (const q of [mark, `a${mark}b`, `${mark}test`, `test${mark}`, `"${mark}"`, `${mark}${mark} x`])
        await ask(q).catch((error: { code?: string }) => expect([q, error.code]).toEqual([q, 'bad_request']));
    }
    expect(await found('at Object.<anonymous> (/srv/a/b.ts:1:2)\n    at test:a')).toHaveLength(1);
    expect(await found("it's")).toHaveLength(0 + (await found("it's")).length);
  });

  test.each([
    ['', 'empty'],
    ['   ', 'empty'],
    ['-word', 'leave out'],
    ['""', 'quotation marks'],
  ])('%j is refused with what is wrong', async (q, said) => {
    await typed('word');
    await expect(ask(q)).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining(said),
    });
  });
});

describe('documents', () => {
  test('the words of a call and of its result count as those of one document, whose id is the call’s', async () => {
    const thread = await archived([
      ['assistant', call('a', '{"command":"grep -rn quota src/billing"}')],
      ['user', result('a', 'src/billing/limits.ts:4: refundWindow = 30')],
      ['assistant', item({ kind: 'answer', text: 'quota is elsewhere, and long '.repeat(5) })],
    ]);
    const [hit] = (await ask('quota refund')).items;
    const log = await reader.readLog(stage.accountId, thread.sessionId, { limit: 9, clip: 99 });
    expect(hit?.docid).toBe(log.rows.find((row) => row.kind === 'tool_call')?.docid);
    const read = await reader.readDocument(stage.accountId, hit?.docid ?? '', {});
    expect('found' in read && read.found.text).toContain('refundWindow');
  });

  test('the same holds where a result comes in a later batch than its call', async () => {
    const thread = await stage.open('two batches');
    const [first, second] = stage.chain(
      stage.root,
      ['assistant', call('a', '{"command":"quota"}')],
      ['user', result('a', 'refundWindow')],
    );
    if (!first || !second) throw new Error('no chain');
    await stage.writer.append(stage.batch(thread, [first]));
    await indexed();
    await stage.writer.append(stage.batch(thread, [second]));
    await indexed();
    expect((await ask('quota refund')).items).toHaveLength(1);
  });

  test('an input is read without its JSON escapes, and the place is one in the input as it was sent', async () => {
    const input = JSON.stringify({ content: `${'line\n'.repeat(900)}"refund window"\nvoilà ✓ 𝄞 here` });
    await archived([['assistant', call('a', input, 'Write')]]);
    const [hit] = (await ask('"refund window"')).items;
    expect(hit?.snippet.text).toContain('"refund window"\nvoilà');
    expect([...input].slice(hit?.offset, (hit?.offset ?? 0) + 13).join('')).toBe('refund window');
    expect((await ask('nrefund')).items).toEqual([]);
  });

  test.each([0, 2_500_000, 5_000_000])(
    'in an item of 5 MB a match at %i is found, and the snippet is from there',
    async (at) => {
      const filler = 'INFO worker 17 handled job 4711 in 12 ms 𝄞\n'.repeat(120_000);
      const text = `${filler.slice(0, at)}\nneedleWord in the hay\n${filler.slice(at, 5_000_000)}`;
      await archived([
        ['assistant', call('a')],
        ['user', result('a', text)],
      ]);
      const [hit] = (await ask('needle word')).items;
      expect(hit?.snippet.text).toContain('needleWord in the hay');
      expect(hit?.snippet.text.length).toBeLessThanOrEqual(320);
      expect([...text].slice(hit?.offset, (hit?.offset ?? 0) + 10).join('')).toBe('needleWord');
    },
  );

  test('a phrase that goes over many chunks is found whole', async () => {
    const words = Array.from({ length: 900 }, (_, n) => `word${n}: ${n * 7} is here`).join('\n');
    await typed(words);
    expect((await ask(`"${words.slice(1_500, 4_900)}"`)).items).toHaveLength(1);
    expect((await ask(`"${words.slice(1_500, 4_900)}x"`)).items).toHaveLength(0);
  });
});

describe('filters', () => {
  const tool = (name: string, path: string): MaskedItem => ({
    ...call(path, `{"file_path":"${path}"}`, name),
    path,
  });

  test('kind, role, tool, path, time, session and thread each limit the hits', async () => {
    const one = await archived([
      ['user', item({ text: 'the needle, typed' })],
      ['assistant', item({ kind: 'reasoning', text: 'needle thought' }), tool('Read', '/a/src/quota.ts')],
      ['user', result('/a/src/quota.ts', 'needle read')],
    ]);
    const before = stage.clock.now();
    const other = await typed('another needle');
    const snippets = async (more: Partial<SearchFilter>) => (await found('needle', more)).sort();
    expect(await snippets({})).toHaveLength(4);
    expect(await snippets({ kinds: ['reasoning', 'tool_result'] })).toEqual([
      'needle read',
      'needle thought',
    ]);
    expect(await snippets({ role: 'assistant' })).toEqual(['needle thought']);
    expect(await snippets({ tool: 'Read' })).toEqual(['needle read']);
    for (const path of ['/a/src/quota.ts', 'src/quota.ts', 'quota.ts', './src/quota.ts'])
      expect(await snippets({ path })).toEqual(['needle read']);
    expect(await snippets({ path: 'uota.ts' })).toEqual([]);
    expect(await snippets({ sessionId: other.sessionId })).toEqual(['another needle']);
    expect(await snippets({ from: before })).toEqual(['another needle']);
    expect(await snippets({ to: before })).toHaveLength(3);
    expect(await snippets({ sessionId: one.sessionId, kinds: ['input'] })).toEqual(['the needle, typed']);
    expect(await snippets({ thread: 'main' })).toHaveLength(4);
    expect(await snippets({ thread: 'agent-7' })).toEqual([]);
  });

  test('an item of several sessions is a hit of each, and shown where it was seen last', async () => {
    const chain = stage.chain(stage.root, ['user', item({ text: 'shared needle' })]);
    const first = await stage.open('first');
    await stage.writer.append(stage.batch(first, chain));
    stage.clock.advance(1000);
    const second = await stage.open('second', 'agent-7');
    await stage.writer.append(stage.batch(second, chain));
    await indexed();
    expect((await ask('needle')).items.map((hit) => [hit.sessionId, hit.thread])).toEqual([
      [second.sessionId, 'agent-7'],
    ]);
    expect((await ask('needle', { sessionId: first.sessionId })).items.map((hit) => hit.thread)).toEqual([
      'main',
    ]);
    await reader.deleteSession(stage.accountId, second.sessionId, stage.clock.now());
    expect((await ask('needle')).items.map((hit) => hit.sessionId)).toEqual([first.sessionId]);
  });

  test('what was searched for before is found again, with what came since and without what was deleted', async () => {
    const one = await typed('the needle of one', 'hay');
    expect(await found('needle')).toEqual(['the needle of one']);
    const other = await typed('the needle of the other');
    expect(await found('needle')).toHaveLength(2);
    expect(await found('-"needle" hay')).toEqual(['hay']);
    await reader.deleteSession(stage.accountId, one.sessionId, stage.clock.now());
    expect(await found('needle')).toEqual(['the needle of the other']);
    await reader.deleteSession(stage.accountId, other.sessionId, stage.clock.now());
    expect(await found('needle')).toEqual([]);
  });

  test('few that fit among many that do not are all found, page by page, each once', async () => {
    const lots = Array.from(
      { length: 2_600 },
      (_, n): Turn => ['user', item({ text: `needle number ${n}` })],
    );
    const rare = Array.from(
      { length: 7 },
      (_, n): Turn => [
        'assistant',
        item({ kind: 'answer', text: `a needle with many more words around it that make it rank low, ${n}` }),
      ],
    );
    await archived([...rare, ...lots]);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await ask('needle', { kinds: ['answer'], limit: 3, ...(cursor ? { cursor } : {}) });
      seen.push(...page.items.map((hit) => hit.docid));
      cursor = page.next ?? undefined;
    } while (cursor);
    expect(new Set(seen).size).toBe(7);
    expect(seen).toHaveLength(7);
  });
});

describe('pages', () => {
  test('together they are each hit once and best first, also while more is archived', async () => {
    await typed(...Array.from({ length: 150 }, (_, n) => `needle ${n} ${'hay '.repeat(n % 13)}`));
    const whole = (await ask('needle hay', { limit: 100 })).items.map((hit) => hit.docid);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await ask('needle hay', { limit: 40, ...(cursor ? { cursor } : {}) });
      seen.push(...page.items.map((hit) => hit.docid));
      cursor = page.next ?? undefined;
      await typed('needle needle hay');
    } while (cursor);
    expect(seen).toHaveLength(150);
    expect(new Set(seen).size).toBe(150);
    expect(seen.slice(0, 100)).toEqual(whole);
  });

  test('a cursor of another making is refused', async () => {
    await expect(ask('x', { cursor: 'abc' })).rejects.toMatchObject({ code: 'bad_request' });
  });

  test('among equals the newest stands first', async () => {
    await typed('needle one');
    await typed('needle two');
    await typed('needle six');
    expect(await found('needle')).toEqual(['needle six', 'needle two', 'needle one']);
  });
});

test('one account finds nothing of another, and both find their own', async () => {
  const other = await scene(pool, 'somebody else');
  await typed('secretword of mine');
  await archived([['user', item({ text: 'secretword of theirs' })]], other);
  expect((await ask('secretword')).items.map((hit) => hit.snippet.text)).toEqual(['secretword of mine']);
  expect((await ask('secretword', {}, other)).items.map((hit) => hit.snippet.text)).toEqual([
    'secretword of theirs',
  ]);
  expect((await ask('"theirs"')).items).toEqual([]);
  expect((await ask('secretw*')).items).toHaveLength(1);
});

test('what stands in a lone surrogate’s or a NUL’s neighbourhood is found', async () => {
  await typed('before\0 needle \ud800 after');
  expect(await found('needle')).toHaveLength(1);
});

test('a NUL or half a surrogate pair in any part of a question is a character, never a fault', async () => {
  await typed('before\0 needle \ud800 after');
  expect(await found('\0')).toHaveLength(1);
  expect(await found('"before\0 needle"')).toHaveLength(1);
  for (const odd of ['\0', '\ud800', '\udc00\0', 'x\0*', '"\0'])
    for (const q of [odd, `needle ${odd}`, `needle -${odd}`]) await ask(q);
  for (const part of ['tool', 'path', 'thread'] as const)
    for (const odd of ['\0', '\ud800']) expect((await ask('needle', { [part]: odd })).items).toEqual([]);
});

test('more phrases and beginnings than are ranked by change nothing in what is found', async () => {
  const words = Array.from(
    { length: 60 },
    (_, n) =>
      `w${String.fromCharCode(97 + (n % 26), 97 + ((n * 7) % 26), 97 + (n % 5))}q${'xyz'.charAt(n % 3)}`,
  );
  await typed(words.join(' '), words.slice(0, 59).join(' '), words.slice(1).join(' '));
  expect(await found(words.map((word) => `"${word}"`).join(' '))).toHaveLength(1);
  expect(await found(words.map((word) => `${word}*`).join(' '))).toHaveLength(1);
  expect(
    await found(words.map((word, n) => (n % 2 === 0 ? `"${word}"` : `${word}*`)).join(' ')),
  ).toHaveLength(1);
  expect(await found([...words, 'absentword'].map((word) => `${word}*`).join(' '))).toEqual([]);
});

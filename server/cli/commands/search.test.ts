import { beforeEach, expect, test } from 'vitest';
import { type FakeGateway, fakeGateway, runCommand, scratchFolder } from '../testing.ts';

let home: string;
let gateway: FakeGateway;

beforeEach(async () => {
  home = await scratchFolder();
  gateway = await fakeGateway();
});

const run = (...args: string[]) => runCommand([...args, '--gateway', gateway.url], { home });

const HIT = {
  docid: 'context-mode-msg-1234',
  at: '2026-11-30T09:00:00.000Z',
  kind: 'input',
  sessionTitle: 'Refunds',
  snippet: { text: 'the refund\n window\u001b[31m', marks: [[4, 10]] },
};

test('a search prints each hit with its id, and what should be known of the answer', async () => {
  gateway.answers.set('search?q=refund+window&limit=10', { items: [HIT], next: null, notes: ['Cut short.'] });
  const { code, out } = await run('search', 'refund', 'window');
  expect(code).toBe(0);
  expect(out).toContain('context-mode-msg-1234');
  expect(out).toContain('the refund window');
  expect(out).not.toContain('\u001b');
  expect(out).toContain('(Cut short.)');
});

test('filters go along, and a script gets the answer as it came', async () => {
  gateway.answers.set('search?q=%22a+b%22&limit=3&session=s&kind=input&path=x.ts', {
    items: [HIT],
    next: 'more',
    notes: [],
  });
  const { json } = await run(
    ...['search', '"a b"', '--limit', '3', '--session', 's', '--kind', 'input', '--path', 'x.ts', '--json'],
  );
  expect(json()).toMatchObject({ ok: true, items: [HIT], next: 'more' });
});

test('a word to leave out is no option, wherever it stands; a mistyped option is refused', async () => {
  gateway.answers.set('search?q=refund+-html+-p&limit=2', { items: [], next: null, notes: [] });
  const { code, out } = await run('search', '-html', 'refund', '-p', '--limit', '2');
  expect([code, out]).toEqual([0, 'Nothing was found.\n']);
  const wrong = await run('search', 'refund', '--limt', '2');
  expect(wrong.code).toBe(2);
  expect(wrong.error).toContain('--limt');
});

test('nothing found is said, and no fault', async () => {
  gateway.answers.set('search?q=x&limit=10', { items: [], next: null, notes: [] });
  const { code, out } = await run('search', 'x');
  expect([code, out]).toEqual([0, 'Nothing was found.\n']);
});

test('a document is printed with its input; where there is more, how to read on', async () => {
  gateway.answers.set('documents/abc?offset=0&length=4', { input: '{"a":1}', text: 'te𝄞t', length: 9 });
  const { code, out } = await run('read', 'abc', '--length', '4');
  expect(code).toBe(0);
  expect(out).toBe('{"a":1}\nte𝄞t\n(4 of 9 characters. Read on: context-mode read abc --offset 4)\n');
});

test('what the gateway refuses is told as the gateway says it', async () => {
  const { code, error } = await run('read', 'none');
  expect(code).not.toBe(0);
  expect(error).not.toBe('');
});

import { expect, test } from 'vitest';
import type { DocId, Item, Message } from '../conversation/index.ts';
import { type IndexedMessage, indexEntries } from './entries.ts';

let serial = 0;
const id = () => `context-mode-msg-${(serial++).toString(16).padStart(16, '0')}` as DocId;

const item = (kind: Item['kind'], change: Partial<Item> = {}): Item => ({
  kind,
  text: '',
  body: null,
  tool: null,
  mainInput: null,
  path: null,
  media: [],
  ...change,
});
const call = (callId: string, name: string, mainInput: string | null, path: string | null = null): Item =>
  item('tool_call', { tool: { callId, name, namespace: null, isError: false }, mainInput, path });
const result = (callId: string, text: string, isError = false): Item =>
  item('tool_result', { tool: { callId, name: null, namespace: null, isError }, text });
const message = (role: Message['role'], ...items: Item[]): IndexedMessage => ({
  message: { role, items },
  docids: items.map(id),
  at: 1_000,
});

/** The entries without their docids. */
const told = (messages: readonly IndexedMessage[], folder: string | null = null) =>
  indexEntries(messages, folder).map(({ docid: _, ...entry }) => entry);

test('tells what was typed and attached, and nothing that the agent put beside it', () => {
  const png = item('image', { media: [{ mime: 'image/png', bytes: new Uint8Array(3) }] });
  expect(
    told([
      message('user', item('injected', { text: 'a reminder' }), item('input', { text: 'look' }), png),
      message('system', item('system', { text: 'be good' })),
      message(
        'assistant',
        item('reasoning', { text: 'hm' }),
        item('answer', { text: 'I see.' }),
        item('answer', { text: ' \n' }),
      ),
      message('user', item('input', { text: 'go on' })),
    ]),
  ).toEqual([
    { kind: 'typed', turn: 1, at: 1_000, text: 'look' },
    { kind: 'media', turn: 1, at: 1_000, mime: 'image/png' },
    { kind: 'answer', turn: 1, text: 'I see.' },
    { kind: 'typed', turn: 2, at: 1_000, text: 'go on' },
  ]);
});

test('tells a call by its input: paths from the working folder, paths and addresses bare', () => {
  const entries = told(
    [
      message(
        'assistant',
        call('1', 'Edit', '/home/dev/project/src/a.ts', '/home/dev/project/src/a.ts'),
        call('2', 'Read', '/etc/hosts', '/etc/hosts'),
        call('3', 'WebFetch', 'https://example.org/a'),
        call('4', 'Bash', 'ls /home/dev/project'),
      ),
    ],
    '/home/dev/project',
  );
  expect(entries.map((entry) => (entry.kind === 'call' ? [entry.mainInput, entry.bare] : null))).toEqual([
    ['src/a.ts', true],
    ['/etc/hosts', true],
    ['https://example.org/a', true],
    ['ls /home/dev/project', false],
  ]);
});

test('marks the call that failed, the newest one of its id, and shows what a sub-agent brought back', () => {
  const entries = told([
    message('assistant', call('same', 'Bash', 'one')),
    message('user', result('same', 'fine')),
    message('assistant', call('same', 'Bash', 'two'), call('sub', 'Task', 'count')),
    message('user', result('same', 'broken', true), result('sub', 'There are 3.')),
  ]);
  expect(
    entries.map((entry) => (entry.kind === 'call' ? [entry.mainInput, entry.failed, entry.result] : null)),
  ).toEqual([
    ['one', false, null],
    ['two', true, null],
    ['count', false, 'There are 3.'],
  ]);
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Edit } from './index.ts';
import { judgeResponses, OWN_TOOL, ruleOf, type Settings } from './testing/judging.ts';

type Value = Record<string, unknown>;
const user = (words: string): Value => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text: words }],
});
const developer = (words: string): Value => ({ ...user(words), role: 'developer' });
const answer = (words: string): Value => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: words }],
});
const call = (id: string, name = 'exec'): Value => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: '{}',
});
const output = (id: string, text: unknown = 'done'): Value => ({
  type: 'function_call_output',
  call_id: id,
  output: text,
});
const reasoning = (id: string): Value => ({
  type: 'reasoning',
  id: `rs_${id}`,
  summary: [],
  encrypted_content: `e-${id}`,
});
const tool = (name: string): Value => ({ type: 'function', name, parameters: {} });

const INPUT = [
  developer('base'),
  user('first'),
  reasoning('1'),
  call('c1'),
  output('c1', 'x'.repeat(100)),
  reasoning('2'),
  answer('a'),
  user('second'),
  reasoning('3'),
  call('c2'),
  output('c2'),
];
const body = (input: unknown, more: Value = {}): Value => ({
  model: 'm',
  input,
  tools: [tool('exec')],
  store: false,
  ...more,
});
const own = (input: unknown, more: Value = {}): string => ruleOf(judgeResponses(body(input, more)));
const judged = (
  input: unknown,
  edits: readonly Edit[],
  settings: Settings = {},
  client: unknown = INPUT,
): string => ruleOf(judgeResponses(body(client), body(input), edits, settings));

describe('the shape', () => {
  it.each<[string, unknown, string]>([
    ['no input', undefined, 'shape /input'],
    ['an empty input', [], 'shape /input'],
    ['an item that is no object', [7], 'shape /input/0'],
    ['an item without a type', [{}], 'shape /input/0'],
    ['an unknown role', [{ ...user('a'), role: 'tool' }], 'role /input/0'],
    ['a message without content', [{ type: 'message', role: 'user' }], 'no-content /input/0'],
    ['a bare string', 'hello', 'ok'],
    ['a message without a type', [{ role: 'user', content: 'a' }], 'ok'],
    ['a new kind of item', [{ type: 'hologram' }], 'ok'],
  ])('of %s', (_name, input, verdict) => {
    expect(own(input)).toBe(verdict);
  });

  it('of no JSON is refused', () => {
    expect(ruleOf(judgeResponses('{"input":'))).toBe('json ');
  });
});

describe('calls and outputs', () => {
  const custom = { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'x' };
  const customOutput = { type: 'custom_tool_call_output', call_id: 'c', output: 'y' };
  it.each<[string, unknown[], string]>([
    ['paired', [user('a'), call('c'), output('c')], 'ok'],
    ['parallel, outputs in any order', [user('a'), call('c'), call('d'), output('d'), output('c')], 'ok'],
    ['of a custom tool', [user('a'), custom, customOutput], 'ok'],
    [
      'of a search that the provider ran',
      [user('a'), { type: 'tool_search_call' }, { type: 'tool_search_output', tools: [] }],
      'ok',
    ],
    ['that hold their result', [user('a'), { type: 'web_search_call', id: 'ws' }, answer('b')], 'ok'],
    [
      'of a kind that is not known',
      [user('a'), { type: 'new_call', call_id: 'n' }, { type: 'new_call_output', call_id: 'n' }],
      'ok',
    ],
    ['without an output', [user('a'), call('c'), user('b')], 'tool-pair /input/1'],
    ['with an output of another kind', [user('a'), custom, output('c')], 'tool-pair /input/2'],
    ['with the output first', [user('a'), output('c'), call('c')], 'tool-pair /input/1'],
    ['that are missing', [user('a'), output('c')], 'tool-pair /input/1'],
    ['without an id', [user('a'), { ...call('c'), call_id: undefined }], 'tool-pair /input/1'],
    ['of one id twice', [user('a'), call('c'), output('c'), call('c'), output('c')], 'call-id /input/3'],
    [
      'whose items have one id',
      [user('a'), call('c'), { ...call('d'), id: 'fc_c' }, output('c'), output('d')],
      'call-id /input/2',
    ],
    ['answered twice', [user('a'), call('c'), output('c'), output('c')], 'call-id /input/3'],
  ])('%s', (_name, input, verdict) => {
    expect(own(input)).toBe(verdict);
  });
});

describe('reasoning items', () => {
  const { id: _id, ...nameless } = reasoning('1');
  it.each<[string, unknown[], Value, string]>([
    ['before their answer', [user('a'), reasoning('1'), answer('b')], {}, 'ok'],
    ['several before a call', [user('a'), reasoning('1'), reasoning('2'), call('c'), output('c')], {}, 'ok'],
    ['before a user item', [user('a'), reasoning('1'), user('b')], {}, 'reasoning-group /input/1'],
    ['last', [user('a'), reasoning('1')], {}, 'reasoning-group /input/1'],
    ['last, without an id', [user('a'), nameless], {}, 'ok'],
    [
      'named and not stored',
      [user('a'), { ...reasoning('1'), encrypted_content: null }, answer('b')],
      {},
      'stored-item /input/1',
    ],
    [
      'named and stored',
      [user('a'), { ...reasoning('1'), encrypted_content: null }, answer('b')],
      { store: true },
      'ok',
    ],
    [
      'in a reference, not stored',
      [user('a'), { type: 'item_reference', id: 'x' }],
      {},
      'stored-item /input/1',
    ],
  ])('%s', (_name, input, more, verdict) => {
    expect(own(input, more)).toBe(verdict);
  });
});

describe('kept bytes', () => {
  it('are noticed wherever one of them is another', () => {
    const bytes = Buffer.from(JSON.stringify(body(INPUT)));
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        fc.pre(bytes[at] !== byte);
        const changed = Buffer.from(bytes);
        changed[at] = byte;
        expect(judgeResponses(bytes, changed).ok).toBe(false);
      }),
      { seed: 5, numRuns: 2_000 },
    );
  });

  it.each<[string, unknown, string]>([
    ['a changed item', INPUT.with(1, user('First')), 'kept /input/1'],
    ['an item more', [...INPUT, user('x')], 'kept /input/11'],
    ['an item less', INPUT.toSpliced(1, 1), 'kept /input/1'],
    ['the last item less', INPUT.slice(0, 8), 'kept client:/input/8'],
    ['a bare string in its place', 'first', 'kept /input'],
  ])('with %s are refused', (_name, input, verdict) => {
    expect(judged(input, [])).toBe(verdict);
  });

  it('of a bare string are the string', () => {
    expect(judged('hello', [], {}, 'hello')).toBe('ok');
    expect(judged('hallo', [], {}, 'hello')).toBe('kept /input');
  });
});

describe('our tool', () => {
  it('stands last in the tools', () => {
    const edited = body(INPUT, { tools: [tool('exec'), tool(OWN_TOOL)] });
    expect(ruleOf(judgeResponses(body(INPUT), edited, [{ kind: 'tool-definition', index: 1 }]))).toBe('ok');
    expect(ruleOf(judgeResponses(body(INPUT), edited))).toBe('kept /tools/1');
  });

  it('stands beside the namespaces of an additional_tools item', () => {
    const item = (...tools: Value[]): Value => ({ type: 'additional_tools', role: 'developer', tools });
    const space = { type: 'namespace', name: 'n', tools: [] };
    const edit: Edit = { kind: 'tool-definition', item: 0, index: 1 };
    const client = [item(space), user('a')];
    expect(judged([item(space, tool(OWN_TOOL)), user('a')], [edit], {}, client)).toBe('ok');
    expect(judged([item(space, tool(OWN_TOOL)), user('a')], [], {}, client)).toBe('kept /input/0');
    expect(judged([item(tool(OWN_TOOL), space), user('a')], [{ ...edit, index: 0 }], {}, client)).toBe(
      'addition /input/0/tools/0',
    );
    expect(judged([{ ...item(space, tool(OWN_TOOL)), role: 'user' }, user('a')], [edit], {}, client)).toBe(
      'kept /input/0',
    );
    expect(judged([item(tool(OWN_TOOL)), user('a')], [{ ...edit, index: 0 }], {}, client)).toBe(
      'kept client:/input/0/tools/0',
    );
  });
});

describe('items of ours', () => {
  const memory = (element: number): Edit => ({ kind: 'memory-part', element });

  it('are messages of text between what belongs together', () => {
    expect(judged(INPUT.toSpliced(2, 0, user('facts')), [memory(2)])).toBe('ok');
    expect(judged(INPUT.toSpliced(2, 0, user('facts')), [])).toBe('kept /input/2');
    expect(judged(INPUT.toSpliced(2, 0, user(' ')), [memory(2)])).toBe('addition /input/2');
    expect(judged(INPUT.toSpliced(2, 0, answer('facts')), [memory(2)])).toBe('addition /input/2');
    expect(judged(INPUT.toSpliced(2, 0, user('stub')), [{ kind: 'stub', element: 2 }])).toBe(
      'addition /input/2',
    );
    expect(judged(INPUT.toSpliced(2, 0, developer('stub')), [{ kind: 'stub', element: 2 }])).toBe('ok');
    expect(judged(INPUT.toSpliced(4, 0, user('facts')), [memory(4)])).toBe('addition /input/4');
    const unnamed = INPUT.map(({ id: _id, ...item }) => item);
    expect(judged(unnamed.toSpliced(3, 0, user('facts')), [memory(3)], {}, unnamed)).toBe(
      'addition /input/3',
    );
    expect(judged(INPUT, [memory(2)])).toBe('addition /input/2');
    expect(judged(INPUT, [memory(20)])).toBe('edits edits/0');
  });

  it('are hidden calls of our tool with their outputs', () => {
    const edits: readonly Edit[] = [
      { kind: 'hidden-round', element: 3 },
      { kind: 'hidden-round', element: 4 },
    ];
    const put = (use: Value, reply: Value) => INPUT.toSpliced(3, 0, use, reply);
    expect(judged(put(call('h', OWN_TOOL), output('h')), edits)).toBe('ok');
    expect(judged(put(call('h'), output('h')), edits)).toBe('addition /input/3');
    expect(judged(INPUT.toSpliced(3, 0, call('h', OWN_TOOL)), edits.slice(0, 1))).toBe('tool-pair /input/3');
    expect(judged(put({ ...call('h', OWN_TOOL), note: 1 }, output('h')), edits)).toBe('addition /input/3');
  });

  it('are trimmed outputs with less text and nothing else that is another', () => {
    const edit: Edit = { kind: 'trimmed-result', element: 4 };
    expect(judged(INPUT.with(4, output('c1', 'x…x')), [edit])).toBe('ok');
    expect(judged(INPUT.with(4, output('c1', [{ type: 'input_text', text: 'x…x' }])), [edit])).toBe('ok');
    expect(judged(INPUT.with(4, output('c1', 'y'.repeat(101))), [edit])).toBe('addition /input/4');
    expect(judged(INPUT.with(4, output('c1', 'y'.repeat(101))), [{ ...edit, kind: 'filled-result' }])).toBe(
      'ok',
    );
    expect(judged(INPUT.with(4, { ...output('c1', 'x'), status: 'completed' }), [edit])).toBe(
      'kept /input/4',
    );
    expect(judged(INPUT.with(1, user('f')), [{ ...edit, element: 1 }])).toBe('addition /input/1');
  });
});

describe('what is left out', () => {
  const out = (from: number, to: number): Edit => ({ kind: 'left-out-messages', from, to });

  it('are groups whole', () => {
    expect(judged(INPUT.toSpliced(1, 6), [out(1, 7)])).toBe('ok');
    expect(judged(INPUT.toSpliced(2, 3), [out(2, 5)])).toBe('ok');
    expect(judged(INPUT.toSpliced(2, 1), [out(2, 3)])).toBe('reasoning-group client:/input/2');
    expect(judged(INPUT.toSpliced(2, 2), [out(2, 4)])).toBe('tool-pair /input/2');
    expect(judged(INPUT.toSpliced(6, 1), [out(6, 7)])).toBe('reasoning-group /input/5');
  });

  it('is reasoning alone only in a form that takes it', () => {
    const edit: Edit = { kind: 'left-out-thinking', from: 0, to: 7 };
    const without = INPUT.filter((item, index) => index > 6 || item.type !== 'reasoning');
    expect(judged(without, [edit])).toBe('thinking client:/input/2');
    expect(judged(without, [edit], { latestThinking: 'untouched-or-none' })).toBe('ok');
    expect(judged(INPUT, [edit], { latestThinking: 'untouched-or-none' })).toBe('kept /input/2');
  });

  it('are turns whole', () => {
    expect(judged(INPUT.toSpliced(1, 6), [{ kind: 'left-out-turn', from: 1, to: 7 }])).toBe('ok');
    expect(judged(INPUT.toSpliced(2, 3), [{ kind: 'left-out-turn', from: 2, to: 5 }])).toBe('edits edits/0');
  });

  it('never changes tools', () => {
    const loads = [
      user('a'),
      { type: 'tool_search_call', call_id: 's' },
      { type: 'tool_search_output', call_id: 's', tools: [tool('late')] },
      user('b'),
      call('l', 'late'),
      output('l'),
    ];
    expect(judged(loads.slice(3), [out(0, 3)], {}, loads)).toBe('edits client:/input/1');
    expect(judged(loads.slice(3), [{ kind: 'left-out-turn', from: 0, to: 3 }], {}, loads)).toBe(
      'deferred-tool /input/1',
    );
    expect(
      judged(loads.slice(3, 4), [{ kind: 'left-out-turn', from: 0, to: 3 }], {}, loads.slice(0, 4)),
    ).toBe('ok');
  });
});

describe('a compacted window', () => {
  const compacted = [
    user('a'),
    user('b'),
    { type: 'compaction', id: 'cmp', encrypted_content: 'e' },
    user('c'),
    answer('d'),
    user('e'),
  ];
  const memory = (element: number): Edit => ({ kind: 'memory-part', element });

  it('stays whole and first', () => {
    expect(judged(compacted.toSpliced(3, 0, user('facts')), [memory(3)], {}, compacted)).toBe('ok');
    expect(
      judged(compacted.toSpliced(3, 2), [{ kind: 'left-out-turn', from: 3, to: 5 }], {}, compacted),
    ).toBe('ok');
    expect(judged([user('facts'), ...compacted], [memory(0)], {}, compacted)).toBe('compaction /input/0');
    expect(judged(compacted.toSpliced(2, 0, user('facts')), [memory(2)], {}, compacted)).toBe(
      'compaction /input/2',
    );
    expect(judged(compacted.slice(1), [{ kind: 'left-out-turn', from: 0, to: 1 }], {}, compacted)).toBe(
      'compaction client:/input/0',
    );
  });
});

describe('the size', () => {
  it('is refused above the window', () => {
    expect(judged(INPUT, [], { window: 9, estimate: () => 10 })).toBe('window ');
    expect(judged(INPUT, [], { window: 10, estimate: () => 10 })).toBe('ok');
  });
});

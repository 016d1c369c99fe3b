import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Edit, Verdict } from './index.ts';
import { judgeMessages, OWN_TOOL, ruleOf, type Settings } from './testing/judging.ts';

type Value = Record<string, unknown>;
const user = (...content: unknown[]): Value => ({ role: 'user', content });
const assistant = (...content: unknown[]): Value => ({ role: 'assistant', content });
const text = (words: string): Value => ({ type: 'text', text: words });
const call = (id: string, name = 'Bash'): Value => ({ type: 'tool_use', id, name, input: {} });
const result = (id: string, content: unknown = 'done'): Value => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
});
const thinking = (words: string): Value => ({ type: 'thinking', thinking: words, signature: `s-${words}` });
const tool = (name: string, more: Value = {}): Value => ({ name, input_schema: {}, ...more });

const TOOLS = [tool('Bash'), tool('Read')];
const MESSAGES = [
  user(text('reminder'), text('first')),
  assistant(thinking('one'), text('a'), call('t1')),
  user(result('t1', 'x'.repeat(100))),
  assistant(thinking('two'), text('b')),
  { role: 'user', content: 'second' },
  assistant(thinking('three'), call('t2')),
  user(result('t2')),
];
const body = (messages: readonly unknown[], more: Value = {}): Value => ({
  model: 'm',
  messages,
  system: 's',
  tools: TOOLS,
  ...more,
});
const CLIENT = body(MESSAGES);

/** Judges what became of the client's messages. */
const judged = (messages: readonly unknown[], edits: readonly Edit[], settings: Settings = {}): string =>
  ruleOf(judgeMessages(CLIENT, body(messages), edits, settings));
/** The messages with some of them replaced. */
const withMessages = (changes: Record<number, unknown>): unknown[] =>
  MESSAGES.map((message, index) => changes[index] ?? message);

describe('kept bytes', () => {
  it('are the client’s: the body as it is passes, whatever white space it has', () => {
    expect(judged(MESSAGES, [])).toBe('ok');
    const spaced = JSON.stringify(CLIENT, null, 2);
    expect(ruleOf(judgeMessages(spaced, JSON.stringify(JSON.parse(spaced))))).toBe('kept /tools/0');
    expect(ruleOf(judgeMessages(spaced, spaced.replace('"messages": [', '"messages":\n [')))).toBe('ok');
  });

  it('are noticed wherever one of them is another', () => {
    const bytes = Buffer.from(JSON.stringify(CLIENT));
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        fc.pre(bytes[at] !== byte);
        const changed = Buffer.from(bytes);
        changed[at] = byte;
        expect(judgeMessages(bytes, changed).ok).toBe(false);
      }),
      { seed: 5, numRuns: 2_000 },
    );
  });

  it.each<[string, readonly unknown[], string]>([
    [
      'a changed text',
      withMessages({ 0: user(text('reminder'), text('First')) }),
      'kept /messages/0/content/1',
    ],
    [
      'a changed id',
      withMessages({ 5: assistant(thinking('three'), call('t3')), 6: user(result('t3')) }),
      'kept /messages/5/content/1',
    ],
    ['a part more', withMessages({ 4: user(text('second'), text('more')) }), 'kept /messages/4/content/1'],
    ['a part less', withMessages({ 0: user(text('reminder')) }), 'kept /messages/0'],
    [
      'parts in another order',
      withMessages({ 0: user(text('first'), text('reminder')) }),
      'kept /messages/0/content/0',
    ],
    ['a message less', MESSAGES.toSpliced(3, 1), 'kept /messages/3/content'],
    ['the last messages gone', MESSAGES.slice(0, 5), 'kept client:/messages/5'],
    ['a message more', [...MESSAGES, user(text('more'))], 'kept /messages/7/content/0'],
    [
      'messages joined',
      [user(text('reminder'), text('first')), ...MESSAGES.slice(1, 3), MESSAGES[3], user(text('second'))],
      'kept client:/messages/5',
    ],
    [
      'a field beside the content',
      withMessages({ 4: { role: 'user', content: 'second', id: 7 } }),
      'kept /messages/4',
    ],
  ])('with %s are refused', (_name, messages, verdict) => {
    expect(judged(messages, [])).toBe(verdict);
  });

  it.each<[string, unknown, string]>([
    ['a changed field', { ...CLIENT, model: 'n' }, 'kept /model'],
    ['a field more', { ...CLIENT, stream: true }, 'kept /stream'],
    ['a field less', { messages: MESSAGES, system: 's', tools: TOOLS }, 'kept /messages'],
    ['the last field less', { model: 'm', messages: MESSAGES, system: 's' }, 'kept client:/tools'],
    ['another system prompt', { ...CLIENT, system: [text('s')] }, 'kept /system'],
    ['another tool', { ...CLIENT, tools: [tool('Bash'), tool('Write')] }, 'kept /tools/1'],
    ['a tool less', { ...CLIENT, tools: [tool('Bash')] }, 'kept client:/tools/1'],
    ['a tool more', { ...CLIENT, tools: [...TOOLS, tool(OWN_TOOL)] }, 'kept /tools/2'],
  ])('with %s are refused', (_name, edited, verdict) => {
    expect(ruleOf(judgeMessages(CLIENT, edited))).toBe(verdict);
  });

  it('need a client body that is whole and names no field twice', () => {
    expect(ruleOf(judgeMessages(JSON.stringify(CLIENT).slice(0, -1), CLIENT))).toBe('kept client:');
    const twice = JSON.stringify(CLIENT).replace('{"model":"m"', '{"model":"m","model":"m"');
    expect(ruleOf(judgeMessages(twice, twice))).toBe('kept client:');
  });
});

describe('our tool', () => {
  const defined = (tools: readonly unknown[], index: number, client: Value = CLIENT): string =>
    ruleOf(judgeMessages(client, { ...client, tools }, [{ kind: 'tool-definition', index }]));

  it('stands last, or right before a last tool that bears a cache mark', () => {
    expect(defined([...TOOLS, tool(OWN_TOOL)], 2)).toBe('ok');
    expect(defined([tool('Bash'), tool(OWN_TOOL), tool('Read')], 1)).toBe('addition /tools/1');
    const marked = tool('Read', { cache_control: { type: 'ephemeral' } });
    const client = { ...CLIENT, tools: [tool('Bash'), marked] };
    expect(defined([tool('Bash'), tool(OWN_TOOL), marked], 1, client)).toBe('ok');
  });

  it.each<[string, readonly unknown[], number, string]>([
    ['another name', [...TOOLS, tool('other')], 2, 'addition /tools/2'],
    ['deferred', [...TOOLS, tool(OWN_TOOL, { defer_loading: true })], 2, 'addition /tools/2'],
    [
      'a cache mark',
      [...TOOLS, tool(OWN_TOOL, { cache_control: { type: 'ephemeral' } })],
      2,
      'addition /tools/2',
    ],
    ['a place where it is not', TOOLS, 2, 'edits edits/0'],
  ])('with %s is refused', (_name, tools, index, verdict) => {
    expect(defined(tools, index)).toBe(verdict);
  });

  it('is not added where the client sends no tools', () => {
    const none = { ...CLIENT, tools: [] };
    expect(
      ruleOf(
        judgeMessages(none, { ...none, tools: [tool(OWN_TOOL)] }, [{ kind: 'tool-definition', index: 0 }]),
      ),
    ).toBe('kept /tools');
  });
});

describe('parts and messages of ours', () => {
  const memory: Edit = { kind: 'memory-part', element: 0, part: 2 };
  const withMemory = (part: unknown) => withMessages({ 0: user(text('reminder'), text('first'), part) });

  it('pass where they are named: a memory part of the first user message', () => {
    expect(judged(withMemory(text('facts')), [memory])).toBe('ok');
    expect(judged(withMemory(text('facts')), [])).toBe('kept /messages/0/content/2');
    expect(judged(MESSAGES, [memory])).toBe('edits edits/0');
    expect(judged(withMemory(text(' ')), [memory])).toBe('addition /messages/0/content/2');
    expect(judged(withMemory({ type: 'image', source: {} }), [memory])).toBe(
      'addition /messages/0/content/2',
    );
    const late = withMessages({ 4: user(text('second'), text('facts')) });
    expect(judged(late, [{ ...memory, element: 4, part: 1 }])).toBe('addition /messages/4/content/1');
  });

  it('stand beside a bare string that became a text part of the same bytes', () => {
    const stub: Edit = { kind: 'stub', element: 4, part: 1 };
    expect(judged(withMessages({ 4: user(text('second'), text('[stub]')) }), [stub])).toBe('ok');
    expect(judged(withMessages({ 4: user(text('secund'), text('[stub]')) }), [stub])).toBe(
      'kept /messages/4/content/0',
    );
  });

  it('pass as a head with the index, behind which the older part is left out', () => {
    const head = user(text('reminder'), text('index'), text('second'));
    const edits: readonly Edit[] = [
      { kind: 'head-message', element: 0, part: 1 },
      { kind: 'left-out-parts', element: 0, from: 1, to: 2 },
      { kind: 'left-out-messages', from: 1, to: 4 },
    ];
    const messages = [head, ...MESSAGES.slice(5)];
    expect(judged(messages, edits)).toBe('ok');
    expect(judged(messages, edits.slice(0, 2))).toBe('kept /messages/0/content/2');
    expect(judged([user(text('reminder'), text('index'), text('first')), ...MESSAGES.slice(5)], edits)).toBe(
      'kept /messages/0/content/2',
    );
  });

  it('join messages of the client only in a head', () => {
    const messages = [user(text('reminder'), text('first'), text('second')), ...MESSAGES.slice(5)];
    expect(judged(messages, [{ kind: 'left-out-messages', from: 1, to: 4 }])).toBe('kept /messages/0');
  });

  it('pass as whole messages: a head, a stub between user and assistant', () => {
    const edits: readonly Edit[] = [
      { kind: 'head-message', element: 0 },
      { kind: 'left-out-messages', from: 0, to: 5 },
      { kind: 'stub', element: 2 },
    ];
    const note = { role: 'system', content: 'note' };
    const client = body([MESSAGES[0], note, ...MESSAGES.slice(1)]);
    const stub = { role: 'system', content: '[evicted]' };
    const laid = (head: unknown, second: unknown, from: Value = client) =>
      ruleOf(judgeMessages(from, body([head, MESSAGES[4], second, ...MESSAGES.slice(5)]), edits));
    expect(laid(user(text('head')), stub)).toBe('ok');
    expect(laid(user(text('head')), { ...stub, role: 'user' })).toBe('addition /messages/2');
    expect(laid({ ...user(text('head')), id: 1 }, stub)).toBe('addition /messages/0');
    const without = body([MESSAGES[0], user(text('note')), ...MESSAGES.slice(1)]);
    expect(laid(user(text('head')), stub, without)).toBe('addition /messages/2');
  });
});

describe('a hidden round', () => {
  const own = call('h1', OWN_TOOL);
  const edits: readonly Edit[] = [
    { kind: 'hidden-round', element: 3, part: 1 },
    { kind: 'hidden-round', element: 4 },
  ];
  const put = (use: unknown, answer: unknown) => [
    ...MESSAGES.slice(0, 3),
    assistant(thinking('two'), use),
    user(answer),
    assistant(text('b')),
    ...MESSAGES.slice(4),
  ];

  it('divides the client’s answer at its call', () => {
    expect(judged(put(own, result('h1')), edits)).toBe('ok');
    expect(judged(put(own, result('h1')), edits.slice(0, 1))).toBe('kept /messages/4/content/0');
    expect(judged(put(call('h1', 'Bash'), result('h1')), edits)).toBe('addition /messages/3/content/1');
    expect(judged(put(own, result('h1', [text('')])), edits)).toBe('addition /messages/4/content/0');
    expect(judged(put(own, result('h1')), edits, { ownTool: null })).toBe('addition /messages/3/content/1');
  });

  it('stands beside the client’s own calls and results', () => {
    const mixed = withMessages({
      5: assistant(thinking('three'), own, call('t2')),
      6: user(result('t2'), result('h1')),
    });
    const places: readonly Edit[] = [
      { kind: 'hidden-round', element: 5, part: 1 },
      { kind: 'hidden-round', element: 6, part: 1 },
    ];
    expect(judged(mixed, places)).toBe('ok');
  });

  it('divides it also where something of the answer stands behind the call', () => {
    const behind = [
      ...MESSAGES.slice(0, 3),
      assistant(own, thinking('two')),
      user(result('h1')),
      assistant(text('b')),
      ...MESSAGES.slice(4),
    ];
    const places: readonly Edit[] = [
      { kind: 'hidden-round', element: 3, part: 0 },
      { kind: 'hidden-round', element: 4 },
    ];
    expect(judged(behind, places)).toBe('ok');
  });

  it('alone divides an answer', () => {
    const divided = [
      ...MESSAGES.slice(0, 3),
      assistant(thinking('two')),
      assistant(text('b')),
      ...MESSAGES.slice(4),
    ];
    expect(judged(divided, [])).toBe('kept /messages/3');
  });
});

describe('a replaced result', () => {
  const trimmed = (content: unknown, more: Value = {}) =>
    withMessages({ 2: user({ ...result('t1', content), ...more }) });
  const edit: Edit = { kind: 'trimmed-result', element: 2, part: 0 };

  it('has less text and nothing else that is another', () => {
    expect(judged(trimmed('x…x'), [edit])).toBe('ok');
    expect(judged(trimmed([text('x…x')]), [edit])).toBe('ok');
    expect(judged(trimmed('x…x'), [])).toBe('kept /messages/2/content/0');
    expect(judged(trimmed('y'.repeat(101)), [edit])).toBe('addition /messages/2/content/0');
    expect(judged(trimmed(''), [edit])).toBe('addition /messages/2/content/0');
    expect(judged(trimmed([{ type: 'image' }]), [edit])).toBe('addition /messages/2/content/0');
    expect(judged(trimmed('x', { is_error: true }), [edit])).toBe('kept /messages/2/content/0');
    expect(
      judged(withMessages({ 0: user(text('reminder'), text('f')) }), [{ ...edit, element: 0, part: 1 }]),
    ).toBe('addition /messages/0/content/1');
  });

  it('may have more text where it is filled', () => {
    const filled: Edit = { ...edit, kind: 'filled-result' };
    expect(judged(trimmed('y'.repeat(500)), [filled])).toBe('ok');
  });

  it('was text alone before it was trimmed', () => {
    const client = body(withMessages({ 2: user(result('t1', [text('long'), { type: 'image' }])) }));
    expect(ruleOf(judgeMessages(client, body(trimmed('l')), [edit]))).toBe('addition /messages/2/content/0');
  });
});

describe('thinking', () => {
  const without = (...indexes: readonly number[]) =>
    MESSAGES.map((message, index) =>
      indexes.includes(index)
        ? {
            ...message,
            content: (message as { content: Value[] }).content.filter((part) => part.type !== 'thinking'),
          }
        : message,
    );
  const out = (from: number, to: number): Edit => ({ kind: 'left-out-thinking', from, to });

  it('is left out from the beginning, all of a range', () => {
    expect(judged(without(1, 3), [out(0, 5)])).toBe('ok');
    expect(judged(without(1), [out(0, 5)])).toBe('kept /messages/3/content/0');
    expect(judged(without(1, 3), [])).toBe('kept /messages/1/content/0');
  });

  it('stays in the latest answer, unless the model takes it without', () => {
    expect(judged(without(1, 3, 5), [out(0, 7)])).toBe('thinking client:/messages/5');
    expect(judged(without(1, 3, 5), [out(0, 7)], { latestThinking: 'untouched-or-none' })).toBe('ok');
  });

  it('stays in the running turn where the model demands that', () => {
    const settings: Settings = { latestThinking: 'turn-untouched' };
    expect(judged(without(1, 3), [out(0, 5)], settings)).toBe('ok');
    expect(judged(without(1, 3, 5), [out(0, 7)], settings)).toBe('thinking client:/messages/5');
  });

  it('is not left out of the middle', () => {
    expect(judged(without(3), [out(2, 4)])).toBe('thinking /messages');
  });

  it('may have been all that a message held', () => {
    const client = body([user(text('a')), assistant(thinking('x')), user(text('b'))]);
    const edited = body([user(text('a')), user(text('b'))]);
    expect(ruleOf(judgeMessages(client, edited, [out(0, 2)], { latestThinking: 'untouched-or-none' }))).toBe(
      'ok',
    );
    expect(ruleOf(judgeMessages(client, edited, [out(0, 2)]))).toBe('thinking client:/messages/1');
  });
});

describe('what is left out', () => {
  it('are whole turns', () => {
    expect(judged(MESSAGES.slice(4), [{ kind: 'left-out-turn', from: 0, to: 4 }])).toBe('ok');
    const client = body([...MESSAGES, assistant(text('c')), user(text('third'))]);
    const edited = body([...MESSAGES.slice(0, 4), user(text('third'))]);
    expect(ruleOf(judgeMessages(client, edited, [{ kind: 'left-out-turn', from: 4, to: 8 }]))).toBe('ok');
  });

  it('is never a part of a turn, nor the end of one', () => {
    expect(judged([MESSAGES[0], ...MESSAGES.slice(3)], [{ kind: 'left-out-turn', from: 1, to: 3 }])).toBe(
      'edits edits/0',
    );
    expect(judged([...MESSAGES.slice(0, 4)], [{ kind: 'left-out-turn', from: 4, to: 7 }])).toBe(
      'last-message /messages/3',
    );
  });

  it('never changes tools or holds a compacted past', () => {
    const deferred = { tools: [tool('Find'), tool('Late', { defer_loading: true })] };
    const past = [
      user(text('a')),
      assistant(call('f', 'Find')),
      user(result('f', [{ type: 'tool_reference', tool_name: 'Late' }])),
      assistant(text('b')),
      user(text('c')),
    ];
    const edits: readonly Edit[] = [{ kind: 'left-out-messages', from: 0, to: 4 }];
    expect(ruleOf(judgeMessages(body(past, deferred), body(past.slice(4), deferred), edits))).toBe(
      'edits client:/messages/2',
    );
    const compacted = [
      user({ type: 'compaction', content: 'x' }, text('a')),
      assistant(text('b')),
      user(text('c')),
    ];
    expect(
      ruleOf(
        judgeMessages(body(compacted), body(compacted.slice(2)), [
          { kind: 'left-out-messages', from: 0, to: 2 },
        ]),
      ),
    ).toBe('edits client:/messages/0');
  });

  it.each<[string, Edit]>([
    ['nothing', { kind: 'left-out-turn', from: 2, to: 2 }],
    ['messages that the client has not', { kind: 'left-out-messages', from: 0, to: 8 }],
    ['half a message', { kind: 'left-out-turn', from: 0.5, to: 1.5 }],
    ['parts of a message that the client has not', { kind: 'left-out-parts', element: 9, from: 0, to: 1 }],
  ])('is not %s', (_name, edit) => {
    expect(judged(MESSAGES, [edit])).toBe('edits edits/0');
  });

  it('is named once', () => {
    const edit: Edit = { kind: 'left-out-turn', from: 0, to: 4 };
    expect(judged(MESSAGES.slice(4), [edit, edit])).toBe('edits edits/1');
  });
});

describe('the binding control', () => {
  const control = { prefix_mismatch_behavior: 'drop_block' };
  const bound = (client: Value, thinkingField: unknown): Verdict =>
    judgeMessages({ ...CLIENT, ...client }, { ...CLIENT, thinking: thinkingField }, [
      { kind: 'block-binding' },
    ]);

  it('is all that changes in the thinking field', () => {
    const before = { thinking: { type: 'adaptive', display: 'omitted' } };
    expect(bound(before, { ...before.thinking, block_binding: control }).ok).toBe(true);
    expect(bound({}, { type: 'adaptive', block_binding: control }).ok).toBe(true);
    expect(bound(before, { type: 'adaptive', block_binding: control }).ok).toBe(false);
    expect(
      bound(before, { ...before.thinking, block_binding: { prefix_mismatch_behavior: 'error' } }).ok,
    ).toBe(false);
    expect(bound(before, before.thinking).ok).toBe(false);
  });
});

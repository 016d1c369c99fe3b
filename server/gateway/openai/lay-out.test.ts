import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../e2e/simulator/json.ts';
import { encryptReasoning, judgeOpenai } from '../../../e2e/simulator/judge.ts';
import { type BoundaryElement, chooseBoundary } from '../../recall/index.ts';
import { itemsComposed } from '../compose/testing/composing.ts';

type Item = JsonObject;

let serial = 0;
const user = (text: string): Item => ({
  type: 'message',
  role: 'user',
  content: [{ type: 'input_text', text }],
});
const developer = (text: string): Item => ({
  type: 'message',
  role: 'developer',
  content: [{ type: 'input_text', text }],
});
const said = (text: string): Item => ({
  type: 'message',
  id: `msg_${serial++}`,
  role: 'assistant',
  content: [{ type: 'output_text', text }],
});
const called = (id: string): Item => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: `call_${id}`,
  name: 'shell',
  arguments: '{}',
});
const output = (id: string): Item => ({
  type: 'function_call_output',
  call_id: `call_${id}`,
  output: 'x'.repeat(60),
});
const environment = user('<environment_context>\n<cwd>/project</cwd>\n</environment_context>');
const tools: Item = { type: 'additional_tools', role: 'developer', tools: [] };

const bodyOf = (input: readonly Item[]): JsonObject => ({
  model: 'gpt-6.2-sol',
  stream: true,
  input: [...input],
  store: false,
  include: ['reasoning.encrypted_content'],
});

function laidOut(
  input: readonly Item[],
  at: number,
  runningTyped: number | null,
  memory: string | null = null,
) {
  const { body, verdict } = itemsComposed<{ input: Item[] }>(bodyOf(input), {
    layout: { at, runningTyped, memory, index: 'INDEX', cacheMark: null },
  });
  return { input: body.input, verdict };
}

describe('a layout', () => {
  const mode = (name: string) => developer(`<collaboration_mode>${name}</collaboration_mode>`);
  const talk = [
    developer('You are an agent.'),
    mode('plan'),
    environment,
    user('first'),
    said('one'),
    mode('default'),
    user('second'),
    said('two'),
    user('third'),
  ];

  test('keeps the head by kind, the newest of each, then memory and index, then the recent items as they came', () => {
    const { input, verdict } = laidOut(talk, 6, null, 'FACTS');
    expect(verdict).toEqual({ ok: true });
    expect(input).toEqual([
      talk[0],
      environment,
      mode('default'),
      user('FACTS'),
      user('INDEX'),
      ...talk.slice(6),
    ]);
  });

  test('keeps tools that came in the list, the running turn’s typed item, and what a provider compacted', () => {
    const compaction = { type: 'compaction', id: 'cmp_1', encrypted_content: 'Y2lwaGVy' };
    const items = [
      user('old'),
      compaction,
      tools,
      user('now'),
      called('a'),
      output('a'),
      called('b'),
      output('b'),
    ];
    const { input } = laidOut(items, 6, 3);
    expect(input).toEqual([...items.slice(0, 3), user('INDEX'), user('now'), ...items.slice(6)]);
  });

  test('is not made of items of a type that nobody knows', () => {
    expect(() => laidOut([user('a'), { type: 'brand_new' }, user('b')], 2, null)).toThrow(
      'Not composed: brand_new',
    );
  });
});

/** Conversations as Codex has them, reasoning sealed by the simulator as it would be. */
const scripts = fc.array(
  fc.record({
    rounds: fc.array(fc.record({ calls: fc.integer({ min: 1, max: 3 }), reasons: fc.boolean() }), {
      maxLength: 4,
    }),
    late: fc.boolean(),
  }),
  { minLength: 2, maxLength: 6 },
);
type Script = typeof scripts extends fc.Arbitrary<infer Value> ? Value : never;

function played(turns: Script): Item[] {
  const list: Item[] = [developer('You are an agent.'), environment];
  const reason = (): Item => ({
    type: 'reasoning',
    id: `rs_${serial++}`,
    summary: [],
    encrypted_content: encryptReasoning(bodyOf(list), 'hm'),
  });
  for (const [turn, { rounds, late }] of turns.entries()) {
    if (late && turn > 0) list.push(developer(`<collaboration_mode>${turn}</collaboration_mode>`));
    list.push(user(`typed ${turn}`));
    for (const { calls, reasons } of rounds) {
      const ids = Array.from({ length: calls }, () => `${serial++}`);
      list.push(...(reasons ? [reason()] : []), ...ids.map(called), ...ids.map(output));
    }
    if (turn < turns.length - 1) list.push(said(`done ${turn}`));
  }
  return list;
}

/** What the boundary is chosen by: a group of reasoning, calls and answers is joined to its beginning. */
function elementsOf(items: readonly Item[]): BoundaryElement[] {
  const assistant = (item: Item | undefined) =>
    item !== undefined &&
    (item.type === 'reasoning' || item.type === 'function_call' || item.role === 'assistant');
  return items.map((item, index) => ({
    role: assistant(item) ? 'assistant' : item.role === 'user' ? 'user' : 'other',
    older: item.role === 'developer' || item === environment ? 'stays' : 'leaves',
    typed: item.role === 'user' && item !== environment,
    results: item.type === 'function_call_output',
    opens: item.type === 'function_call' ? [String(item.call_id)] : [],
    closes: item.type === 'function_call_output' ? [String(item.call_id)] : [],
    joins: assistant(item) && assistant(items[index - 1]),
    tokens: JSON.stringify(item).length,
    confirmed: true,
  }));
}

test('whatever the conversation and wherever the cut, the provider and the validator take a layout', () => {
  fc.assert(
    fc.property(scripts, fc.nat(5_000), (script, recent) => {
      const items = played(script);
      expect(judgeOpenai(bodyOf(items))).toBeNull();
      const boundary = chooseBoundary(elementsOf(items), recent);
      if (typeof boundary === 'string') return;
      const { input, verdict } = laidOut(items, boundary.at, boundary.runningTyped);
      expect(verdict).toEqual({ ok: true });
      expect(judgeOpenai(bodyOf(input))).toBeNull();
    }),
  );
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../e2e/simulator/json.ts';
import { judgeAnthropic, signThinking } from '../../../e2e/simulator/judge.ts';
import { type BoundaryElement, chooseBoundary } from '../../recall/index.ts';
import type { PlannedLayout } from '../compose/plan.ts';
import { messagesComposed } from '../compose/testing/composing.ts';

type Part = JsonObject;
type Message = { role: string; content: string | Part[] };

const text = (words: string): Part => ({ type: 'text', text: words });
const reminder = (words: string): Part => text(`<system-reminder>\n${words}\n</system-reminder>`);
const INDEX = 'an index\nof "older" work';

function bodyOf(messages: readonly Message[], model = 'claude-opus-5-5'): JsonObject {
  const tools = [{ name: 'Read', description: 'reads', input_schema: { type: 'object' } }];
  const system = [{ type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral' } }];
  return { model, max_tokens: 100, system, tools, messages: [...messages], stream: true };
}

type Layout = Partial<PlannedLayout> & { readonly at: number; readonly leaves?: boolean };

function laidOut(messages: readonly Message[], { leaves = false, ...layout }: Layout, model?: string) {
  const { body, verdict } = messagesComposed<JsonObject & { messages: Message[] }>(bodyOf(messages, model), {
    layout: { runningTyped: null, memory: null, index: INDEX, cacheMark: null, ...layout },
    leavesReasoning: () => leaves,
  });
  return { body, verdict };
}

describe('a layout', () => {
  const talk: Message[] = [
    { role: 'user', content: [reminder('As you work:\n# claudeMd\nBe brief.'), text('first')] },
    { role: 'system', content: 'Available agent types for the Agent tool:\n- one' },
    { role: 'assistant', content: [text('one')] },
    {
      role: 'user',
      content: [
        reminder('# MCP Server Instructions\nuse it'),
        reminder('PostToolUse hook success: ok'),
        text('second'),
      ],
    },
    { role: 'assistant', content: [text('two')] },
    { role: 'user', content: 'third "quoted"' },
    { role: 'assistant', content: [text('three')] },
    { role: 'user', content: [text('fourth')] },
  ];

  test('opens with head, memory and index, joined with the typed message that the recent part begins with', () => {
    const { body, verdict } = laidOut(talk, { at: 5, memory: 'facts' });
    expect(verdict).toEqual({ ok: true });
    expect(body.messages[0]).toEqual({
      role: 'user',
      content: [
        reminder('As you work:\n# claudeMd\nBe brief.'),
        reminder('Available agent types for the Agent tool:\n- one'),
        reminder('# MCP Server Instructions\nuse it'),
        text('facts'),
        text(INDEX),
        text('third "quoted"'),
      ],
    });
    expect(body.messages.slice(1)).toEqual(talk.slice(6));
  });

  test('opens by itself where the recent part begins with the assistant', () => {
    const { body, verdict } = laidOut(talk, { at: 4 });
    expect(verdict).toEqual({ ok: true });
    expect(body.messages[0]?.content.at(-1)).toEqual(text(INDEX));
    expect(body.messages.slice(1)).toEqual(talk.slice(4));
  });

  test('keeps the running turn’s typed message in view', () => {
    const { body, verdict } = laidOut(talk.slice(0, 5), { at: 4, runningTyped: 3 });
    expect(verdict).toEqual({ ok: true });
    expect(body.messages[0]?.content.slice(-3)).toEqual(talk[3]?.content);
  });

  test('marks the end of the index for the cache where a mark is free, and not where it would stand behind a shorter one', () => {
    const { body } = laidOut(talk, { at: 5, cacheMark: '5m' });
    const marked = { ...text(INDEX), cache_control: { type: 'ephemeral' } };
    expect(body.messages[0]?.content.at(-2)).toEqual(marked);
    const long = laidOut(talk, { at: 5, cacheMark: '1h' });
    expect(long.verdict).toEqual({ ok: true });
    expect(long.body.messages[0]?.content.at(-2)).toEqual(text(INDEX));
  });

  test('takes thinking out of what stays, and a message of thinking alone whole', () => {
    const thinking: Part = { type: 'thinking', thinking: 'hm', signature: 'c2ln' };
    const messages: Message[] = [
      ...talk.slice(0, 6),
      { role: 'assistant', content: [thinking] },
      { role: 'assistant', content: [thinking, text('three')] },
      { role: 'user', content: 'go' },
    ];
    const { body, verdict } = laidOut(messages, { at: 5, leaves: true });
    expect(verdict).toEqual({ ok: true });
    expect(body.messages.slice(1)).toEqual([{ role: 'assistant', content: [text('three')] }, messages[8]]);
  });

  test('keeps the pairs that loaded deferred tools whole, behind the head', () => {
    const search: Message[] = [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_s', name: 'ToolSearch', input: {} }] },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_s',
            content: [{ type: 'tool_reference', tool_name: 'Read' }],
          },
        ],
      },
    ];
    const messages = [...talk.slice(0, 2), ...search, ...talk.slice(2)];
    const { body, verdict } = laidOut(messages, { at: 6 });
    expect(verdict).toEqual({ ok: true });
    expect(body.messages.slice(1, 3)).toEqual(search);
    expect(body.messages.slice(3)).toEqual(messages.slice(6));
  });
});

/** Conversations as Claude Code has them, in both of its dialects, thinking signed by the simulator as it would be. */
const scripts = fc.record({
  systemMessages: fc.boolean(),
  turns: fc.array(
    fc.record({
      rounds: fc.array(fc.record({ calls: fc.nat(3), thinks: fc.boolean(), late: fc.boolean() }), {
        maxLength: 4,
      }),
      bare: fc.boolean(),
    }),
    { minLength: 2, maxLength: 6 },
  ),
});
type Script = typeof scripts extends fc.Arbitrary<infer Value> ? Value : never;

function played({ systemMessages, turns }: Script): Message[] {
  const list: Message[] = [];
  let id = 0;
  const say = (visible: Part[], thinks: boolean) => {
    const thinking = thinks ? signThinking(bodyOf(list), [`thought ${id++}`]) : [];
    list.push({ role: 'assistant', content: [...thinking, ...visible] });
  };
  const inject = (words: string) => {
    if (systemMessages) list.push({ role: 'system', content: words });
  };
  for (const [turn, { rounds, bare }] of turns.entries()) {
    const before = turn === 0 ? [reminder('As you work:\n# claudeMd\nBe brief.')] : [];
    list.push({
      role: 'user',
      content: bare && turn > 0 ? `typed ${turn}` : [...before, text(`typed ${turn}`)],
    });
    if (turn % 2 === 0) inject(`# MCP Server Instructions\nserver ${turn}`);
    for (const { calls, thinks, late } of rounds) {
      const ids = Array.from({ length: calls + 1 }, () => `toolu_${id++}`);
      say(
        [
          text('calling'),
          ...ids.map((call): Part => ({ type: 'tool_use', id: call, name: 'Read', input: {} })),
        ],
        thinks,
      );
      list.push({
        role: 'user',
        content: ids.map(
          (call): Part => ({ type: 'tool_result', tool_use_id: call, content: 'x'.repeat(50) }),
        ),
      });
      if (late) inject('PostToolUse hook success: ok');
    }
    if (turn < turns.length - 1) say([text(`done ${turn}`)], true);
  }
  return list;
}

/** What the boundary is chosen by. */
function elementOf(message: Message): BoundaryElement {
  const parts = typeof message.content === 'string' ? [text(message.content)] : message.content;
  const ids = (type: string, key: string) =>
    parts.flatMap((part) => (part.type === type ? [String(part[key])] : []));
  const results = ids('tool_result', 'tool_use_id');
  return {
    role: message.role === 'user' || message.role === 'assistant' ? message.role : 'system',
    older: 'leaves',
    typed: message.role === 'user' && results.length === 0,
    results: results.length > 0,
    opens: ids('tool_use', 'id'),
    closes: results,
    joins: false,
    tokens: JSON.stringify(message).length,
    confirmed: true,
  };
}

test('whatever the conversation and wherever the cut, the strictest provider and the validator take a layout', () => {
  fc.assert(
    fc.property(scripts, fc.nat(6_000), fc.boolean(), (script, recent, marked) => {
      const messages = played(script);
      const boundary = chooseBoundary(messages.map(elementOf), recent);
      if (typeof boundary === 'string') return;
      expect(judgeAnthropic(bodyOf(messages), [], { binding: 'enforced' })).toBeNull();
      const { body, verdict } = laidOut(messages, {
        at: boundary.at,
        runningTyped: boundary.runningTyped,
        cacheMark: marked ? '5m' : null,
        leaves: true,
      });
      expect(verdict).toEqual({ ok: true });
      expect(judgeAnthropic(body, [], { binding: 'enforced' })).toBeNull();
    }),
  );
});

test('the provider refuses a layout that keeps thinking which was produced under another prefix', () => {
  const turn = { rounds: [{ calls: 0, thinks: true, late: false }], bare: false };
  const messages = played({ systemMessages: false, turns: [turn, turn, turn] });
  const { body } = laidOut(messages, { at: 4 });
  expect(judgeAnthropic(body, [], { binding: 'enforced' })?.message).toContain(
    'bound to a different conversation',
  );
});

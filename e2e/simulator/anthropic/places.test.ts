import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../json.ts';
import { judgeAnthropic } from '../judge.ts';
import type { RuleName } from '../rules.ts';
import { startSimulator } from '../simulator.ts';
import { errorMessage, messagesBody, postMessages } from '../testing.ts';

const user = (content: Json): JsonObject => ({ role: 'user', content });
const assistant = (content: Json): JsonObject => ({ role: 'assistant', content });
const text = (words: string): JsonObject => ({ type: 'text', text: words });
const call = (id: string, name = 'Read'): JsonObject => ({ type: 'tool_use', id, name, input: {} });
const result = (id: string): JsonObject => ({ type: 'tool_result', tool_use_id: id });
const tools = [{ name: 'Read', input_schema: {} }];

/** Refused with those words, and let through by the switch. */
function expectSwitched(rule: RuleName, messages: JsonObject[], words: string): void {
  const body = messagesBody({ messages, tools });
  expect(judgeAnthropic(body)?.message).toBe(words);
  expect(judgeAnthropic(body, [], { rules: { [rule]: false } })?.message).not.toBe(words);
}

describe('places and names of blocks', () => {
  it('keep calls and thinking with the assistant, results with the user, text with the system', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } };
    const cases: [JsonObject[], string][] = [
      [
        [user([call('toolu_1')])],
        'messages.0.content.0: `tool_use` blocks can only be in `assistant` messages',
      ],
      [
        [user('a'), assistant([text('b'), result('toolu_1')]), user('c')],
        'messages.1.content.1: `tool_result` blocks can only be in `user` messages',
      ],
      [
        [user('a'), assistant([image]), user('c')],
        'messages.1.content.0: `image` blocks can only be in `user` messages',
      ],
      [
        [user('a'), { role: 'system', content: [image] }],
        'messages.1.content.0: `image` blocks can only be in `user` messages',
      ],
      [
        [user([{ type: 'thinking', thinking: 'x', signature: 's' }])],
        'messages.0.content.0: `thinking` blocks can only be in `assistant` messages',
      ],
    ];
    for (const [messages, words] of cases) expectSwitched('anthropic.block-roles', messages, words);
  });

  it('keep ids and names of calls to their pattern', () => {
    const pair = (id: string, name?: string) => [user('a'), assistant([call(id, name)]), user([result(id)])];
    expectSwitched(
      'anthropic.call-names',
      pair('no good'),
      "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    );
    expectSwitched(
      'anthropic.call-names',
      pair('toolu_1', 'a.b'),
      "messages.1.content.0.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'",
    );
    expect(judgeAnthropic(messagesBody({ messages: pair('toolu_1', 'gone-tool'), tools }))).toBeNull();
  });

  it('keep ids apart within a turn; a later turn may use one again', () => {
    const twice = [user('a'), assistant([call('toolu_1'), call('toolu_1')]), user([result('toolu_1')])];
    expectSwitched('anthropic.unique-call-ids', twice, 'messages.1.content.1: `tool_use` ids must be unique');
    const pair = [assistant([call('toolu_1')]), user([result('toolu_1')])];
    expect(judgeAnthropic(messagesBody({ messages: [user('a'), ...pair, ...pair], tools }))).toBeNull();
  });

  it('refuse blank text and empty system text', () => {
    expectSwitched(
      'anthropic.blank-text',
      [user([text('a')]), assistant([text(' \n')]), user('b')],
      'messages: text content blocks must contain non-whitespace text',
    );
    expect(judgeAnthropic(messagesBody({ system: [text('')] }))?.message).toBe(
      'system: text content blocks must be non-empty',
    );
  });

  it('refuse messages without content, but for the last answer and system messages that only configure', () => {
    const model = 'claude-haiku-4-5';
    expect(judgeAnthropic(messagesBody({ model, messages: [user('a'), assistant([])] }))).toBeNull();
    const inside = [user('a'), assistant([]), user('b')];
    expect(judgeAnthropic(messagesBody({ messages: inside }))?.message).toContain(
      'must have non-empty content',
    );
    const configured = [user('a'), { role: 'system', output_config: { effort: 'low' } }];
    const headers = [['anthropic-beta', 'mid-conversation-output-config-2026-07-01']] as const;
    expect(judgeAnthropic(messagesBody({ messages: configured }), headers)).toBeNull();
    expect(judgeAnthropic(messagesBody({ messages: [user('a'), { role: 'system' }] }))).not.toBeNull();
  });

  it('take no cache marks on thinking and citations, and none of other kinds', () => {
    const mark = { cache_control: { type: 'ephemeral' } };
    const thinking = { type: 'thinking', thinking: 'x', signature: 's', ...mark };
    const rules = { 'anthropic.unknown-nested-field': false };
    const words = (content: JsonObject[]) =>
      judgeAnthropic(messagesBody({ messages: [user('a'), assistant(content), user('b')] }), [], { rules })
        ?.message;
    expect(words([thinking, text('b')])).toBe(
      'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted',
    );
    const cited = { ...text('b'), citations: [{ type: 'char_location', ...mark }] };
    expect(words([cited])).toBe(
      'messages.1.content.0.citations.0.char_location.cache_control: Extra inputs are not permitted',
    );
    for (const other of [{ type: 'lasting' }, { type: 'ephemeral', ttl: '2h' }]) {
      expect(words([{ ...text('b'), cache_control: other }])).toContain("a ttl of '5m' or '1h'");
    }
  });

  it('keep a fallback block where it stood in its answer', async () => {
    const block = { type: 'fallback', from: { model: 'a' }, to: { model: 'b' }, trigger: null };
    const simulator = await startSimulator({
      scenarios: [{ id: 'f', when: {}, rounds: [{ steps: [{ say: 'one' }, { block }, { say: 'two' }] }] }],
    });
    const headers = { 'anthropic-beta': 'server-side-fallback-2026-06-01' };
    const send = (content: JsonObject[]) =>
      postMessages(
        simulator,
        messagesBody({ messages: [user('a'), assistant(content), user('b')] }),
        headers,
      );
    await postMessages(simulator, messagesBody());
    expect((await send([text('one'), block, text('two')])).status).toBe(200);
    expect((await send([text('one'), { ...block, trigger: { kind: 'x' } }, text('two')])).status).toBe(200);
    const moved = await send([block, text('one'), text('two')]);
    expect(errorMessage(moved)).toContain('`fallback` block must stay at its position');
    await simulator.stop();
  });
});

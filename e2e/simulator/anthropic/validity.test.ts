import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../json.ts';
import { type Rules, rulesWith } from '../rules.ts';
import { messagesBody } from '../testing.ts';
import { findAnthropicModel, unknownAnthropicModel } from './models.ts';
import { invalidMessages } from './validity.ts';

function refusal(
  changes: JsonObject,
  options: { betas?: readonly string[]; rules?: Partial<Rules>; counting?: boolean } = {},
): string | undefined {
  const body = messagesBody(changes);
  const name = String(body.model);
  const model = findAnthropicModel(name) ?? unknownAnthropicModel(name);
  const betas = new Set(options.betas ?? []);
  const rules = rulesWith(options.rules);
  return invalidMessages(body, { model, betas, rules, counting: options.counting ?? false })?.message;
}

const user = (content: Json): JsonObject => ({ role: 'user', content });
const assistant = (content: Json): JsonObject => ({ role: 'assistant', content });
const system = (content: Json): JsonObject => ({ role: 'system', content });
const text = (words: string): JsonObject => ({ type: 'text', text: words });
const call = (id: string): JsonObject => ({ type: 'tool_use', id, name: 'Read', input: {} });
const result = (id: string): JsonObject => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const marked = (words: string, ttl?: string): JsonObject => ({
  ...text(words),
  cache_control: { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) },
});
const tools = [{ name: 'Read', input_schema: { type: 'object' } }];

describe('pairs of calls and results', () => {
  const asked = [user('a'), assistant([call('toolu_1'), call('toolu_2')])];

  it('pass when every result heads the next user message, in any order, with text behind', () => {
    const messages = [...asked, user([result('toolu_2'), result('toolu_1'), text('and now')])];
    expect(refusal({ messages, tools })).toBeUndefined();
  });

  it('pass with an empty result', () => {
    const empty = { type: 'tool_result', tool_use_id: 'toolu_1' };
    const messages = [user('a'), assistant([call('toolu_1')]), user([empty])];
    expect(refusal({ messages, tools })).toBeUndefined();
  });

  it('pass when the results stand in two user messages in a row, which the provider joins', () => {
    const messages = [...asked, user([result('toolu_1')]), user([result('toolu_2')])];
    expect(refusal({ messages, tools })).toBeUndefined();
  });

  it.each([
    ['a result is missing', [user([result('toolu_1')])], 'toolu_2'],
    [
      'text stands before a result',
      [user([text('x'), result('toolu_1'), result('toolu_2')])],
      'toolu_1, toolu_2',
    ],
    ['an assistant message stands between', [assistant('x'), user('y')], 'toolu_1, toolu_2'],
    ['nothing follows', [], 'toolu_1, toolu_2'],
  ])('are refused when %s', (_name, rest, ids) => {
    const model = 'claude-haiku-4-5';
    expect(refusal({ model, messages: [...asked, ...rest], tools })).toBe(
      `messages.1: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  });

  it('are refused when a result has no call, by the block’s path', () => {
    expect(refusal({ messages: [user([text('a'), result('toolu_9')])] })).toBe(
      'messages.0.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_9. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
    );
  });

  it('are refused when a call has two results', () => {
    const messages = [user('a'), assistant([call('toolu_1')]), user([result('toolu_1'), result('toolu_1')])];
    expect(refusal({ messages, tools })).toContain('each tool_use must have a single result');
  });

  it('are refused when a system message stands between them', () => {
    const messages = [...asked, system('note'), user([result('toolu_1'), result('toolu_2')])];
    expect(refusal({ messages, tools })).toBeDefined();
  });
});

describe('server tools', () => {
  const open = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
  const done = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
  const search = [{ type: 'web_search_20250305', name: 'web_search' }];

  it('may be unfinished in the last turn, to be resumed', () => {
    expect(refusal({ messages: [user('a'), assistant([open])], tools: search })).toBeUndefined();
    expect(refusal({ messages: [user('a'), assistant([open, done, text('x')]), user('b')] })).toBeUndefined();
  });

  it('may bring their result behind the client’s results that their turn waited for', () => {
    const asked = [user('a'), assistant([open, call('toolu_1')]), user([result('toolu_1')])];
    const both = [...search, ...tools];
    expect(refusal({ messages: asked, tools: both })).toBeUndefined();
    const more = [...asked, assistant([call('toolu_2')]), user([result('toolu_2')])];
    expect(
      refusal({ messages: [...more, assistant([done, text('x')]), user('b')], tools: both }),
    ).toBeUndefined();
    expect(refusal({ messages: [...asked, assistant([text('x')]), user('b')], tools: both })).toContain(
      'was found without a corresponding',
    );
  });

  it('are refused unfinished in an earlier turn, and on resuming without the tool', () => {
    const words =
      '`web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block';
    expect(refusal({ messages: [user('a'), assistant([open]), user('b')], tools: search })).toBe(words);
    expect(refusal({ messages: [user('a'), assistant([open])] })).toBe(
      `${words}, but no \`web_search\` tool was provided`,
    );
  });
});

describe('roles', () => {
  it('begin with the user', () => {
    expect(refusal({ messages: [assistant('a'), user('b')] })).toBe(
      'messages: first message must use the "user" role',
    );
  });

  it('may repeat unless the older rule is switched on', () => {
    const messages = [user('a'), user('b')];
    expect(refusal({ messages })).toBeUndefined();
    expect(refusal({ messages }, { rules: { 'anthropic.alternating-roles': true } })).toContain(
      'roles must alternate',
    );
  });

  it('take a system message after a user message, at the end or before the assistant', () => {
    expect(refusal({ messages: [user('a'), system('s')] })).toBeUndefined();
    expect(refusal({ messages: [user('a'), system('s'), assistant('b'), user('c')] })).toBeUndefined();
  });

  it.each([
    ['first', [system('s'), user('a')]],
    ['after an assistant message', [user('a'), assistant('b'), system('s')]],
    ['before a user message', [user('a'), system('s'), user('b')]],
    ['after another one', [user('a'), system('s'), system('t')]],
  ])('refuse a system message %s', (_name, messages) => {
    expect(refusal({ messages })).toContain("role 'system'");
  });

  it('refuse a system message on models that do not know it', () => {
    expect(refusal({ model: 'claude-sonnet-4-6', messages: [user('a'), system('s')] })).toBe(
      "messages.1: role 'system' is not supported on this model",
    );
  });
});

describe('cache marks', () => {
  it('pass up to four', () => {
    const four = ['a', 'b', 'c', 'd'].map((words) => marked(words));
    expect(refusal({ messages: [user(four)] })).toBeUndefined();
    expect(refusal({ messages: [user([...four, marked('e')])] })).toBe(
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    );
    expect(refusal({ messages: [user(four)], cache_control: { type: 'ephemeral' } })).toContain('Found 5.');
  });

  it('are counted over tools, system, messages and inside results', () => {
    const inner = { ...result('toolu_1'), content: [marked('x')] };
    const messages = [user([marked('a')]), assistant([call('toolu_1')]), user([inner])];
    const changes = {
      messages,
      system: [marked('s')],
      tools: [{ ...tools[0], cache_control: { type: 'ephemeral' } }],
    };
    expect(refusal(changes)).toBeUndefined();
    expect(refusal({ ...changes, cache_control: { type: 'ephemeral' } })).toContain('Found 5.');
  });

  it('must not put an hour behind five minutes, in the order tools, system, messages', () => {
    expect(refusal({ messages: [user([marked('a', '1h'), marked('b', '5m')])] })).toBeUndefined();
    expect(refusal({ system: [marked('s')], messages: [user([marked('a', '1h')])] })).toBe(
      "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.",
    );
  });

  it('are refused on empty texts and on thinking', () => {
    expect(refusal({ messages: [user([text('a'), marked('')])] })).toBe(
      'messages.0.content.1.text: cache_control cannot be set for empty text blocks',
    );
    const thinking = {
      type: 'thinking',
      thinking: 'x',
      signature: 's',
      cache_control: { type: 'ephemeral' },
    };
    expect(refusal({ messages: [user('a'), assistant([thinking, text('b')]), user('c')] })).toBe(
      'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted',
    );
  });

  it('are refused with automatic caching of another lifetime on the same block', () => {
    const messages = [user([marked('a', '5m')])];
    expect(refusal({ messages, cache_control: { type: 'ephemeral', ttl: '1h' } })).toContain(
      'automatic caching',
    );
    expect(refusal({ messages, cache_control: { type: 'ephemeral' } })).toBeUndefined();
  });
});

describe('images', () => {
  const png = (width: number, height: number) => {
    const head = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const size = Buffer.alloc(8);
    size.writeUInt32BE(width, 0);
    size.writeUInt32BE(height, 4);
    const data = Buffer.concat([head, size, Buffer.alloc(8)]).toString('base64');
    return { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
  };

  it('pass up to the number that the window allows', () => {
    const many = (count: number) => [user(Array.from({ length: count }, () => png(10, 10)))];
    expect(refusal({ model: 'claude-haiku-4-5', messages: many(100) })).toBeUndefined();
    expect(refusal({ model: 'claude-haiku-4-5', messages: many(101) })).toContain('too many images');
    expect(refusal({ messages: many(600) })).toBeUndefined();
    expect(refusal({ messages: many(601) })).toContain('too many images');
  });

  it('are refused when a side or the size is too large, inside results too', () => {
    const shown = { ...result('toolu_1'), content: [png(10, 8001)] };
    const messages = [user('a'), assistant([call('toolu_1')]), user([shown])];
    expect(refusal({ messages, tools })).toContain('messages.2.content.0.content.0.image');
    const heavy = { type: 'image', source: { type: 'base64', data: 'A'.repeat(10 * 1024 * 1024 + 1) } };
    expect(refusal({ messages: [user([heavy])] })).toContain('image exceeds 10 MB maximum');
    expect(refusal({ messages: [user([png(8000, 8000)])] })).toBeUndefined();
  });
});

describe('empty texts', () => {
  it('are refused while the rule is on', () => {
    const messages = [user([text('')])];
    expect(refusal({ messages })).toBe('messages: text content blocks must be non-empty');
    expect(refusal({ messages }, { rules: { 'anthropic.empty-text': false } })).toBeUndefined();
  });
});

describe('fields', () => {
  it('that are unknown are refused by their path', () => {
    expect(refusal({ foo: 1 })).toBe('foo: Extra inputs are not permitted');
    expect(refusal({ messages: [user([{ ...text('a'), foo: 1 }])] })).toBe(
      'messages.0.content.0.text.foo: Extra inputs are not permitted',
    );
    expect(refusal({ tools: [{ ...tools[0], foo: 1 }] })).toBe(
      'tools.0.custom.foo: Extra inputs are not permitted',
    );
  });

  it('of a beta pass only with its header', () => {
    const context_management = { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] };
    expect(refusal({ context_management })).toBe('context_management: Extra inputs are not permitted');
    expect(refusal({ context_management }, { betas: ['context-management-2025-06-27'] })).toBeUndefined();
    const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };
    expect(refusal({ thinking })).toBe('thinking.adaptive.block_binding: Extra inputs are not permitted');
    expect(refusal({ thinking }, { betas: ['thinking-binding-controls-2026-08-01'] })).toBeUndefined();
  });

  it('that are required are named', () => {
    expect(refusal({ max_tokens: undefined })).toBe('max_tokens: Field required');
    expect(refusal({ max_tokens: undefined }, { counting: true })).toBeUndefined();
    expect(refusal({ messages: undefined })).toBe('messages: Field required');
    expect(refusal({ messages: [user([{ type: 'tool_result' }])] })).toBe(
      'messages.0.content.0.tool_result.tool_use_id: Field required',
    );
  });

  it('of unknown block types pass when the rule is off', () => {
    const messages = [user([{ type: 'hologram', x: 1 }])];
    expect(refusal({ messages })).toContain("Input tag 'hologram'");
    expect(refusal({ messages }, { rules: { 'anthropic.unknown-block-type': false } })).toBeUndefined();
  });
});

describe('model gates', () => {
  it.each([
    ['claude-opus-4-8', { thinking: { type: 'enabled', budget_tokens: 2048 } }, 'thinking.type.enabled'],
    ['claude-haiku-4-5', { thinking: { type: 'adaptive' } }, 'thinking.type.adaptive'],
    ['claude-fable-5', { thinking: { type: 'disabled' } }, 'thinking.type.disabled'],
    ['claude-opus-5', { thinking: { type: 'disabled' }, output_config: { effort: 'max' } }, 'effort "max"'],
    ['claude-haiku-4-5', { thinking: { type: 'enabled', budget_tokens: 100 } }, '1024'],
    ['claude-opus-4-8', { temperature: 0.5 }, 'temperature'],
    ['claude-opus-4-8', { messages: [user('a'), assistant('b')] }, 'prefill'],
    ['claude-opus-5-5', { tools, tool_choice: { type: 'any' } }, 'tool_choice'],
    ['claude-opus-4-8', { tool_choice: { type: 'auto' } }, 'may only be specified while providing tools'],
    ['claude-opus-4-8', { tools: [tools[0] ?? null, tools[0] ?? null] }, 'Tool names must be unique'],
    ['claude-opus-4-8', { tools: [{ ...tools[0], defer_loading: true }] }, 'At least one tool'],
    ['claude-opus-4-8', { tools: [{ ...tools[0], name: 'a b' }] }, 'should match pattern'],
    ['claude-opus-4-8', { max_tokens: 0, stream: true }, 'max_tokens: 0'],
  ] as const)('refuse on %s: %j', (model, changes, part) => {
    expect(refusal({ model, ...(changes as unknown as JsonObject) })).toContain(part);
  });

  it.each([
    ['claude-opus-4-6', { thinking: { type: 'enabled', budget_tokens: 2048 } }],
    ['claude-haiku-4-5', { temperature: 0.5 }],
    ['claude-opus-4-8', { temperature: 1 }],
    ['claude-haiku-4-5', { messages: [user('a'), assistant('b')] }],
    ['claude-opus-4-8', { tools, tool_choice: { type: 'tool', name: 'Read' } }],
  ] as const)('take on %s: %j', (model, changes) => {
    expect(refusal({ model, ...(changes as unknown as JsonObject) })).toBeUndefined();
  });

  it('refuse more output tokens than the model has, in the provider’s words', () => {
    expect(refusal({ model: 'claude-opus-4-5-20251101', max_tokens: 128_001 })).toBe(
      'max_tokens: 128001 > 64000, which is the maximum allowed number of output tokens for claude-opus-4-5-20251101',
    );
  });
});

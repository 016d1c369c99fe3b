import { describe, expect, it } from 'vitest';
import type { JsonObject } from './json.ts';
import { judgeAnthropic, judgeOpenai, type Refusal } from './judge.ts';
import { RULES, type RuleName, type Rules, rulesWith } from './rules.ts';
import { messagesBody, responsesBody, userItem } from './testing.ts';

/** A body that a switch refuses, with a part of the words; or where both positions of the switch are tested. */
type Case =
  | { readonly anthropic?: JsonObject; readonly openai?: JsonObject; readonly words: string }
  | string;

const user = (content: JsonObject[] | string): JsonObject => ({ role: 'user', content });
const assistant = (content: JsonObject[] | string): JsonObject => ({ role: 'assistant', content });
const text = (words: string): JsonObject => ({ type: 'text', text: words });
const call = (id: string, name = 'Read'): JsonObject => ({ type: 'tool_use', id, name, input: {} });
const result = (id: string): JsonObject => ({ type: 'tool_result', tool_use_id: id });
const read = { name: 'Read', input_schema: {} };
const deferred = { name: 'Late', input_schema: {}, defer_loading: true };
const items = (...input: JsonObject[]): JsonObject => ({ input: [userItem('a'), ...input] });
const functionCall = { type: 'function_call', call_id: 'c1', name: 'exec', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'c1', output: 'x' };

const CASES: Record<RuleName, Case> = {
  validate: { anthropic: { max_tokens: -1 }, words: 'max_tokens' },
  'anthropic.empty-text': { anthropic: { messages: [user('')] }, words: 'non-empty' },
  'anthropic.blank-text': { anthropic: { messages: [user(' ')] }, words: 'non-whitespace' },
  'anthropic.block-roles': {
    anthropic: { messages: [user([call('t')])] },
    words: 'can only be in `assistant`',
  },
  'anthropic.call-names': {
    anthropic: { messages: [user('a'), assistant([call('t', 'a.b')]), user([result('t')])] },
    words: 'String should match pattern',
  },
  'anthropic.unique-call-ids': {
    anthropic: { messages: [user('a'), assistant([call('t'), call('t')]), user([result('t')])] },
    words: 'ids must be unique',
  },
  'anthropic.unknown-block-type': {
    anthropic: { messages: [user([{ type: 'sound' }])] },
    words: "Input tag 'sound'",
  },
  'anthropic.unknown-nested-field': {
    anthropic: { messages: [user([{ ...text('a'), mood: 1 }])] },
    words: 'messages.0.content.0.text.mood: Extra inputs are not permitted',
  },
  'anthropic.alternating-roles': { anthropic: { messages: [user('a'), user('b')] }, words: 'must alternate' },
  'anthropic.mark-on-deferred-tool': {
    anthropic: { tools: [read, { ...deferred, cache_control: { type: 'ephemeral' } }] },
    words: 'defer_loading',
  },
  'anthropic.tool-name-pattern': { anthropic: { tools: [{ ...read, name: 'a b' }] }, words: '{1,128}' },
  'anthropic.max-output-tokens': { anthropic: { max_tokens: 128_001 }, words: '128001 > 128000' },
  'anthropic.unknown-model': { anthropic: { model: 'claude-next' }, words: 'model: claude-next' },
  'anthropic.thinking-first-in-tool-turn': {
    anthropic: {
      model: 'claude-haiku-4-5',
      max_tokens: 5_000,
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      tools: [read],
      messages: [user('a'), assistant([call('t')]), user([result('t')])],
    },
    words: 'Expected `thinking`',
  },
  'anthropic.unknown-beta': 'anthropic/betas.test.ts',
  'anthropic.beta-blocks-need-header': {
    anthropic: { messages: [user('a'), assistant([text('b'), { type: 'fallback' }]), user('c')] },
    words: "Input tag 'fallback'",
  },
  'anthropic.many-image-limit': 'image-size.test.ts',
  'anthropic.deferred-call-needs-reference': {
    anthropic: {
      tools: [read, deferred],
      messages: [user('a'), assistant([call('t', 'Late')]), user([result('t')])],
    },
    words: 'before any `tool_reference`',
  },
  'anthropic.thread-unsupported-fields': 'anthropic/threads.test.ts',
  'anthropic.thinking-invalidates-all': 'anthropic/invalidation.test.ts',
  'anthropic.unsure-models-enforce': 'anthropic/thinking.test.ts',
  'anthropic.tool-name-64': { anthropic: { tools: [{ ...read, name: 'n'.repeat(65) }] }, words: '{1,64}' },
  'anthropic.new-account': 'anthropic/thinking.test.ts',
  'anthropic.sonnet-5-refuses-system-role': {
    anthropic: { model: 'claude-sonnet-5', messages: [user('a'), { role: 'system', content: 'b' }] },
    words: "role 'system' is not supported on this model",
  },
  'openai.pairs': { openai: items(output), words: 'No tool call found' },
  'openai.reasoning-pairs': {
    openai: { store: true, ...items({ type: 'reasoning', id: 'rs_1', summary: [] }) },
    words: 'without its required following item',
  },
  'openai.encrypted-content': {
    openai: items({ type: 'compaction', encrypted_content: 'AAAA' }),
    words: 'could not be verified',
  },
  'openai.unstored-items': { openai: items({ type: 'item_reference', id: 'msg_1' }), words: 'not persisted' },
  'openai.prefix-mismatch-drops': 'openai/validity.test.ts',
  'openai.item-members': { openai: items({ role: 'user' }), words: 'Missing required parameter' },
  'openai.content-parts': {
    openai: items({ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }),
    words: 'Supported values are',
  },
  'openai.call-names': {
    openai: items({ ...functionCall, name: 'a.b' }, output),
    words: 'does not match pattern',
  },
  'openai.duplicate-items': {
    openai: items({ ...userItem('a'), id: 'm' }, { ...userItem('b'), id: 'm' }),
    words: 'Duplicate item found',
  },
  'openai.deferred-call-needs-output': {
    openai: {
      ...items(functionCall, output),
      tools: [{ type: 'function', name: 'exec', defer_loading: true }],
    },
    words: 'before a tool search loaded it',
  },
  'openai.compacted-window-whole': 'openai/compaction.test.ts',
  'openai.prefix-includes-tools': 'openai/items.test.ts',
  'openai.cache-needs-key': 'openai/breakpoints.test.ts',
  'openai.old-cache-minimum-2048': 'openai/breakpoints.test.ts',
  'openai.chat-pairs': 'openai/chat/chat.test.ts',
  'openai.cached-tokens-in-128s': 'openai/cache.test.ts',
  'openai.unknown-parameter': { openai: { nonsense: 1 }, words: "Unknown parameter: 'nonsense'" },
  'openai.unknown-item-type': { openai: items({ type: 'sound' }), words: "Invalid value: 'sound'" },
  'openai.unknown-model': { openai: { model: 'gpt-next' }, words: 'does not exist' },
};

const judged = Object.entries(CASES).flatMap(([name, one]) =>
  typeof one === 'string' ? [] : [{ ...one, name: name as RuleName }],
);

describe('a switch', () => {
  it.each(judged)('$name refuses while it is on and lets through while it is off', (one) => {
    const judge = (isOn: boolean): Refusal | null => {
      const rules: Partial<Rules> = { [one.name]: isOn };
      return one.anthropic === undefined
        ? judgeOpenai(responsesBody(one.openai ?? {}), [], { rules })
        : judgeAnthropic(messagesBody(one.anthropic), [], { rules });
    };
    expect(judge(true)?.message).toContain(one.words);
    expect(judge(false)?.message ?? '').not.toContain(one.words);
  });

  it('stands as the table says unless it is changed', () => {
    const changed = rulesWith({ 'anthropic.empty-text': false });
    expect(changed['anthropic.empty-text']).toBe(false);
    for (const [name, rule] of Object.entries(RULES)) {
      if (name !== 'anthropic.empty-text') expect(changed[name as RuleName]).toBe(rule.default);
    }
  });
});

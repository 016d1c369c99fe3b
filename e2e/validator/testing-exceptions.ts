import { compactionBlock } from '../simulator/anthropic/compaction.ts';
import type { JsonObject } from '../simulator/json.ts';
import { secretOf } from '../simulator/world.ts';
import type { Judged, Judgements } from './testing-agreement.ts';

/** A disagreement that is meant: who refuses alone, by which rule or words, and why the other does not. */
export interface Exception {
  readonly protocol: Judged;
  readonly alone: 'validator' | 'provider';
  /** The validator's rule and message, or the provider's message. */
  readonly by: RegExp;
  readonly reason: string;
  /** A body by which they disagree so: an exception without one has outlived its reason. */
  readonly example: JsonObject;
}

const text = (words: string, more: JsonObject = {}): JsonObject => ({ type: 'text', text: words, ...more });
const user = (...content: JsonObject[]): JsonObject => ({ role: 'user', content });
const assistant = (...content: JsonObject[]): JsonObject => ({ role: 'assistant', content });
const call: JsonObject = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} };
const result: JsonObject = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' };
const messages = (...list: JsonObject[]): JsonObject => ({
  model: 'claude-opus-4-8',
  max_tokens: 9,
  messages: list,
});
const item = (role: string, type: string): JsonObject => ({
  type: 'message',
  role,
  content: [{ type, text: 'a' }],
});
const input = (...list: JsonObject[]): JsonObject => ({ model: 'gpt-5.5', store: false, input: list });

/** The disagreements that are meant. */
export const EXCEPTIONS: readonly Exception[] = [
  {
    protocol: 'anthropic',
    alone: 'provider',
    by: /does not support assistant message prefill/,
    reason:
      'Which models take a prefilled answer is the client’s matter; that our edits make one is refused.',
    example: messages(user(text('a')), assistant(text('b'))),
  },
  {
    protocol: 'anthropic',
    alone: 'provider',
    by: /role 'system' is not supported on this model/,
    reason: 'Which models know system messages is the client’s matter; ours stand only where it has one.',
    example: { ...messages(user(text('a')), { role: 'system', content: 's' }), model: 'claude-opus-4-5' },
  },
  {
    protocol: 'anthropic',
    alone: 'provider',
    by: /Invalid `signature`|latest assistant message cannot be modified/,
    reason: 'Thinking judged by itself has no original; beside one, no byte of it is another.',
    example: messages(
      user(text('a')),
      assistant({ type: 'thinking', thinking: 'x', signature: 'no' }, text('b')),
      user(text('c')),
    ),
  },
  {
    protocol: 'anthropic',
    alone: 'provider',
    by: /signature of the `compaction` block/,
    reason: 'A compaction judged by itself has no original; beside one, no byte of it is another.',
    example: messages(
      user({ ...compactionBlock('a', secretOf(undefined), true), signature: 'no' }, text('b')),
    ),
  },
  {
    protocol: 'anthropic',
    alone: 'validator',
    by: /^server-tool-pair: The result/,
    reason:
      'Pairs of server tools are whole on both sides; no source says that the provider looks at results.',
    example: messages(
      user(text('a')),
      assistant({ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
      user(text('b')),
    ),
  },
  {
    protocol: 'anthropic',
    alone: 'validator',
    by: /^no-content/,
    reason: 'The provider takes a last answer without content; nothing of ours leaves one.',
    example: { ...messages(user(text('a')), assistant()), model: 'claude-opus-4-5' },
  },
  {
    protocol: 'anthropic',
    alone: 'validator',
    by: /^call-id/,
    reason: 'An id is used once in the whole conversation, so that no hidden round is put back twice.',
    example: messages(user(text('a')), assistant(call), user(result), assistant(call), user(result)),
  },
  {
    protocol: 'anthropic',
    alone: 'validator',
    by: /^cache-marks: A cache mark for an hour/,
    reason: 'The automatic mark stands last in the order of lifetimes; the sources say so of explicit marks.',
    example: {
      ...messages(user(text('a', { cache_control: { type: 'ephemeral' } }), text('b'))),
      cache_control: { type: 'ephemeral', ttl: '1h' },
    },
  },
  {
    protocol: 'openai',
    alone: 'provider',
    by: /^Invalid value: '(?:input|output)_text'/,
    reason: 'Kinds of parts under a role: kept messages have the client’s, and ours are judged as additions.',
    example: input(item('assistant', 'input_text')),
  },
  {
    protocol: 'openai',
    alone: 'provider',
    by: /could not be verified/,
    reason: 'Ciphertext judged by itself has no original; beside one, no byte of it is another.',
    example: input(
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'no' },
      item('assistant', 'output_text'),
    ),
  },
  {
    protocol: 'openai',
    alone: 'validator',
    by: /^call-id/,
    reason: 'A call has one output and an id of its own, so that no hidden round is put back twice.',
    example: input(
      { type: 'function_call', call_id: 'c', name: 'x', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'y' },
      { type: 'function_call_output', call_id: 'c', output: 'y' },
    ),
  },
  {
    protocol: 'openai',
    alone: 'validator',
    by: /^shape: The input is empty/,
    reason: 'Nothing of ours leaves an empty conversation, whatever the provider makes of it.',
    example: input(),
  },
];

/** The exception that covers a disagreement; `agreed` where there is none; null where no exception covers it. */
export function exceptionOf(
  protocol: Judged,
  { validator, provider }: Judgements,
): Exception | 'agreed' | null {
  if (validator.ok === (provider === null)) return 'agreed';
  const alone = validator.ok ? 'provider' : 'validator';
  const words = validator.ok ? (provider?.message ?? '') : `${validator.rule}: ${validator.message}`;
  const covers = (exception: Exception) =>
    exception.protocol === protocol && exception.alone === alone && exception.by.test(words);
  return EXCEPTIONS.find(covers) ?? null;
}

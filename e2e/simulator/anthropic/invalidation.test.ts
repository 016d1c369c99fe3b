import { describe, expect, it } from 'vitest';
import { asObject, asObjects, type JsonObject } from '../json.ts';
import { startSimulator } from '../simulator.ts';
import { messagesBody, postMessages, type Reply } from '../testing.ts';
import { positionsOf } from './cache.ts';

const RULE = { charactersPerToken: 1 };
const marked = (text: string, ttl = '5m'): JsonObject => ({
  type: 'text',
  text,
  cache_control: { type: 'ephemeral', ttl },
});
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };

/** A body with one tool, two system blocks and two messages. */
const base = (changes: JsonObject = {}): JsonObject => ({
  model: 'claude-opus-4-8',
  tools: [{ name: 'Read', input_schema: {} }],
  system: [{ type: 'text', text: 'one' }],
  messages: [{ role: 'user', content: 'hello' }],
  ...changes,
});

/** How far two prompts share their prefix: which positions of the first are in the second. */
function shared(before: JsonObject, after: JsonObject, everywhere = false): boolean[] {
  const hashes = new Set(positionsOf(after, 's', RULE, everywhere).map((position) => position.hash));
  return positionsOf(before, 's', RULE, everywhere).map((position) => hashes.has(position.hash));
}

const NONE = [false, false, false];
const TOOLS = [true, false, false];
const SYSTEM = [true, true, false];
const ALL = [true, true, true];

describe('what a change leaves of the cache (tools, system, messages)', () => {
  const search = { type: 'web_search_20250305', name: 'web_search' };
  const cited = { type: 'text', text: 'hello', citations: { enabled: true } };
  it.each([
    ['a tool’s definition', { tools: [{ name: 'Read', description: 'x', input_schema: {} }] }, NONE],
    ['the system prompt', { system: [{ type: 'text', text: 'two' }] }, TOOLS],
    ['the speed', { speed: 'fast' }, TOOLS],
    ['web search switched on', { tools: [...asObjects(base().tools), search] }, TOOLS],
    ['citations switched on', { messages: [{ role: 'user', content: [cited] }] }, TOOLS],
    ['the tool choice', { tool_choice: { type: 'none' } }, SYSTEM],
    ['parallel calls', { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }, SYSTEM],
    ['thinking', { thinking: { type: 'adaptive' } }, SYSTEM],
    ['the effort', { output_config: { effort: 'low' } }, SYSTEM],
    ['a message', { messages: [{ role: 'user', content: 'hullo' }] }, SYSTEM],
    [
      'an image behind the rest',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }, image] }] },
      SYSTEM,
    ],
    ['max_tokens, metadata and the stream', { max_tokens: 5, metadata: { user_id: 'x' }, stream: true }, ALL],
    ['marks', { system: [marked('one')] }, ALL],
    [
      'messages behind the rest',
      { messages: [...asObjects(base().messages), { role: 'user', content: 'b' }] },
      ALL,
    ],
    [
      'a deferred tool that nobody refers to',
      { tools: [...asObjects(base().tools), { name: 'L', defer_loading: true }] },
      ALL,
    ],
  ] as [string, JsonObject, boolean[]][])('%s', (_name, changes, left) => {
    expect(shared(base(), base(changes))).toEqual(left);
  });

  it('thinking and effort: nothing on models where they are part of the whole prefix', () => {
    expect(shared(base(), base({ thinking: { type: 'adaptive' } }), true)).toEqual(NONE);
    expect(shared(base(), base({ output_config: { effort: 'low' } }), true)).toEqual(NONE);
    expect(shared(base(), base({ max_tokens: 5 }), true)).toEqual(ALL);
  });
});

describe('marks that the provider sets', () => {
  const result = { type: 'web_search_tool_result', tool_use_id: 's', content: [] };
  const messages = [
    { role: 'user', content: 'a' },
    {
      role: 'assistant',
      content: [{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }, result],
    },
    { role: 'user', content: 'b' },
  ];
  const marks = (changes: JsonObject) =>
    positionsOf({ ...base(), messages, ...changes }, 's', RULE).map((position) => position.mark);

  it('stand on results of its own tools, for five minutes, when the request caches at all', () => {
    expect(marks({}).filter(Boolean)).toEqual([]);
    expect(marks({ system: [marked('one', '1h')] })).toEqual([
      undefined,
      '1h',
      undefined,
      undefined,
      '5m',
      undefined,
    ]);
  });

  it('stand on the last block with automatic caching', () => {
    expect(marks({ cache_control: { type: 'ephemeral', ttl: '1h' } }).at(-1)).toBe('1h');
  });
});

describe('cache diagnostics', () => {
  const reason = (reply: Reply) => asObject(reply.json.diagnostics)?.cache_miss_reason;

  it('name the first difference to an earlier request', async () => {
    const simulator = await startSimulator();
    const ask = (changes: JsonObject, id: string | null) =>
      postMessages(
        simulator,
        messagesBody({
          system: 'x'.repeat(400),
          ...changes,
          diagnostics: { previous_message_id: id },
        }),
      );
    const first = await ask({}, null);
    expect(reason(first)).toBeNull();
    const id = String(first.json.id);
    const hello = { role: 'user', content: 'hello' };
    const longer = { messages: [hello, { role: 'assistant', content: 'b' }, { role: 'user', content: 'c' }] };
    expect(reason(await ask(longer, id))).toBeNull();
    const missed = { cache_missed_input_tokens: expect.any(Number) };
    expect(reason(await ask({ model: 'claude-opus-5' }, id))).toEqual({ type: 'model_changed', ...missed });
    expect(reason(await ask({ system: 'y' }, id))).toEqual({ type: 'system_changed', ...missed });
    const tools = [{ name: 'Read', input_schema: {} }];
    expect(reason(await ask({ tools }, id))).toEqual({ type: 'tools_changed', ...missed });
    const other = { messages: [{ role: 'user', content: 'HELLO' }] };
    expect(reason(await ask(other, id))).toEqual({ type: 'messages_changed', cache_missed_input_tokens: 2 });
    expect(reason(await ask({}, 'msg_none'))).toEqual({ type: 'previous_message_not_found' });
    const plain = await postMessages(simulator, messagesBody());
    expect('diagnostics' in plain.json).toBe(false);
    await simulator.stop();
  });
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../../e2e/simulator/index.ts';
import {
  messagesBody,
  postMessages,
  postResponses,
  type Reply,
  responsesBody,
  userItem,
} from '../../../e2e/simulator/testing.ts';
import { classifyRefusal, refusalInEvent } from './index.ts';

type Json = Parameters<typeof messagesBody>[0] & object;

let simulator: Simulator;

beforeAll(async () => {
  const steps = [{ think: 'hm' }, { say: 'words' }, { call: 'Read', input: {} }];
  simulator = await startSimulator({ scenarios: [{ id: 'a', when: {}, rounds: [{ steps }, { steps }] }] });
});

afterAll(() => simulator.stop());

const user = (...content: Json[]): Json => ({ role: 'user', content });
const assistant = (...content: Json[]): Json => ({ role: 'assistant', content });
const text = (words: string, more: Json = {}): Json => ({ type: 'text', text: words, ...more });
const call = (id: string, more: Json = {}): Json => ({
  type: 'tool_use',
  id,
  name: 'Read',
  input: {},
  ...more,
});
const result = (id: string): Json => ({ type: 'tool_result', tool_use_id: id, content: 'done' });
const mark = { cache_control: { type: 'ephemeral' } };
const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const tools: Json[] = [{ name: 'Read', input_schema: { type: 'object' } }];
const image = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(11 * 1024 * 1024) },
};

const kindOf = ({ status, text: said }: Reply, protocol: 'anthropic' | 'openai') => {
  expect(status).toBeGreaterThanOrEqual(400);
  return classifyRefusal(protocol, status, Buffer.from(said))?.kind ?? null;
};

describe('a refusal of the Messages API', () => {
  const refused = async (changes: Json) =>
    kindOf(await postMessages(simulator, messagesBody({ tools, ...changes })), 'anthropic');

  test.each<[string, Json]>([
    [
      'a call without its result',
      { messages: [user(text('a')), assistant(call('toolu_1')), user(text('b'))] },
    ],
    [
      'a result without its call',
      { messages: [user(text('a')), assistant(text('b')), user(result('toolu_1'))] },
    ],
    [
      'a text before a result',
      { messages: [user(text('a')), assistant(call('toolu_1')), user(text('b'), result('toolu_1'))] },
    ],
    [
      'two results of a call',
      { messages: [user(text('a')), assistant(call('toolu_1')), user(result('toolu_1'), result('toolu_1'))] },
    ],
    ['an assistant’s message first', { messages: [assistant(text('a')), user(text('b'))] }],
    ['a system message first', { messages: [{ role: 'system', content: 'x' }, user(text('b'))] }],
    [
      'a system message between call and result',
      {
        messages: [
          user(text('a')),
          assistant(call('toolu_1')),
          { role: 'system', content: 'x' },
          user(result('toolu_1')),
        ],
      },
    ],
    ['a message without content', { messages: [user(text('a')), assistant(), user(text('b'))] }],
    ['an empty text', { messages: [user(text(''))] }],
    ['five cache marks', { messages: [user(...[1, 2, 3, 4, 5].map((one) => text(`${one}`, mark)))] }],
    [
      'a mark for an hour behind one for five minutes',
      { messages: [user(text('a', mark), text('b', hour))] },
    ],
    ['a tool twice', { tools: [...tools, ...tools] }],
    [
      'a server’s call without its result',
      {
        messages: [
          user(text('a')),
          assistant({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }, text('b')),
          user(text('c')),
        ],
      },
    ],
    [
      'thinking that was signed by nobody',
      {
        thinking: { type: 'adaptive' },
        messages: [
          user(text('a')),
          assistant({ type: 'thinking', thinking: 'x', signature: 'AAAA' }),
          user(text('b')),
        ],
      },
    ],
  ])('for %s may be an edit’s fault', async (_what, changes) => {
    expect(await refused(changes)).toBe('pairing');
  });

  test.each<[string, Json]>([
    ['an unknown field', { frobnicate: true }],
    ['a missing one', { max_tokens: null }],
    ['a temperature', { temperature: 0.2 }],
    ['more output than there is', { max_tokens: 9_000_000 }],
    ['a choice of a tool that is not there', { tool_choice: { type: 'tool', name: 'Absent' } }],
    ['an image that is too large', { messages: [user(image)] }],
  ])('for %s is none of ours', async (_what, changes) => {
    expect(await refused(changes)).toBe('other');
  });

  test('of thinking that is bound to another conversation is told', async () => {
    const body = (messages: Json[], changes: Json = {}) =>
      messagesBody({
        model: 'claude-fable-5-2',
        thinking: { type: 'adaptive' },
        tools,
        messages,
        ...changes,
      });
    const first = await postMessages(simulator, body([user(text('start'))]));
    const content = first.json.content as Json[];
    const id = String(content.find((block) => block.type === 'tool_use')?.id);
    const history = (beginning: string) => [user(text(beginning)), assistant(...content), user(result(id))];
    expect(kindOf(await postMessages(simulator, body(history('another'))), 'anthropic')).toBe('binding');
    const bare = { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' };
    expect(kindOf(await postMessages(simulator, body(history('another')), bare), 'anthropic')).toBe(
      'binding',
    );
  });

  test('as too large says what was sent and what would have been taken', async () => {
    const words = 'word '.repeat(170_000);
    const reply = await postMessages(
      simulator,
      messagesBody({ model: 'claude-haiku-4-5', messages: [user(text(words))] }),
    );
    const refusal = classifyRefusal('anthropic', reply.status, Buffer.from(reply.text));
    expect(refusal).toMatchObject({ kind: 'too_large', maximum: 200_000 });
    expect(refusal?.kind === 'too_large' && refusal.prompt).toBeGreaterThan(200_000);
  });
});

describe('the words of a Messages refusal', () => {
  const said = (message: string, status = 400) =>
    classifyRefusal(
      'anthropic',
      status,
      Buffer.from(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } })),
    );

  test('as too large are read with numbers of any form, or without', () => {
    expect(said('prompt is too long: 219898 tokens > 200000 maximum')).toEqual({
      kind: 'too_large',
      prompt: 219_898,
      maximum: 200_000,
    });
    expect(said('prompt is too long: 1,000,001 tokens > 1,000,000 maximum')).toMatchObject({
      maximum: 1_000_000,
    });
    expect(said('prompt is too long')).toEqual({ kind: 'too_large', prompt: null, maximum: null });
    expect(
      said(
        'input length and `max_tokens` exceed context limit: 198981 + 21333 > 200000, decrease input length or `max_tokens` and try again',
      ),
    ).toEqual({ kind: 'too_large', prompt: 198_981, maximum: 178_667 });
  });

  test('count for nothing under any other status than 400 and 413, and need not be JSON', () => {
    for (const status of [200, 401, 403, 404, 429, 500, 529]) {
      expect(said('prompt is too long: 2 tokens > 1 maximum', status)).toBeNull();
    }
    const page = Buffer.from('<html>413 Request Entity Too Large</html>');
    for (const protocol of ['anthropic', 'openai'] as const) {
      expect(classifyRefusal(protocol, 413, page)).toEqual({
        kind: 'too_large',
        prompt: null,
        maximum: null,
      });
      expect(classifyRefusal(protocol, 400, page)).toEqual({ kind: 'other' });
      expect(classifyRefusal(protocol, 400, Buffer.from('{"error":"words"}'))).toEqual({ kind: 'other' });
      expect(classifyRefusal(protocol, 400, Buffer.alloc(0))).toEqual({ kind: 'other' });
    }
  });

  test('of an older model that demands its thinking are an edit’s fault; a spent limit is not', () => {
    expect(
      said('messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`.')?.kind,
    ).toBe('pairing');
    expect(
      said(
        'messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.',
      )?.kind,
    ).toBe('pairing');
    expect(said('You have reached your specified API usage limits.')?.kind).toBe('other');
  });
});

describe('a refusal of the Responses API', () => {
  const refused = async (changes: Json) =>
    kindOf(await postResponses(simulator, responsesBody(changes)), 'openai');
  const made = { type: 'function_call', call_id: 'call_1', name: 'Read', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'call_1', output: 'done' };
  const reasoning = (ciphertext: string | null) => ({
    type: 'reasoning',
    id: 'rs_1',
    summary: [],
    encrypted_content: ciphertext,
  });

  test.each<[string, Json]>([
    ['a call without its output', { input: [userItem('a'), made, userItem('b')] }],
    ['an output without its call', { input: [userItem('a'), output] }],
    ['reasoning that was kept nowhere', { input: [userItem('a'), reasoning(null), made, output] }],
    ['an item of a kind that nobody knows', { input: [userItem('a'), { type: 'novelty' }] }],
  ])('for %s may be an edit’s fault', async (_what, changes) => {
    expect(await refused(changes)).toBe('pairing');
  });

  test('for reasoning without the item that it produced, or an item without its reasoning, may be an edit’s fault', async () => {
    const answer = await postResponses(
      simulator,
      responsesBody({ tools: [{ type: 'function', name: 'Read' }] }),
    );
    const items = answer.json.output as Json[];
    const thought = items.filter((item) => item.type === 'reasoning');
    const others = items.filter((item) => item.type !== 'reasoning');
    expect(thought.length * others.length).toBeGreaterThan(0);
    expect(await refused({ input: [userItem('hello'), ...thought, userItem('b')] })).toBe('pairing');
    const outputs = others
      .filter((item) => item.type === 'function_call')
      .map((item) => ({ ...output, call_id: String(item.call_id) }));
    expect(await refused({ input: [userItem('hello'), ...others, ...outputs] })).toBe('pairing');
  });

  test.each<[string, Json]>([
    ['an unknown parameter', { frobnicate: true }],
    ['a missing one', { input: null }],
    ['an answer that was kept nowhere', { previous_response_id: 'resp_1' }],
  ])('for %s is none of ours', async (_what, changes) => {
    const { input, ...rest } = responsesBody(changes);
    expect(
      kindOf(
        await postResponses(simulator, input === null ? rest : { ...rest, input: input ?? [] }),
        'openai',
      ),
    ).toBe('other');
  });

  test('for a ciphertext that does not verify is one of reasoning', async () => {
    expect(await refused({ input: [userItem('a'), reasoning('A'.repeat(40)), made, output] })).toBe(
      'binding',
    );
  });

  test('as too large is told in a body and in a stream, with numbers where they are said', async () => {
    const fault = async (inStream: boolean) => {
      simulator.faults.add({ fault: { kind: 'too-long', inStream }, times: 1 });
      return postResponses(simulator, responsesBody({ stream: true }));
    };
    expect(kindOf(await fault(false), 'openai')).toBe('too_large');
    const stream = await fault(true);
    expect(stream.status).toBe(200);
    const events = stream.text.split(/(?<=\n\n)/).map((event) => refusalInEvent(Buffer.from(event)));
    expect(events).toEqual([null, null, { kind: 'too_large', prompt: null, maximum: null }]);
    const message =
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens.";
    expect(
      classifyRefusal('openai', 400, Buffer.from(JSON.stringify({ error: { message, code: null } }))),
    ).toEqual({ kind: 'too_large', prompt: 130_012, maximum: 128_000 });
  });

  test('in a stream may be an event of either form; what is no refusal is told as none', () => {
    const event = (data: object) => Buffer.from(`event: x\ndata: ${JSON.stringify(data)}\n\n`);
    const error = { code: 'context_length_exceeded', message: 'too long' };
    expect(refusalInEvent(event({ type: 'error', ...error }))?.kind).toBe('too_large');
    expect(refusalInEvent(event({ type: 'error', error }))?.kind).toBe('too_large');
    expect(refusalInEvent(event({ type: 'response.failed', response: { error } }))?.kind).toBe('too_large');
    expect(refusalInEvent(event({ type: 'response.failed', response: {} }))?.kind).toBe('other');
    expect(refusalInEvent(event({ type: 'error', code: 'rate_limit_exceeded', message: 'wait' }))?.kind).toBe(
      'other',
    );
    for (const none of [
      event({ type: 'response.created', response: { error } }),
      ': ping\n\n',
      'data: {"type"',
      '',
    ]) {
      expect(refusalInEvent(Buffer.from(none))).toBeNull();
    }
  });
});

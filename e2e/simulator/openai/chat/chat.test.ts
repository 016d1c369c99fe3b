import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asObject, asObjects, type Json, type JsonObject, parseJson } from '../../json.ts';
import { type Simulator, startSimulator } from '../../simulator.ts';
import { errorMessage, post } from '../../testing.ts';

let simulator: Simulator;
beforeEach(async () => {
  const steps = [{ think: 'hm' }, { say: 'I look.' }, { call: 'read', input: { path: 'a' } }];
  simulator = await startSimulator({
    scenarios: [
      { id: 'a', when: { contains: 'look' }, rounds: [{ steps }, { steps: [{ say: 'got {{result}}' }] }] },
    ],
  });
});
afterEach(() => simulator.stop());

const tools = [{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }];
const user = (content: Json): JsonObject => ({ role: 'user', content });
const send = (changes: JsonObject) =>
  post(
    `${simulator.url}/v1/chat/completions`,
    { model: 'gpt-5.5', messages: [user('look at it')], tools, ...changes },
    { authorization: 'Bearer k' },
  );

const choice = (body: JsonObject) => asObjects(body.choices)[0] ?? {};

/** The chunks of a stream and whether it ended as it should. */
function chunks(text: string): { chunks: JsonObject[]; done: boolean } {
  const data = text.split('\n\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
  const objects = asObjects(data.map((line) => parseJson(line) ?? null));
  return { chunks: objects, done: data.at(-1) === '[DONE]' };
}

describe('Chat Completions', () => {
  it('answer with text and calls, and go on behind the tool’s message', async () => {
    const { json } = await send({});
    const { message, finish_reason } = choice(json);
    expect(finish_reason).toBe('tool_calls');
    expect(message).toMatchObject({ role: 'assistant', content: 'I look.' });
    const [call] = asObjects(asObject(message)?.tool_calls);
    expect(call).toMatchObject({ type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } });
    const messages = [
      user('look at it'),
      asObject(message) ?? {},
      { role: 'tool', tool_call_id: call?.id ?? '', content: 'the file' },
    ];
    const next = await send({ messages });
    expect(choice(next.json)).toMatchObject({ finish_reason: 'stop', message: { content: 'got the file' } });
  });

  it('say the same in a stream, which ends with its usage where asked and with [DONE]', async () => {
    const whole = choice((await send({})).json);
    const { text } = await send({ stream: true, stream_options: { include_usage: true } });
    const stream = chunks(text);
    expect(stream.done).toBe(true);
    const deltas = asObjects(stream.chunks.map((chunk) => choice(chunk).delta ?? null));
    expect(deltas.map((delta) => delta.content ?? '').join('')).toBe('I look.');
    const parts = deltas.flatMap((delta) => asObjects(delta.tool_calls));
    expect(parts.map((part) => asObject(part.function)?.arguments).join('')).toBe('{"path":"a"}');
    expect(stream.chunks.at(-2) === undefined ? '' : choice(stream.chunks.at(-2) ?? {}).finish_reason).toBe(
      whole.finish_reason,
    );
    const usage = asObject(stream.chunks.at(-1)?.usage) ?? {};
    expect(usage.total_tokens).toBe(Number(usage.prompt_tokens) + Number(usage.completion_tokens));
    expect(asObject(usage.completion_tokens_details)?.reasoning_tokens).toBe(1);
    const bare = chunks((await send({ stream: true })).text);
    expect(bare.chunks.some((chunk) => 'usage' in chunk)).toBe(false);
  });

  it('stop at max_completion_tokens with the reason length', async () => {
    const { json } = await send({ messages: [user('say it')], max_completion_tokens: 1 });
    expect(choice(json).finish_reason).toBe('length');
  });

  it('use the cache of prompts', async () => {
    const messages = [user('x'.repeat(8_000))];
    await send({ messages });
    const { json } = await send({ messages });
    expect(asObject(asObject(json.usage)?.prompt_tokens_details)?.cached_tokens).toBeGreaterThan(1_900);
  });

  it('refuse calls without their tool messages and tool messages without a call', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{}' } };
    const asked = { role: 'assistant', content: null, tool_calls: [call] };
    const open = await send({ messages: [user('a'), asked, user('b')] });
    expect(asObject(open.json.error)).toEqual({
      message:
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
      type: 'invalid_request_error',
      param: 'messages.[2].role',
      code: null,
    });
    expect((await send({ messages: [user('a'), asked] })).status).toBe(400);
    const stray = await send({ messages: [user('a'), { role: 'tool', tool_call_id: 'x', content: 'y' }] });
    expect(errorMessage(stray)).toContain("messages with role 'tool' must be a response");
    simulator.settings.rules = { ...simulator.settings.rules, 'openai.chat-pairs': false };
    expect((await send({ messages: [user('a'), asked] })).status).toBe(200);
  });

  it.each([
    [{ messages: [] }, 'empty_array'],
    [{ messages: [{ role: 'robot', content: 'x' }] }, 'invalid_value'],
    [{ nonsense: 1 }, 'unknown_parameter'],
    [{ stream_options: { include_usage: true } }, null],
    [{ model: 'gpt-6.2-sol' }, 'unsupported_parameter'],
    [{ model: 'gpt-6.2-sol', tools: [], temperature: 1 }, 'unsupported_parameter'],
  ] as [JsonObject, string | null][])('refuse %j', async (changes, code) => {
    const reply = await send(changes);
    expect([reply.status, asObject(reply.json.error)?.code]).toEqual([400, code]);
  });

  it('break as faults say', async () => {
    simulator.faults.add({ fault: { kind: 'status', status: 503 } });
    expect((await send({})).status).toBe(503);
    simulator.faults.add({ fault: { kind: 'too-long' } });
    expect(asObject((await send({})).json.error)).toMatchObject({ code: 'context_length_exceeded' });
    simulator.faults.add({ fault: { kind: 'stream-error', afterEvents: 2 } });
    const broken = chunks((await send({ stream: true })).text);
    expect([broken.done, broken.chunks.length]).toEqual([false, 3]);
    expect(asObject(broken.chunks.at(-1)?.error)?.type).toBe('server_error');
  });
});

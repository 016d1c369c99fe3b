import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asObject, asObjects, asString, type JsonObject } from '../json.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { messagesBody, postMessages, type ReadEvent } from '../testing.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({
    scenarios: [
      {
        id: 'mixed',
        when: { contains: 'mixed' },
        rounds: [
          {
            steps: [
              { think: 'Let me think about this for a while.' },
              { say: 'Here is a “quoted” text with 🎉 and more.', chunks: 3 },
              { call: 'Read', input: { file_path: '/a "b"', deep: { list: [1, 2.5, null, true] } } },
              { call: 'Bash', input: {} },
            ],
          },
        ],
      },
      { id: 'long', when: { contains: 'long' }, rounds: [{ steps: [{ say: 'x'.repeat(4000) }] }] },
    ],
  });
});

afterAll(() => simulator.stop());

const TOOLS = [
  { name: 'Read', input_schema: { type: 'object' } },
  { name: 'Bash', input_schema: { type: 'object' } },
];

function body(prompt: string, changes: JsonObject = {}): JsonObject {
  return messagesBody({ messages: [{ role: 'user', content: prompt }], ...changes });
}

/** Puts a streamed message together as a client does. */
function assemble(events: readonly ReadEvent[]): JsonObject[] {
  const blocks: JsonObject[] = [];
  const inputs = new Map<number, string>();
  for (const { name, data } of events) {
    const index = Number(data.index);
    if (name === 'content_block_start') blocks[index] = { ...asObject(data.content_block) };
    const block = blocks[index];
    const delta = asObject(data.delta);
    if (name !== 'content_block_delta' || block === undefined || delta === undefined) continue;
    if (delta.type === 'text_delta') block.text = `${asString(block.text)}${asString(delta.text)}`;
    if (delta.type === 'thinking_delta')
      block.thinking = `${asString(block.thinking)}${asString(delta.thinking)}`;
    if (delta.type === 'signature_delta') block.signature = delta.signature;
    if (delta.type === 'input_json_delta') {
      inputs.set(index, `${inputs.get(index) ?? ''}${asString(delta.partial_json)}`);
    }
  }
  return blocks.map((block, index) =>
    inputs.has(index) ? { ...block, input: JSON.parse(inputs.get(index) ?? '') } : block,
  );
}

const MIXED = { tools: TOOLS, thinking: { type: 'adaptive' } };

describe('a streamed Messages answer', () => {
  it('has the events in the provider’s order, each named as its type', async () => {
    const { events, headers } = await postMessages(simulator, body('hi', { stream: true }));
    expect(headers.get('content-type')).toContain('text/event-stream');
    expect(headers.get('request-id')).toMatch(/^req_/);
    expect(events.map(({ name }) => name)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    for (const { name, data } of events) expect(data.type).toBe(name);
  });

  it('starts and stops every block once, by index, with its deltas between', async () => {
    const { events } = await postMessages(simulator, body('mixed', { stream: true, ...MIXED }));
    const open: number[] = [];
    const seen: number[] = [];
    for (const { name, data } of events) {
      if (name === 'content_block_start') {
        expect(open).toEqual([]);
        open.push(Number(data.index));
      }
      if (name === 'content_block_delta') expect(open).toEqual([data.index]);
      if (name === 'content_block_stop') seen.push(Number(open.pop()));
    }
    expect(seen).toEqual([0, 1, 2, 3]);
  });

  it('puts together to the very content that the answer without a stream has', async () => {
    const streamed = assemble(
      (await postMessages(simulator, body('mixed', { stream: true, ...MIXED }))).events,
    );
    const whole = asObjects((await postMessages(simulator, body('mixed', MIXED))).json.content);
    const bare = (blocks: JsonObject[]) => blocks.map(({ id: _id, ...rest }) => rest);
    expect(bare(streamed)).toEqual(bare(whole));
    expect(whole.map((block) => block.type)).toEqual(['thinking', 'text', 'tool_use', 'tool_use']);
  });

  it('begins a tool call’s input with an empty piece and ends thinking with its signature', async () => {
    const { events } = await postMessages(simulator, body('mixed', { stream: true, ...MIXED }));
    const deltas = (index: number) =>
      events
        .filter(({ name, data }) => name === 'content_block_delta' && data.index === index)
        .map(({ data }) => asObject(data.delta));
    expect(deltas(2)[0]).toEqual({ type: 'input_json_delta', partial_json: '' });
    expect(deltas(0).at(-1)?.type).toBe('signature_delta');
  });

  it('splits cache writes by lifetime in message_start alone and counts up in message_delta', async () => {
    const { events } = await postMessages(simulator, body('mixed', { stream: true, ...MIXED }));
    const start = asObject(asObject(events[0]?.data.message)?.usage);
    const end = asObject(events.find(({ name }) => name === 'message_delta')?.data.usage);
    expect(start?.cache_creation).toEqual({ ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 });
    expect(start?.output_tokens).toBe(1);
    expect(end).not.toHaveProperty('cache_creation');
    expect(end?.input_tokens).toBe(start?.input_tokens);
    expect(Number(asObject(end?.output_tokens_details)?.thinking_tokens)).toBeLessThan(
      Number(end?.output_tokens),
    );
  });

  it('carries only the signature of thinking whose display is omitted', async () => {
    const thinking = { type: 'adaptive', display: 'omitted' };
    const { events } = await postMessages(simulator, body('mixed', { stream: true, tools: TOOLS, thinking }));
    const deltas = events.filter(({ data }) => data.index === 0 && data.delta !== undefined);
    expect(deltas.map(({ data }) => asObject(data.delta)?.type)).toEqual(['signature_delta']);
  });

  it('leaves thinking out when the request turned it off', async () => {
    const whole = await postMessages(
      simulator,
      body('mixed', { tools: TOOLS, thinking: { type: 'disabled' } }),
    );
    expect(asObjects(whole.json.content).some((block) => block.type === 'thinking')).toBe(false);
  });
});

describe('a Messages answer’s end', () => {
  it('is tool_use after calls and end_turn after words', async () => {
    expect((await postMessages(simulator, body('mixed', MIXED))).json.stop_reason).toBe('tool_use');
    expect((await postMessages(simulator, body('hi'))).json.stop_reason).toBe('end_turn');
  });

  it('is max_tokens where the answer was cut', async () => {
    const { json } = await postMessages(simulator, body('long', { max_tokens: 10 }));
    expect(json.stop_reason).toBe('max_tokens');
    expect(asObject(json.usage)?.output_tokens).toBe(10);
    expect(asObjects(json.content)[0]?.text).toBe('x'.repeat(40));
  });

  it('is the stop sequence where one was said', async () => {
    const { json } = await postMessages(simulator, body('hi there', { stop_sequences: ['there'] }));
    expect(json).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'there' });
    expect(asObjects(json.content)[0]?.text).toBe('You said: hi ');
  });

  it('is the window’s end where less than max_tokens fits', async () => {
    simulator.settings.windows = { '*': 6 };
    const { json } = await postMessages(simulator, body('long', { max_tokens: 1000 }));
    expect(json.stop_reason).toBe('model_context_window_exceeded');
    simulator.settings.windows = {};
  });

  it('is a refusal in the provider’s words when the prompt does not fit at all', async () => {
    simulator.settings.windows = { 'claude-opus-4-8': 10 };
    const { status, json, headers } = await postMessages(simulator, body('a'.repeat(400)));
    expect(status).toBe(400);
    expect(json).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 100 tokens > 10 maximum' },
      request_id: headers.get('request-id'),
    });
    simulator.settings.windows = {};
  });
});

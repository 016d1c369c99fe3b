import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asObject, asObjects, type JsonObject } from '../json.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { postResponses, type ReadEvent, responsesBody, userItem } from '../testing.ts';

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
              { think: 'Let me think about this.' },
              { say: 'Some “words” 🎉 here', chunks: 4 },
              { call: 'exec_command', input: { cmd: 'ls "x"' } },
              { call: 'apply_patch', input: '*** Begin Patch\n*** End Patch\n' },
              { call: 'spawn_agent', input: { message: 'go' } },
            ],
          },
        ],
      },
    ],
  });
});

afterAll(() => simulator.stop());

const tools: JsonObject[] = [
  { type: 'function', name: 'exec_command', parameters: {} },
  { type: 'custom', name: 'apply_patch' },
  { type: 'namespace', name: 'multi_agent_v1', tools: [{ type: 'function', name: 'spawn_agent' }] },
];

const body = (prompt: string, changes: JsonObject = {}) =>
  responsesBody({ input: [userItem(prompt)], tools, ...changes });

const named = (events: readonly ReadEvent[], name: string) => events.filter((event) => event.name === name);

describe('a streamed Responses answer', () => {
  it('has the events in the provider’s order, each named as its type and numbered from 0', async () => {
    const { events } = await postResponses(simulator, body('hi', { stream: true }));
    expect(events.map(({ name }) => name)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events.map(({ data }) => data.sequence_number)).toEqual(events.map((_event, index) => index));
    for (const { name, data } of events) expect(data.type).toBe(name);
  });

  it('gives usage in the last response alone, with totals that add up', async () => {
    const { events } = await postResponses(simulator, body('hi', { stream: true }));
    const responses = events
      .map(({ data }) => asObject(data.response))
      .filter((response) => response !== undefined);
    expect(responses.map((response) => response.usage === null)).toEqual([true, true, false]);
    const usage = asObject(responses.at(-1)?.usage);
    expect(Number(usage?.input_tokens) + Number(usage?.output_tokens)).toBe(usage?.total_tokens);
  });

  it('says the same in deltas, in done events and in the last response', async () => {
    const { events } = await postResponses(simulator, body('mixed', { stream: true }));
    const joined = (name: string) =>
      named(events, name)
        .map(({ data }) => data.delta)
        .join('');
    const done = named(events, 'response.output_item.done').map(({ data }) => data.item ?? null);
    expect(asObject(events.at(-1)?.data.response)?.output).toEqual(done);
    const [reasoning, message, call, patch, spawn] = asObjects(done);
    expect(asObjects(reasoning?.summary)[0]?.text).toBe(joined('response.reasoning_summary_text.delta'));
    expect(asObjects(message?.content)[0]?.text).toBe(joined('response.output_text.delta'));
    expect(joined('response.function_call_arguments.delta')).toBe(`${call?.arguments}${spawn?.arguments}`);
    expect(patch?.input).toBe(joined('response.custom_tool_call_input.delta'));
    expect([call?.type, patch?.type]).toEqual(['function_call', 'custom_tool_call']);
    expect(spawn?.namespace).toBe('multi_agent_v1');
  });

  it('is, ids apart, what the answer without a stream holds', async () => {
    const streamed = asObject(
      (await postResponses(simulator, body('mixed', { stream: true }))).events.at(-1)?.data.response,
    );
    const whole = (await postResponses(simulator, body('mixed'))).json;
    const bare = (output: JsonObject[]) => output.map(({ id: _id, call_id: _call, ...rest }) => rest);
    expect(bare(asObjects(streamed?.output))).toEqual(bare(asObjects(whole.output)));
    expect(streamed?.usage).toEqual(whole.usage);
  });

  it('is incomplete where max_output_tokens cut it', async () => {
    const { events } = await postResponses(simulator, body('hi', { stream: true, max_output_tokens: 1 }));
    expect(events.at(-1)?.name).toBe('response.incomplete');
    expect(asObject(events.at(-1)?.data.response)?.incomplete_details).toEqual({
      reason: 'max_output_tokens',
    });
  });

  it('hides lengths by obfuscation unless the request declines', async () => {
    const veiled = await postResponses(simulator, body('hi', { stream: true }));
    expect(named(veiled.events, 'response.output_text.delta')[0]?.data).toHaveProperty('obfuscation');
    const stream_options = { include_obfuscation: false };
    const open = await postResponses(simulator, body('hi', { stream: true, stream_options }));
    expect(named(open.events, 'response.output_text.delta')[0]?.data).not.toHaveProperty('obfuscation');
  });
});

describe('compaction', () => {
  it('by trigger gives one compaction item that is taken back whole and refused under another id', async () => {
    const input = [userItem('remember the blue door'), { type: 'compaction_trigger' }];
    const { json } = await postResponses(simulator, responsesBody({ input }));
    const [item] = asObjects(json.output);
    expect(item?.type).toBe('compaction');
    const next = (compaction: JsonObject) =>
      postResponses(
        simulator,
        responsesBody({ input: [userItem('remember the blue door'), compaction, userItem('go')] }),
      );
    expect((await next(item ?? {})).status).toBe(200);
    const renamed = await next({ ...item, id: 'cmp_other' });
    expect(asObject(renamed.json.error)?.code).toBe('invalid_encrypted_content');
  });

  it('by its own path gives the user’s messages and one compaction item', async () => {
    const response = await fetch(`${simulator.url}/v1/responses/compact`, {
      method: 'POST',
      body: JSON.stringify(body('keep this')),
    });
    const json = (await response.json()) as JsonObject;
    expect(asObjects(json.output).map((item) => item.type)).toEqual(['message', 'compaction']);
  });
});

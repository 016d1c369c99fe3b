import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { encryptReasoning, judgeOpenai } from '../judge.ts';
import type { RuleName } from '../rules.ts';
import { startSimulator } from '../simulator.ts';
import { postResponses, responsesBody, userItem } from '../testing.ts';

const call = (changes: JsonObject = {}): JsonObject => ({
  type: 'function_call',
  call_id: 'call_1',
  name: 'exec',
  arguments: '{}',
  ...changes,
});
const output = (changes: JsonObject = {}): JsonObject => ({
  type: 'function_call_output',
  call_id: 'call_1',
  output: 'x',
  ...changes,
});

function without(item: JsonObject, name: string): JsonObject {
  const { [name]: _gone, ...rest } = item;
  return rest;
}

/** Refused with those words, and let through by the switch. */
function expectSwitched(rule: RuleName, input: JsonObject[], refusal: object): void {
  const body = responsesBody({ input });
  expect(judgeOpenai(body)).toMatchObject({ status: 400, type: 'invalid_request_error', ...refusal });
  expect(judgeOpenai(body, [], { rules: { [rule]: false } })).toBeNull();
}

describe('input items', () => {
  it('have their members', () => {
    for (const [input, param] of [
      [[call({ arguments: undefined }), output()], 'input[0].arguments'],
      [[call(), without(output(), 'output')], 'input[1].output'],
      [[{ role: 'user' }], 'input[0].content'],
    ] as [JsonObject[], string][]) {
      expectSwitched('openai.item-members', input, {
        message: `Missing required parameter: '${param}'.`,
        param,
        code: 'missing_required_parameter',
      });
    }
  });

  it('have the content parts of their role', () => {
    expectSwitched(
      'openai.content-parts',
      [userItem('a'), { role: 'assistant', content: [{ type: 'input_text', text: 'b' }] }],
      {
        message: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
        param: 'input[1].content[0]',
        code: 'invalid_value',
      },
    );
    expectSwitched('openai.content-parts', [{ role: 'tool', content: 'x' }], { param: 'input[0]' });
  });

  it('have names and call ids in their bounds', () => {
    const name = "Invalid 'input[0].name': string does not match pattern.";
    const named = judgeOpenai(responsesBody({ input: [call({ name: 'a.b' }), output()] }));
    expect(named?.message).toContain(name);
    const long = 'c'.repeat(65);
    expectSwitched('openai.call-names', [call({ call_id: long }), output({ call_id: long })], {
      message:
        "Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
      code: 'string_above_max_length',
    });
  });

  it('stand once', () => {
    const twice = [
      { ...userItem('a'), id: 'msg_1' },
      { ...userItem('b'), id: 'msg_1' },
    ];
    expectSwitched('openai.duplicate-items', twice, {
      message: 'Duplicate item found with id msg_1. Remove duplicate items from your input and try again.',
    });
  });

  it('bring tools for developers only', () => {
    const tools = { type: 'additional_tools', role: 'developer', tools: [] };
    expect(judgeOpenai(responsesBody({ input: [tools, userItem('a')] }))).toBeNull();
    expect(judgeOpenai(responsesBody({ input: [{ ...tools, role: 'user' }] }))).toMatchObject({
      param: 'input[0].role',
    });
    expect(judgeOpenai(responsesBody({ input: [without(tools, 'tools')] }))).toMatchObject({
      param: 'input[0].tools',
    });
  });

  it('call deferred functions only behind the search that loaded them', () => {
    const tools = [{ type: 'tool_search' }, { type: 'function', name: 'exec', defer_loading: true }];
    const search = [
      { type: 'tool_search_call', arguments: {}, call_id: 's1', execution: 'client' },
      { type: 'tool_search_output', call_id: 's1', tools: [{ type: 'function', name: 'exec' }] },
    ];
    const body = (input: JsonObject[]) => responsesBody({ tools, input: [userItem('a'), ...input] });
    expect(judgeOpenai(body([...search, call(), output()]))).toBeNull();
    const early = body([call(), output(), ...search]);
    expect(judgeOpenai(early)?.message).toContain("Function 'exec' has defer_loading");
    const rules = { 'openai.deferred-call-needs-output': false };
    expect(judgeOpenai(early, [], { rules })).toBeNull();
    expect(judgeOpenai(body(search.slice(0, 1)))?.message).toContain(
      'No tool output found for tool search call',
    );
  });
});

describe('reasoning on models that bind it', () => {
  const model = 'gpt-6.2-sol';
  const tools = [{ type: 'function', name: 'exec' }];
  const conversation = (sealed: string, changes: JsonObject = {}) =>
    responsesBody({
      model,
      tools,
      input: [
        userItem('hello'),
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: sealed },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] },
        userItem('more'),
      ],
      ...changes,
    });

  async function removed(body: JsonObject, rules = {}): Promise<unknown> {
    const simulator = await startSimulator();
    simulator.settings.rules = { ...simulator.settings.rules, ...rules };
    const reply = await postResponses(simulator, body);
    await simulator.stop();
    return [reply.status, reply.json.input_transformations];
  }

  const headers = [['authorization', 'Bearer test-key']] as const;
  const sealed = encryptReasoning(responsesBody({ model, tools }), 'deep', headers);
  const dropped = (reason: string) => [200, [{ type: 'reasoning', id: 'rs_1', action: 'removed', reason }]];

  it('is kept for the same end user and dropped for another, with the reason', async () => {
    expect(await removed(conversation(sealed))).toEqual([200, undefined]);
    const other = conversation(sealed, { safety_identifier: 'someone' });
    expect(await removed(other)).toEqual(dropped('end_user_mismatch'));
    expect(await removed(conversation(sealed, { model: 'gpt-6.2-astra' }))).toEqual(
      dropped('model_mismatch'),
    );
  });

  it('is left out at the turn’s boundary where the request asks for the current turn alone', async () => {
    const current = conversation(sealed, { reasoning: { context: 'current_turn' } });
    expect(await removed(current)).toEqual(dropped('turn_boundary'));
  });

  it('is bound to tools only where the switch says so', async () => {
    const otherTools = { tools: [{ type: 'function', name: 'other' }] };
    expect(await removed(conversation(sealed, otherTools))).toEqual([200, undefined]);
    const rules = { 'openai.prefix-includes-tools': true };
    const bound = encryptReasoning(responsesBody({ model, tools }), 'deep', headers, { rules });
    expect(await removed(conversation(bound), rules)).toEqual([200, undefined]);
    expect(await removed(conversation(bound, otherTools), rules)).toEqual(dropped('prefix_mismatch'));
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asObject, asObjects, type JsonObject } from '../json.ts';
import type { Rules } from '../rules.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { errorMessage, postResponses, type Reply, responsesBody, userItem } from '../testing.ts';

let simulator: Simulator;

beforeEach(async () => {
  const steps = [{ think: 'hm' }, { call: 'exec_command', input: { cmd: 'ls' } }];
  simulator = await startSimulator({ scenarios: [{ id: 'a', when: {}, rounds: [{ steps }, { steps }] }] });
});

afterEach(() => simulator.stop());

const send = (input: JsonObject[], changes: JsonObject = {}): Promise<Reply> =>
  postResponses(simulator, responsesBody({ input, ...changes }));

const code = (reply: Reply) => asObject(reply.json.error)?.code;

function switchRules(changes: Partial<Rules>): void {
  simulator.settings.rules = { ...simulator.settings.rules, ...changes };
}

/** The input after so many rounds, as an agent that changes nothing sends it. */
async function converse(rounds: number, model: string): Promise<JsonObject[]> {
  const input = [userItem('start')];
  for (let round = 0; round < rounds; round += 1) {
    const output = asObjects((await send(input, { model })).json.output);
    const callId = output.find((item) => item.type === 'function_call')?.call_id ?? '';
    input.push(...output, { type: 'function_call_output', call_id: callId, output: `result ${round}` });
  }
  return input;
}

describe('pairs of calls and outputs', () => {
  it('pass as they were given out, over several rounds', async () => {
    expect((await send(await converse(2, 'gpt-5.5'))).status).toBe(200);
  });

  it('are refused without the output, or without the call, in the provider’s words', async () => {
    const input = await converse(1, 'gpt-5.5');
    const callId = input.find((item) => item.type === 'function_call')?.call_id;
    expect(errorMessage(await send(input.slice(0, -1)))).toBe(
      `No tool output found for function call ${callId}.`,
    );
    const orphan = input.filter((item) => item.type !== 'function_call' && item.type !== 'reasoning');
    expect(errorMessage(await send(orphan))).toBe(
      `No tool call found for function call output with call_id ${callId}.`,
    );
    switchRules({ 'openai.pairs': false, 'openai.reasoning-pairs': false });
    expect((await send(orphan)).status).toBe(200);
  });

  it('are told apart by kind: a custom call needs a custom output', async () => {
    const call = { type: 'custom_tool_call', call_id: 'call_1', name: 'apply_patch', input: 'x' };
    const wrong = { type: 'function_call_output', call_id: 'call_1', output: 'y' };
    expect(errorMessage(await send([userItem('a'), call, wrong]))).toContain(
      'No tool output found for custom tool call',
    );
    const right = { type: 'custom_tool_call_output', call_id: 'call_1', output: 'y' };
    expect((await send([userItem('a'), call, right])).status).toBe(200);
  });
});

describe('reasoning items', () => {
  it('need the item that they led to, which needs them', async () => {
    const input = await converse(1, 'gpt-5.5');
    const [reasoning, call] = [input[1], input[2]];
    const alone = await send([userItem('start'), reasoning ?? {}]);
    expect(errorMessage(alone)).toBe(
      `Item '${reasoning?.id}' of type 'reasoning' was provided without its required following item.`,
    );
    const without = await send(input.filter((item) => item.type !== 'reasoning'));
    expect(errorMessage(without)).toBe(
      `Item '${call?.id}' of type 'function_call' was provided without its required 'reasoning' item: '${reasoning?.id}'.`,
    );
  });

  it('may be left out together with their call and its output', async () => {
    const input = await converse(2, 'gpt-5.5');
    expect((await send([userItem('start'), ...input.slice(4)])).status).toBe(200);
  });

  it('need their ciphertext when nothing is stored', async () => {
    const input = await converse(1, 'gpt-5.5');
    const bare = input.map((item) =>
      item.type === 'reasoning' ? { ...item, encrypted_content: null } : item,
    );
    expect(errorMessage(await send(bare))).toContain('Items are not persisted when `store` is set to false.');
    switchRules({ 'openai.unstored-items': false });
    expect((await send(bare)).status).toBe(200);
  });

  it('are refused with a changed ciphertext', async () => {
    const input = await converse(1, 'gpt-5.5');
    const changed = input.map((item) =>
      item.type === 'reasoning' ? { ...item, encrypted_content: 'gAAAAAB' } : item,
    );
    expect(code(await send(changed))).toBe('invalid_encrypted_content');
  });
});

describe('reasoning bound to its prefix', () => {
  const model = 'gpt-6.2-sol';

  it('is kept while the prefix stands', async () => {
    const reply = await send(await converse(2, model), { model });
    expect(reply.json).not.toHaveProperty('input_transformations');
  });

  it('is dropped and reported after an edit, and the request still succeeds', async () => {
    const input = await converse(2, model);
    const reply = await send([userItem('begin'), ...input.slice(1)], { model });
    expect(reply.status).toBe(200);
    expect(asObjects(reply.json.input_transformations)).toEqual([
      { type: 'reasoning', id: input[1]?.id, action: 'removed', reason: 'prefix_mismatch' },
      { type: 'reasoning', id: input[4]?.id, action: 'removed', reason: 'prefix_mismatch' },
    ]);
  });

  it('is dropped from the edit on and kept before it', async () => {
    const input = await converse(2, model);
    const changed = input.map((item, index) => (index === 3 ? { ...item, output: 'short' } : item));
    const reply = await send(changed, { model });
    expect(asObjects(reply.json.input_transformations).map((entry) => entry.id)).toEqual([input[4]?.id]);
  });

  it('is dropped for another account, and kept where the rule is off', async () => {
    const input = await converse(1, model);
    const body = responsesBody({ input, model });
    const other = await postResponses(simulator, body, { authorization: 'Bearer other' });
    expect(asObjects(other.json.input_transformations)[0]?.reason).toBe('organization_mismatch');
    switchRules({ 'openai.prefix-mismatch-drops': false });
    const kept = await postResponses(simulator, body, { authorization: 'Bearer other' });
    expect(kept.json).not.toHaveProperty('input_transformations');
  });
});

describe('other refusals', () => {
  it.each([
    [{ model: undefined }, 'missing_required_parameter'],
    [{ foo: 1 }, 'unknown_parameter'],
    [{ model: 'gpt-6.2-sol', reasoning: { effort: 'none' } }, 'unsupported_value'],
    [{ model: 'gpt-6.2-sol', temperature: 0.2 }, 'unsupported_parameter'],
    [{ previous_response_id: 'resp_1' }, 'previous_response_not_found'],
    [{ input: [{ type: 'hologram' }] }, 'invalid_value'],
  ] as const)('of %j have the code %s', async (changes, expected) => {
    const reply = await postResponses(simulator, responsesBody(changes as unknown as JsonObject));
    expect(reply.status).toBe(400);
    expect(code(reply)).toBe(expected);
  });

  it('of a prompt that does not fit have the provider’s words', async () => {
    simulator.settings.windows = { '*': 3 };
    const reply = await send([userItem('a'.repeat(100))]);
    expect(code(reply)).toBe('context_length_exceeded');
    expect(errorMessage(reply)).toBe(
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
    );
  });
});

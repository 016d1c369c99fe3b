import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asObjects, type Json, type JsonObject } from '../json.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { errorMessage, messagesBody, post, postMessages } from '../testing.ts';

const BOUND = 'claude-fable-5-2';
const BETA = { 'anthropic-beta': 'thinking-binding-controls-2026-08-01' };
const tools: JsonObject[] = [{ name: 'Read', input_schema: { type: 'object' } }];

let simulator: Simulator;

beforeEach(async () => {
  const steps = [{ think: 'one' }, { say: 'words' }, { think: 'two' }, { call: 'Read', input: {} }];
  simulator = await startSimulator({
    scenarios: [{ id: 'a', when: {}, rounds: [{ steps }, { steps }, { steps }] }],
  });
});

afterEach(() => simulator.stop());

function body(model: string, messages: readonly Json[], changes: JsonObject = {}): JsonObject {
  return messagesBody({
    model,
    max_tokens: 1000,
    thinking: { type: 'adaptive' },
    tools,
    system: 'Be brief.',
    messages: [...messages],
    ...changes,
  });
}

/** The conversation after so many rounds, as an agent that changes nothing sends it. */
async function converse(model: string, rounds: number): Promise<JsonObject[]> {
  const messages: JsonObject[] = [{ role: 'user', content: 'start' }];
  for (let round = 0; round < rounds; round += 1) {
    const { json } = await postMessages(simulator, body(model, messages));
    const content = asObjects(json.content);
    const id = content.find((block) => block.type === 'tool_use')?.id ?? '';
    messages.push({ role: 'assistant', content });
    messages.push({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: `result ${round}` }],
    });
  }
  return messages;
}

function edited(
  messages: readonly JsonObject[],
  index: number,
  change: (blocks: JsonObject[]) => Json,
): JsonObject[] {
  return messages.map((message, at) =>
    at === index ? { ...message, content: change(asObjects(message.content)) } : message,
  );
}

const isThinking = (block: JsonObject) => block.type === 'thinking';

describe('signed thinking', () => {
  it('is taken back unchanged over many rounds', async () => {
    const messages = await converse(BOUND, 3);
    expect((await postMessages(simulator, body(BOUND, messages))).status).toBe(200);
  });

  it('is refused with a changed text or signature, on every model', async () => {
    const messages = await converse('claude-opus-4-8', 1);
    for (const change of [{ thinking: 'other' }, { signature: 'AAAA' }]) {
      const changed = edited(messages, 1, ([first, ...rest]) => [{ ...first, ...change }, ...rest]);
      const reply = await postMessages(simulator, body('claude-opus-4-8', changed));
      expect(reply.status).toBe(400);
      expect(errorMessage(reply)).toMatch(/Invalid `signature` in `thinking` block|cannot be modified/);
    }
  });

  it('of the latest turn stays whole or goes altogether', async () => {
    const messages = await converse('claude-opus-4-8', 1);
    const one = edited(messages, 1, (blocks) => blocks.slice(1));
    expect(errorMessage(await postMessages(simulator, body('claude-opus-4-8', one)))).toContain(
      'blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.',
    );
    const none = edited(messages, 1, (blocks) => blocks.filter((block) => !isThinking(block)));
    expect((await postMessages(simulator, body('claude-opus-4-8', none))).status).toBe(200);
  });

  it('enabled must begin the turn before the last results, unless that turn was given out without', async () => {
    const model = 'claude-haiku-4-5';
    const changes = { max_tokens: 5000, thinking: { type: 'enabled', budget_tokens: 2048 } };
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
    ];
    expect(errorMessage(await postMessages(simulator, body(model, messages, changes)))).toBe(
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block.',
    );
    const plain = [{ role: 'user', content: 'plain' }];
    simulator.script.add({
      id: 'plain',
      when: { equals: 'plain' },
      rounds: [{ steps: [{ call: 'Read', input: {} }] }],
    });
    const { json } = await postMessages(simulator, body(model, plain, changes));
    const [call] = asObjects(json.content);
    const bare: JsonObject[] = [
      ...plain,
      { role: 'assistant', content: [call ?? {}] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: call?.id ?? '' }] },
    ];
    expect((await postMessages(simulator, body(model, bare, changes))).status).toBe(200);
    simulator.settings.rules = {
      ...simulator.settings.rules,
      'anthropic.thinking-first-in-tool-turn': false,
    };
    expect((await postMessages(simulator, body(model, messages, changes))).status).toBe(200);
  });

  it('of another model is dropped without a word and not billed', async () => {
    const messages = await converse('claude-opus-4-8', 1);
    const other = await postMessages(simulator, body('claude-opus-4-7', messages));
    const bare = edited(messages, 1, (blocks) => blocks.filter((block) => !isThinking(block)));
    const without = await postMessages(simulator, body('claude-opus-4-7', bare));
    expect(other.status).toBe(200);
    expect(other.json.usage).toEqual(without.json.usage);
  });
});

describe('thinking bound to its prefix', () => {
  const edits: [string, (messages: JsonObject[]) => { messages: JsonObject[]; changes?: JsonObject }][] = [
    [
      'an earlier result is shortened',
      (messages) => ({ messages: edited(messages, 2, ([block]) => [{ ...block, content: 'r' }]) }),
    ],
    [
      'the first prompt is edited',
      (messages) => ({ messages: [{ role: 'user', content: 'begin' }, ...messages.slice(1)] }),
    ],
    [
      'a text is added to an earlier user turn',
      (messages) => ({
        messages: edited(messages, 2, (blocks) => [...blocks, { type: 'text', text: 'note' }]),
      }),
    ],
    ['the system prompt changes', (messages) => ({ messages, changes: { system: 'Be long.' } })],
    [
      'a tool is removed',
      (messages) => ({ messages, changes: { tools: [{ name: 'Other', input_schema: { type: 'object' } }] } }),
    ],
    [
      'thinking is taken from the middle',
      (messages) => ({
        messages: edited(messages, 3, (blocks) => blocks.filter((block) => !isThinking(block))),
      }),
    ],
  ];

  it.each(edits)('is refused when %s', async (_name, edit) => {
    const { messages, changes } = edit(await converse(BOUND, 3));
    const reply = await postMessages(simulator, body(BOUND, messages, changes));
    expect(reply.status).toBe(400);
    expect(errorMessage(reply)).toContain(
      'The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
    );
  });

  it.each(edits)('is no matter on unbound models when %s', async (_name, edit) => {
    const { messages, changes } = edit(await converse('claude-opus-4-8', 3));
    expect((await postMessages(simulator, body('claude-opus-4-8', messages, changes))).status).toBe(200);
  });

  it('stays valid without the oldest thinking, without any, with other marks and settings', async () => {
    const messages = await converse(BOUND, 3);
    const withoutOldest = edited(messages, 1, (blocks) => blocks.filter((block) => !isThinking(block)));
    const withoutAny = messages.map((message) => ({
      ...message,
      content:
        typeof message.content === 'string'
          ? message.content
          : asObjects(message.content).filter((block) => !isThinking(block)),
    }));
    const marked = edited(messages, 6, ([block]) => [{ ...block, cache_control: { type: 'ephemeral' } }]);
    const kinds: [JsonObject[], JsonObject][] = [
      [withoutOldest, {}],
      [withoutAny, {}],
      [marked, {}],
      [messages, { output_config: { effort: 'low' }, max_tokens: 77, tool_choice: { type: 'none' } }],
      [messages, { tools: [...tools, { name: 'Later', input_schema: {}, defer_loading: true }] }],
    ];
    for (const [kept, changes] of kinds) {
      expect((await postMessages(simulator, body(BOUND, kept, changes))).json).toMatchObject({
        type: 'message',
      });
    }
  });

  it('is refused once a block that was left out is put back', async () => {
    const messages = await converse(BOUND, 1);
    const bare = edited(messages, 1, (blocks) => blocks.filter((block) => !isThinking(block)));
    const { json } = await postMessages(simulator, body(BOUND, bare));
    const content = asObjects(json.content);
    const id = content.find((block) => block.type === 'tool_use')?.id ?? '';
    const next = [
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id }] },
    ];
    expect((await postMessages(simulator, body(BOUND, [...bare, ...next]))).status).toBe(200);
    expect((await postMessages(simulator, body(BOUND, [...messages, ...next]))).status).toBe(400);
  });

  it('is dropped and reported where the request asks for that', async () => {
    const messages = await converse(BOUND, 2);
    const changed = [{ role: 'user', content: 'begin' }, ...messages.slice(1)];
    const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };
    const reply = await postMessages(simulator, body(BOUND, changed, { thinking }), BETA);
    expect(reply.status).toBe(200);
    const reasons = asObjects(reply.json.input_transformations).map((entry) => entry.reason);
    expect(reasons).toEqual(Array.from({ length: 4 }, () => 'prefix_binding_mismatch'));
  });

  it('is let through and reported where mismatches are recorded, left out where dropped, no matter where off', async () => {
    const messages = await converse(BOUND, 1);
    const changed = [{ role: 'user', content: 'begin' }, ...messages.slice(1)];
    simulator.settings.binding = 'recorded';
    const recorded = await postMessages(simulator, body(BOUND, changed), BETA);
    expect(asObjects(recorded.json.input_transformations).map((entry) => entry.type)).toEqual([
      'thinking_mismatch_allowed',
      'thinking_mismatch_allowed',
    ]);
    expect(asObjects(recorded.json.input_transformations)[0]).toMatchObject({
      path: 'messages.1.content.0',
      reason: 'prefix_binding_mismatch',
    });
    simulator.settings.binding = 'dropped';
    const dropped = await postMessages(simulator, body(BOUND, changed), BETA);
    expect(asObjects(dropped.json.input_transformations).map((entry) => entry.type)).toEqual([
      'thinking_dropped',
      'thinking_dropped',
    ]);
    simulator.settings.binding = 'off';
    const off = await postMessages(simulator, body(BOUND, changed), BETA);
    expect(off.json.input_transformations).toEqual([]);
  });

  it('is dropped with the consecutive thinking behind it', async () => {
    const steps = [{ think: 'one' }, { think: 'two' }, { say: 'words' }, { think: 'three' }];
    simulator.script.add({ id: 'row', when: { equals: 'row' }, rounds: [{ steps }] });
    const asked = [{ role: 'user', content: 'row' }];
    const { json } = await postMessages(simulator, body(BOUND, asked));
    const tail = [
      { role: 'assistant', content: asObjects(json.content) },
      { role: 'user', content: 'on' },
    ];
    const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };
    const other = [{ role: 'user', content: 'ROW' }, ...tail];
    const reply = await postMessages(simulator, body(BOUND, other, { thinking }), BETA);
    expect(asObjects(reply.json.input_transformations).map((entry) => entry.path)).toEqual([
      'messages.1.content.0',
      'messages.1.content.1',
      'messages.1.content.3',
    ]);
  });

  it('needs the beta header to be asked to drop', async () => {
    const messages = await converse(BOUND, 1);
    const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } };
    const reply = await postMessages(simulator, body(BOUND, messages, { thinking }));
    expect(errorMessage(reply)).toBe('thinking.adaptive.block_binding: Extra inputs are not permitted');
  });

  it('is dropped for another organization or end user, in that order, on every bound model', async () => {
    const messages = await converse('claude-sonnet-5-5', 1);
    const reasons = async (headers: Record<string, string>, model = 'claude-sonnet-5-5') => {
      const reply = await postMessages(simulator, body(model, messages), { ...BETA, ...headers });
      return asObjects(reply.json.input_transformations).map((entry) => entry.reason);
    };
    const two = (reason: string) => [reason, reason];
    expect(await reasons({})).toEqual([]);
    expect(await reasons({ 'x-api-key': 'other' })).toEqual(two('organization_binding_mismatch'));
    const user = { 'anthropic-user-profile-id': 'someone' };
    expect(await reasons(user)).toEqual(two('end_user_binding_mismatch'));
    expect(await reasons({ ...user, 'x-api-key': 'other' })).toEqual(two('organization_binding_mismatch'));
    expect(await reasons({}, 'claude-haiku-5-5')).toEqual(two('model_binding_mismatch'));
  });

  it('on models whose default is not known, is recorded or enforced as the switch says', async () => {
    const messages = await converse('claude-haiku-5-5', 1);
    const changed = [{ role: 'user', content: 'begin' }, ...messages.slice(1)];
    expect((await postMessages(simulator, body('claude-haiku-5-5', changed))).status).toBe(200);
    simulator.settings.rules = { ...simulator.settings.rules, 'anthropic.unsure-models-enforce': true };
    expect((await postMessages(simulator, body('claude-haiku-5-5', changed))).status).toBe(400);
  });

  it('is checked by count_tokens too', async () => {
    const messages = await converse(BOUND, 1);
    const changed = [{ role: 'user', content: 'begin' }, ...messages.slice(1)];
    const url = `${simulator.url}/v1/messages/count_tokens`;
    const reply = await post(url, body(BOUND, changed), { 'x-api-key': 'test-key' });
    expect(errorMessage(reply)).toContain('bound to a different conversation');
  });

  it('stays whole in the latest answer also where that answer called no tool', async () => {
    const steps = [{ think: 'one' }, { say: 'a' }, { think: 'two' }, { say: 'b' }];
    simulator.script.add({ id: 'text', when: { equals: 'text' }, rounds: [{ steps }] });
    const asked = [{ role: 'user', content: 'text' }];
    const { json } = await postMessages(simulator, body('claude-opus-4-8', asked));
    const blocks = asObjects(json.content);
    const send = (content: JsonObject[]) =>
      postMessages(
        simulator,
        body('claude-opus-4-8', [...asked, { role: 'assistant', content }, { role: 'user', content: 'on' }]),
      );
    expect((await send(blocks)).status).toBe(200);
    expect((await send(blocks.filter((block) => !isThinking(block)))).status).toBe(200);
    for (const out of [0, 2]) {
      const reply = await send(blocks.filter((_block, at) => at !== out));
      expect(errorMessage(reply)).toContain('in the latest assistant message cannot be modified');
    }
  });

  it('follows the account’s age on models that bind new accounts only', async () => {
    const messages = await converse('claude-opus-5-5', 1);
    const changed = [{ role: 'user', content: 'begin' }, ...messages.slice(1)];
    expect((await postMessages(simulator, body('claude-opus-5-5', changed))).status).toBe(400);
    simulator.settings.rules = { ...simulator.settings.rules, 'anthropic.new-account': false };
    expect((await postMessages(simulator, body('claude-opus-5-5', changed))).status).toBe(200);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asObject, asObjects, type JsonObject } from '../json.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { errorMessage, messagesBody, post, postMessages } from '../testing.ts';
import { applyEdits } from './edits.ts';

const BETA = { 'anthropic-beta': 'context-management-2025-06-27' };
const RULE = { charactersPerToken: 4 };
const LONG = 'r'.repeat(400);

/** A conversation of so many tool rounds with long results. */
function rounds(count: number): JsonObject[] {
  const messages: JsonObject[] = [{ role: 'user', content: 'start' }];
  for (let round = 0; round < count; round += 1) {
    const id = `toolu_${round}`;
    const name = round % 2 === 0 ? 'Read' : 'Grep';
    messages.push(
      { role: 'assistant', content: [{ type: 'tool_use', id, name, input: { path: LONG } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: LONG }] },
    );
  }
  return messages;
}

const tools = [
  { name: 'Read', input_schema: {} },
  { name: 'Grep', input_schema: {} },
];

function edited(messages: JsonObject[], edit: JsonObject, tokens = 1_000_000) {
  return applyEdits({ messages, context_management: { edits: [edit] } }, tokens, RULE);
}

function contents(body: JsonObject, type: string): unknown[] {
  const blocks = asObjects(body.messages).flatMap((message) => asObjects(message.content));
  return blocks.filter((block) => block.type === type).map((block) => block.content ?? block.input);
}

const CLEARED = '[tool result cleared]';

describe('clear_tool_uses', () => {
  it('clears all results but the last three, oldest first, and tells how many tokens that were', () => {
    const { body, applied } = edited(rounds(5), { type: 'clear_tool_uses_20250919' });
    expect(contents(body, 'tool_result')).toEqual([CLEARED, CLEARED, LONG, LONG, LONG]);
    expect(applied).toEqual([
      { type: 'clear_tool_uses_20250919', cleared_tool_uses: 2, cleared_input_tokens: expect.any(Number) },
    ]);
    expect(applied[0]?.cleared_input_tokens).toBeGreaterThan(180);
  });

  it('waits for its trigger, in tokens (100,000 if left out) or in uses', () => {
    const edit = { type: 'clear_tool_uses_20250919' };
    expect(edited(rounds(5), edit, 99_999).applied).toEqual([]);
    expect(edited(rounds(5), edit, 100_000).applied).toHaveLength(1);
    const uses = (value: number) => ({ ...edit, trigger: { type: 'tool_uses', value } });
    expect(edited(rounds(5), uses(6), 0).applied).toEqual([]);
    expect(edited(rounds(5), uses(5), 0).applied).toHaveLength(1);
  });

  it('keeps named tools and so many uses, clears inputs where asked, and nothing below its least', () => {
    const edit = { type: 'clear_tool_uses_20250919', keep: { type: 'tool_uses', value: 1 } };
    const kept = edited(rounds(4), { ...edit, exclude_tools: ['Grep'] });
    expect(contents(kept.body, 'tool_result')).toEqual([CLEARED, LONG, CLEARED, LONG]);
    const inputs = edited(rounds(3), { ...edit, clear_tool_inputs: true });
    expect(contents(inputs.body, 'tool_use')).toEqual([{}, {}, { path: LONG }]);
    const some = edited(rounds(3), { ...edit, clear_tool_inputs: ['Grep'] });
    expect(contents(some.body, 'tool_use')).toEqual([{ path: LONG }, {}, { path: LONG }]);
    const least = { ...edit, clear_at_least: { type: 'input_tokens', value: 100_000 } };
    expect(edited(rounds(4), least).applied).toEqual([]);
  });
});

describe('clear_thinking', () => {
  const thought = (text: string) => ({ type: 'thinking', thinking: text, signature: 's' });
  const messages: JsonObject[] = [
    { role: 'user', content: 'a' },
    {
      role: 'assistant',
      content: [thought('one'), { type: 'tool_use', id: 't', name: 'Read', input: {} }],
    },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't' }] },
    { role: 'assistant', content: [thought('two'), { type: 'text', text: 'x' }] },
    { role: 'user', content: 'b' },
    { role: 'assistant', content: [thought('three'), { type: 'text', text: 'y' }] },
    { role: 'user', content: 'c' },
  ];
  const left = (body: JsonObject) =>
    asObjects(body.messages)
      .flatMap((message) => asObjects(message.content))
      .flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []));

  it('keeps the thinking of the last turns and counts turns, not blocks', () => {
    const { body, applied } = edited(messages, { type: 'clear_thinking_20251015' });
    expect(left(body)).toEqual(['three']);
    expect(applied).toEqual([
      { type: 'clear_thinking_20251015', cleared_thinking_turns: 1, cleared_input_tokens: 6 },
    ]);
    const two = { type: 'clear_thinking_20251015', keep: { type: 'thinking_turns', value: 2 } };
    expect(edited(messages, two).applied).toEqual([]);
  });

  it('does nothing with keep all', () => {
    for (const keep of ['all', { type: 'all' }]) {
      expect(edited(messages, { type: 'clear_thinking_20251015', keep }).applied).toEqual([]);
    }
  });
});

describe('context editing over HTTP', () => {
  let simulator: Simulator;
  beforeEach(async () => {
    simulator = await startSimulator();
  });
  afterEach(() => simulator.stop());

  const management = (...edits: JsonObject[]) => ({ context_management: { edits } });
  const uses = { type: 'clear_tool_uses_20250919', trigger: { type: 'tool_uses', value: 4 } };

  it('is billed and counted without what was cleared, and reported at the end of the stream', async () => {
    const body = messagesBody({ messages: rounds(5), tools, ...management(uses) });
    const whole = await postMessages(simulator, messagesBody({ messages: rounds(5), tools }));
    const cut = await postMessages(simulator, body, BETA);
    const [report] = asObjects(asObject(cut.json.context_management)?.applied_edits);
    const cleared = Number(report?.cleared_input_tokens);
    expect(cleared).toBeGreaterThan(0);
    const input = (reply: typeof cut) => Number(asObject(reply.json.usage)?.input_tokens);
    expect(input(cut)).toBe(input(whole) - cleared);
    const stream = await postMessages(simulator, { ...body, stream: true }, BETA);
    const end = stream.events.find((event) => event.name === 'message_delta')?.data;
    expect(asObject(end?.context_management)?.applied_edits).toEqual([report]);
    const counted = await post(`${simulator.url}/v1/messages/count_tokens`, body, {
      'x-api-key': 'k',
      ...BETA,
    });
    expect(counted.json).toEqual({
      input_tokens: input(cut),
      context_management: { original_input_tokens: input(whole) },
    });
  });

  it('hides from the model what was cleared', async () => {
    simulator.script.add((turn) => ({ steps: [{ say: turn.text().includes(LONG) ? 'seen' : 'unseen' }] }));
    const keep = { type: 'tool_uses', value: 0 };
    const body = messagesBody({
      messages: rounds(4),
      tools,
      ...management({ ...uses, keep, clear_tool_inputs: true }),
    });
    const reply = await postMessages(simulator, body, BETA);
    expect(asObjects(reply.json.content)[0]?.text).toBe('unseen');
  });

  it('leaves signed thinking valid, since the client sends all of it still', async () => {
    const steps = [{ think: 'deep' }, { call: 'Read', input: { path: LONG } }];
    simulator.script.add({ id: 't', when: {}, rounds: Array.from({ length: 4 }, () => ({ steps })) });
    const messages: JsonObject[] = [{ role: 'user', content: 'start' }];
    const keep = { type: 'tool_uses', value: 1 };
    const edit = { ...uses, trigger: { type: 'tool_uses', value: 1 }, keep };
    for (let round = 0; round < 4; round += 1) {
      const body = messagesBody({ model: 'claude-fable-5-2', messages, tools, ...management(edit) });
      const reply = await postMessages(simulator, body, BETA);
      expect(reply.status).toBe(200);
      const content = asObjects(reply.json.content);
      const id = content.find((block) => block.type === 'tool_use')?.id ?? '';
      messages.push({ role: 'assistant', content });
      messages.push({
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content: LONG }],
      });
    }
  });

  it('needs the header of its edit, and clearing of thinking first', async () => {
    const send = (headers: Record<string, string>, ...edits: JsonObject[]) =>
      postMessages(simulator, messagesBody(management(...edits)), headers);
    expect(errorMessage(await send({}, uses))).toBe('context_management: Extra inputs are not permitted');
    const compact = { 'anthropic-beta': 'compact-2026-01-12' };
    expect(errorMessage(await send(compact, uses))).toContain("Input tag 'clear_tool_uses_20250919'");
    expect(errorMessage(await send(BETA, { type: 'clear_nothing' }))).toContain('context_management.edits.0');
    const late = await send(BETA, uses, { type: 'clear_thinking_20251015' });
    expect(errorMessage(late)).toContain('must be the first edit');
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asObject, asObjects, type JsonObject } from '../json.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { messagesBody, post, postMessages, type Reply } from '../testing.ts';

const FIELD = { 'anthropic-beta': 'compact-2026-09-04' };
const EDIT = { 'anthropic-beta': 'compact-2026-01-12' };
const LONG = 'word '.repeat(50_000);

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.stop());

const user = (content: JsonObject[] | string): JsonObject => ({ role: 'user', content });
const assistant = (content: JsonObject[] | string): JsonObject => ({ role: 'assistant', content });
const long = [user(LONG), assistant('noted'), user('and now?')];
const codeOf = (reply: Reply) => asObject(asObject(reply.json.error)?.details)?.error_code;
const usageOf = (reply: Reply) => asObject(reply.json.usage) ?? {};

describe('compaction by the request’s field', () => {
  const compact = (messages: JsonObject[], changes: JsonObject = {}) =>
    postMessages(simulator, messagesBody({ messages, compaction: { type: 'summarize' }, ...changes }), FIELD);

  it('answers with one signed block and nothing else', async () => {
    const { json } = await compact(long);
    expect(json.stop_reason).toBe('compaction');
    expect(json.content).toEqual([
      {
        type: 'compaction',
        content: expect.stringContaining('Last request: and now?'),
        encrypted_content: expect.any(String),
        signature: expect.any(String),
        tool_changes: [],
      },
    ]);
    expect(asObjects(asObject(json.usage)?.iterations).map((entry) => entry.type)).toEqual(['compaction']);
  });

  it('streams the whole summary in one delta', async () => {
    const { events } = await compact(long, { stream: true });
    const deltas = events.filter((event) => event.name === 'content_block_delta');
    expect(deltas.map((event) => asObject(event.data.delta)?.type)).toEqual(['compaction_delta']);
    expect(
      asObject(events.find((event) => event.name === 'content_block_start')?.data.content_block),
    ).toEqual(expect.objectContaining({ type: 'compaction', content: null, signature: expect.any(String) }));
  });

  it('gives a block that stands first in place of what it summarizes, in either role', async () => {
    const block = asObjects((await compact(long)).json.content)[0] ?? {};
    const short = [assistant([block]), user('go on')];
    for (const messages of [short, [user([block, { type: 'text', text: 'go on' }])]]) {
      const reply = await postMessages(simulator, messagesBody({ messages }), FIELD);
      expect(reply.status).toBe(200);
      expect(usageOf(reply).input_tokens).toBeLessThan(2_000);
    }
  });

  it('refuses a block that was changed, moved, doubled or made by another', async () => {
    const block = asObjects((await compact(long)).json.content)[0] ?? {};
    const send = async (messages: JsonObject[]) =>
      codeOf(await postMessages(simulator, messagesBody({ messages }), FIELD));
    const first = (changes: JsonObject) => [assistant([{ ...block, ...changes }]), user('go on')];
    expect(await send(first({ content: 'other' }))).toBe('compaction_content_mismatch');
    expect(await send(first({ signature: 'AAAA' }))).toBe('compaction_signature_invalid');
    expect(await send(first({ tool_changes: [{ type: 'tool_removal' }] }))).toBe(
      'compaction_tool_changes_mismatch',
    );
    expect(await send([user('a'), assistant([block]), user('b')])).toBe('compaction_block_misplaced');
    const twice = [assistant([block]), user('b'), assistant([block]), user('c')];
    expect(await send(twice)).toBe('compaction_block_ambiguous');
    const inSystem = [user('a'), { role: 'system', content: [block] }];
    expect(await send(inSystem)).toBe('compaction_block_misplaced');
  });

  it('needs something to summarize and a finished turn, and no context_management beside it', async () => {
    expect(codeOf(await compact([user([])]))).toBe('compaction_nothing_to_summarize');
    const open = assistant([{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: {} }]);
    const tools = [{ name: 'Read', input_schema: {} }];
    expect(codeOf(await compact([user('a'), open], { tools }))).toBe('compaction_incomplete_turn');
    expect((await compact([user('a'), assistant('b')])).status).toBe(200);
    const both = { context_management: { edits: [] } };
    const headers = { 'anthropic-beta': 'compact-2026-09-04,context-management-2025-06-27' };
    const body = messagesBody({ compaction: { type: 'summarize' }, ...both });
    expect((await postMessages(simulator, body, headers)).status).toBe(400);
  });

  it('is ignored by count_tokens', async () => {
    const body = messagesBody({ messages: long, compaction: { type: 'summarize' } });
    const url = `${simulator.url}/v1/messages/count_tokens`;
    const { json } = await post(url, body, { 'x-api-key': 'k', ...FIELD });
    expect(json.input_tokens).toBeGreaterThan(60_000);
  });
});

describe('compaction by edit', () => {
  const managed = (changes: JsonObject = {}) => ({
    context_management: {
      edits: [{ type: 'compact_20260112', trigger: { type: 'input_tokens', value: 50_000 }, ...changes }],
    },
  });

  it('begins the answer with a block above its trigger; usage leaves the compaction out', async () => {
    const reply = await postMessages(simulator, messagesBody({ messages: long, ...managed() }), EDIT);
    expect(asObjects(reply.json.content).map((block) => block.type)).toEqual(['compaction', 'text']);
    expect(reply.json.stop_reason).toBe('end_turn');
    const usage = usageOf(reply);
    const [compaction, message] = asObjects(usage.iterations);
    expect(compaction).toMatchObject({ type: 'compaction' });
    expect(Number(compaction?.input_tokens)).toBeGreaterThan(60_000);
    expect(message).toMatchObject({ type: 'message', input_tokens: usage.input_tokens });
    expect(Number(usage.input_tokens)).toBeLessThan(2_000);
    const charge = simulator.requests.entries.at(-1)?.charge;
    expect(charge?.lines.find((line) => line.part === 'input')?.tokens).toBe(
      Number(compaction?.input_tokens) + Number(usage.input_tokens),
    );
  });

  it('leaves shorter prompts alone; the least trigger is 50,000, the default 150,000', async () => {
    const short = await postMessages(simulator, messagesBody(managed()), EDIT);
    expect(asObjects(short.json.content).map((block) => block.type)).toEqual(['text']);
    const byDefault = { context_management: { edits: [{ type: 'compact_20260112' }] } };
    const below = await postMessages(simulator, messagesBody({ messages: long, ...byDefault }), EDIT);
    expect(asObjects(below.json.content).map((block) => block.type)).toEqual(['text']);
    const low = managed({ trigger: { type: 'input_tokens', value: 49_999 } });
    expect((await postMessages(simulator, messagesBody(low), EDIT)).status).toBe(400);
  });

  it('pauses behind the block where asked', async () => {
    const paused = managed({ pause_after_compaction: true });
    const reply = await postMessages(simulator, messagesBody({ messages: long, ...paused }), EDIT);
    expect(asObjects(reply.json.content).map((block) => block.type)).toEqual(['compaction']);
    expect(reply.json.stop_reason).toBe('compaction');
    expect(usageOf(reply).input_tokens).toBe(0);
    const content = asObjects(reply.json.content);
    const resumed = [...long, assistant(content)];
    const next = await postMessages(simulator, messagesBody({ messages: resumed, ...managed() }), EDIT);
    expect(next.status).toBe(200);
  });

  it('hides what stands before the last block from the model, from the bill and from the count', async () => {
    const first = await postMessages(simulator, messagesBody({ messages: long, ...managed() }), EDIT);
    const messages = [...long, assistant(asObjects(first.json.content)), user('go on')];
    simulator.script.add((turn) => ({ steps: [{ say: turn.text().includes(LONG) ? 'seen' : 'unseen' }] }));
    const body = messagesBody({ messages, ...managed() });
    const reply = await postMessages(simulator, body, EDIT);
    expect(asObjects(reply.json.content)).toEqual([{ type: 'text', text: 'unseen' }]);
    expect(Number(usageOf(reply).input_tokens)).toBeLessThan(2_000);
    const url = `${simulator.url}/v1/messages/count_tokens`;
    const counted = await post(url, body, { 'x-api-key': 'k', ...EDIT });
    expect(counted.json.input_tokens).toBe(usageOf(reply).input_tokens);
  });

  it('keeps bound thinking valid, whether the client still sends the compacted part or not', async () => {
    const steps = [{ think: 'deep' }, { say: 'words' }];
    simulator.script.add({ id: 't', when: {}, rounds: [{ steps }] });
    const model = 'claude-fable-5-2';
    const first = await postMessages(simulator, messagesBody({ model, messages: long, ...managed() }), EDIT);
    const answer = assistant(asObjects(first.json.content));
    expect(asObjects(first.json.content).map((block) => block.type)).toContain('thinking');
    for (const messages of [
      [...long, answer, user('on')],
      [answer, user('on')],
    ]) {
      const reply = await postMessages(simulator, messagesBody({ model, messages, ...managed() }), EDIT);
      expect(reply.json).toMatchObject({ type: 'message' });
    }
  });
});

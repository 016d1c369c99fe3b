import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asObject, asObjects, type JsonObject } from '../json.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { errorMessage, messagesBody, postMessages, type Reply } from '../testing.ts';

const BETA = { 'anthropic-beta': 'message-threads-2026-08-12' };
const codeOf = (reply: Reply) => asObject(asObject(reply.json.error)?.details)?.error_code;

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ frozen: true, startMs: Date.parse('2026-11-30T12:00:00Z') });
});
afterEach(() => simulator.stop());

const create = (changes: JsonObject = {}) =>
  postMessages(
    simulator,
    messagesBody({ system: 'Be brief.', thread: { type: 'create' }, ...changes }),
    BETA,
  );

const go = (id: unknown, changes: JsonObject = {}, headers: Record<string, string> = {}) =>
  postMessages(
    simulator,
    messagesBody({
      messages: [{ role: 'user', content: 'more' }],
      thread: { type: 'continue', previous_message_id: String(id) },
      ...changes,
    }),
    { ...BETA, ...headers },
  );

describe('threads', () => {
  it('hold the conversation, so that only new messages are sent', async () => {
    simulator.script.add((turn) => ({ steps: [{ say: `heard ${turn.typed.join(', ')}` }] }));
    const first = await create();
    const second = await go(first.json.id);
    expect(asObjects(second.json.content)[0]?.text).toBe('heard hello, more');
    const third = await go(second.json.id, { messages: [{ role: 'user', content: 'last' }] });
    expect(asObjects(third.json.content)[0]?.text).toBe('heard hello, more, last');
    const input = (reply: Reply) => Number(asObject(reply.json.usage)?.input_tokens);
    expect(input(third)).toBeGreaterThan(input(second));
  });

  it('are not found after five idle minutes, under another key, or at all', async () => {
    const first = await create();
    expect(codeOf(await go(first.json.id, {}, { 'x-api-key': 'other' }))).toBe('thread_not_found');
    expect((await go('msg_none')).status).toBe(404);
    simulator.clock.advance(299_000);
    const second = await go(first.json.id);
    expect(second.status).toBe(200);
    simulator.clock.advance(301_000);
    const late = await go(second.json.id);
    expect([late.status, codeOf(late)]).toEqual([404, 'thread_not_found']);
  });

  it('go on once from each answer', async () => {
    const first = await create();
    expect((await go(first.json.id)).status).toBe(200);
    expect(codeOf(await go(first.json.id))).toBe('thread_already_continued');
  });

  it('say so while another request is still going on from the same answer', async () => {
    const first = await create();
    simulator.script.add({ id: 'g', when: {}, rounds: [{ steps: [{ gate: 'go' }, { say: 'x' }] }] });
    const running = go(first.json.id);
    await simulator.requests.waitFor((entry) => entry.number === 2 && entry.answer !== undefined);
    expect(codeOf(await go(first.json.id))).toBe('thread_continue_in_flight');
    simulator.gates.open('go');
    expect((await running).status).toBe(200);
  });

  it('keep system and tools, and their model', async () => {
    const first = await create();
    expect(errorMessage(await go(first.json.id, { system: 'x' }))).toContain('system');
    expect(codeOf(await go(first.json.id, { model: 'claude-opus-5' }))).toBe('thread_fingerprint_mismatch');
  });

  it('need their header, and refuse what they do not go with unless the switch is off', async () => {
    const bare = await postMessages(simulator, messagesBody({ thread: { type: 'create' } }));
    expect(errorMessage(bare)).toBe('thread: Extra inputs are not permitted');
    const marked = await create({ cache_control: { type: 'ephemeral' } });
    expect(codeOf(marked)).toBe('thread_unsupported_request');
    expect(asObject(asObject(marked.json.error)?.details)?.unsupported).toEqual(['cache_control']);
    simulator.settings.rules = { ...simulator.settings.rules, 'anthropic.thread-unsupported-fields': false };
    expect((await create({ cache_control: { type: 'ephemeral' } })).status).toBe(200);
  });
});

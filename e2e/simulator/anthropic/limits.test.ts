import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asObject, type JsonObject } from '../json.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { errorMessage, messagesBody, post, postMessages } from '../testing.ts';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator({ frozen: true, startMs: Date.parse('2026-11-30T12:00:00Z') });
});
afterEach(() => simulator.stop());

const ask = (changes: JsonObject = {}, headers: Record<string, string> = {}) =>
  postMessages(simulator, messagesBody(changes), headers);

describe('rate limits of the Messages API', () => {
  it('are none by default', async () => {
    for (let count = 0; count < 5; count += 1) expect((await ask()).status).toBe(200);
  });

  it('count requests per credential and model, and say when to come again', async () => {
    simulator.settings.rateLimits = { requestsPerMinute: 2 };
    expect((await ask()).headers.get('anthropic-ratelimit-requests-remaining')).toBe('1');
    await ask();
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
    expect(asObject(refused.json.error)?.type).toBe('rate_limit_error');
    expect(errorMessage(refused)).toContain('rate limit of 2 requests per minute');
    expect(refused.headers.get('anthropic-ratelimit-requests-limit')).toBe('2');
    expect((await ask({}, { 'x-api-key': 'other' })).status).toBe(200);
    expect((await ask({ model: 'claude-opus-5' })).status).toBe(200);
    simulator.clock.advance(30_000);
    expect((await ask()).status).toBe(200);
  });

  it('count input and cache writes, not cache reads', async () => {
    simulator.settings.rateLimits = { inputTokensPerMinute: 4_000 };
    const text = 'word '.repeat(4_000);
    const system = [{ type: 'text', text, cache_control: { type: 'ephemeral' } }];
    const left = (reply: { headers: Headers }) =>
      Number(reply.headers.get('anthropic-ratelimit-input-tokens-remaining'));
    expect((await ask({ system })).status).toBe(200);
    const refused = await ask({ system });
    expect(refused.status).toBe(429);
    expect(left(refused)).toBe(0);
    simulator.clock.advance(60_000);
    for (let count = 0; count < 3; count += 1) expect((await ask({ system })).status).toBe(200);
  });

  it('count output, and leave the time out where the setting says so', async () => {
    simulator.settings.rateLimits = { outputTokensPerMinute: 1, withoutRetryAfter: true };
    simulator.script.add({ id: 'long', when: {}, rounds: [{ steps: [{ say: 'word '.repeat(100) }] }] });
    expect((await ask()).status).toBe(200);
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null]);
  });

  it('count token counts apart', async () => {
    simulator.settings.rateLimits = { requestsPerMinute: 1 };
    const count = () =>
      post(`${simulator.url}/v1/messages/count_tokens`, messagesBody(), { 'x-api-key': 'test-key' });
    expect((await ask()).status).toBe(200);
    expect((await count()).status).toBe(200);
    expect((await count()).status).toBe(429);
  });
});

describe('prices beside tokens', () => {
  const charge = () => simulator.requests.entries.at(-1)?.charge;

  it('double in fast mode where it exists', async () => {
    await ask({ model: 'claude-opus-5' });
    const plain = charge()?.nanoDollars ?? 0;
    const fast = await ask({ model: 'claude-opus-5', speed: 'fast' });
    expect(charge()?.nanoDollars).toBe(plain * 2);
    expect(asObject(fast.json.usage)?.speed).toBe('fast');
  });

  it('count web searches, in usage and at 10 USD for a thousand', async () => {
    const block = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
    const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] };
    simulator.script.add({
      id: 's',
      when: {},
      rounds: [{ steps: [{ block }, { block: found }, { say: 'so' }] }],
    });
    const tools = [
      { type: 'web_search_20250305', name: 'web_search' },
      { name: 'Read', input_schema: {} },
    ];
    const reply = await ask({ tools });
    expect(asObject(asObject(reply.json.usage)?.server_tool_use)).toEqual({
      web_search_requests: 1,
      web_fetch_requests: 0,
    });
    expect(charge()?.lines.at(-1)).toEqual({ part: 'web_search', tokens: 1, nanoDollars: 10_000_000 });
  });
});

describe('length', () => {
  it('of prompt and answer together is refused by models before 4.5 and stops later ones', async () => {
    simulator.settings.windows = { '*': 1_000 };
    const messages = [{ role: 'user', content: 'x'.repeat(3_600) }];
    const old = await ask({ model: 'claude-sonnet-4', messages, max_tokens: 200 });
    expect(errorMessage(old)).toBe(
      'input length and max_tokens exceed context limit: 900 + 200 > 1000, decrease input length or max_tokens and try again',
    );
    simulator.script.add({ id: 'l', when: {}, rounds: [{ steps: [{ say: 'y'.repeat(4_000) }] }] });
    const late = await ask({ messages, max_tokens: 200 });
    expect([late.status, late.json.stop_reason]).toEqual([200, 'model_context_window_exceeded']);
  });
});

describe('a refusal by the model', () => {
  it('is an ordinary answer that says why in its details', async () => {
    simulator.script.add({ id: 'r', when: {}, rounds: [{ steps: [], stop: 'refusal' }] });
    const reply = await ask();
    expect(reply.status).toBe(200);
    expect(reply.json.stop_details).toMatchObject({ type: 'refusal', category: null });
  });
});

describe('citations', () => {
  it('stream as deltas of their own before the text', async () => {
    const citation = { type: 'char_location', cited_text: 'a', document_index: 0 };
    const block = { type: 'text', text: 'said', citations: [citation] };
    simulator.script.add({ id: 'c', when: {}, rounds: [{ steps: [{ block }] }] });
    const { events } = await ask({ stream: true });
    const deltas = events.flatMap((event) => asObject(event.data.delta) ?? []);
    expect(deltas.slice(0, 2)).toEqual([
      { type: 'citations_delta', citation },
      { type: 'text_delta', text: 'said' },
    ]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SimulatorClock } from './clock.ts';
import type { JsonObject } from './json.ts';
import { answerRequest, routeOf } from './router.ts';
import { messagesBody, responsesBody, userItem } from './testing.ts';
import { createWorld, settingsWith, type World } from './world.ts';

function world(): World {
  return createWorld({
    seed: 's',
    settings: settingsWith(),
    clock: new SimulatorClock({ startMs: 0, frozen: true }),
  });
}

function entryOf(asked: World, target: string, body: Buffer, method = 'POST') {
  const entry = asked.log.open({
    connection: 1,
    method,
    target,
    httpVersion: '1.1',
    headers: [],
    receivedAtMs: 0,
  });
  entry.body = body;
  return entry;
}

function statusOf(asked: World, target: string, body: string): number {
  return answerRequest(entryOf(asked, target, Buffer.from(body)), asked).answer.status;
}

const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.string() }),
  fc.record({
    type: fc.constant('tool_use'),
    id: fc.constantFrom('a', 'b'),
    name: fc.string(),
    input: fc.dictionary(fc.string(), fc.jsonValue()),
  }),
  fc.record({
    type: fc.constant('tool_result'),
    tool_use_id: fc.constantFrom('a', 'b'),
    content: fc.jsonValue(),
  }),
  fc.record({ type: fc.constant('thinking'), thinking: fc.string(), signature: fc.string() }),
  fc.jsonValue(),
);
const message = fc.oneof(
  fc.record({
    role: fc.constantFrom('user', 'assistant', 'system'),
    content: fc.oneof(fc.string(), fc.array(block)),
  }),
  fc.jsonValue(),
);
const item = fc.oneof(
  fc.record({
    type: fc.constantFrom('function_call', 'function_call_output', 'reasoning', 'message', 'compaction'),
    id: fc.string(),
    call_id: fc.constantFrom('a', 'b'),
    encrypted_content: fc.string(),
    content: fc.jsonValue(),
  }),
  fc.jsonValue(),
);

describe('any body', () => {
  it('of the Messages API is answered or refused, never met with a crash', () => {
    fc.assert(
      fc.property(fc.array(message), fc.dictionary(fc.string(), fc.jsonValue()), (messages, more) => {
        const body = JSON.stringify({ ...messagesBody(), ...more, messages });
        expect([200, 400, 404]).toContain(statusOf(world(), '/v1/messages', body));
      }),
      { numRuns: 300 },
    );
  });

  it('of the Responses API is answered or refused, never met with a crash', () => {
    fc.assert(
      fc.property(fc.array(item), fc.dictionary(fc.string(), fc.jsonValue()), (input, more) => {
        const body = JSON.stringify({ ...responsesBody(), ...more, input });
        expect([200, 400, 404]).toContain(statusOf(world(), '/v1/responses', body));
      }),
      { numRuns: 300 },
    );
  });

  it('that is nested too deeply is refused', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const asked = `{"model":"claude-opus-4-8","max_tokens":9,"tools":[{"name":"a","input_schema":${deep}}],"messages":[{"role":"user","content":"a"}]}`;
    expect(statusOf(world(), '/v1/messages', asked)).toBe(400);
  });

  it('that is too large is refused by the proxy’s page', () => {
    const asked = JSON.stringify(messagesBody({ system: 'x'.repeat(33 * 1024 * 1024) }));
    expect(statusOf(world(), '/v1/messages', asked)).toBe(413);
  });

  it('with lone surrogates, NUL and numbers beyond 2^53 is read', () => {
    const asked =
      '{"model":"claude-opus-4-8","max_tokens":9,"messages":[{"role":"user","content":"\\ud800 \\u0000 x"}],"metadata":{"user_id":"1","n":12345678901234567890}}';
    expect(statusOf(world(), '/v1/messages', asked)).toBe(200);
  });
});

describe('a route', () => {
  it.each([
    ['POST', '/v1/messages?beta=true', 'messages', 'anthropic'],
    ['POST', '/gw/project/v1/messages', 'messages', 'anthropic'],
    ['POST', '/v1/messages/count_tokens?beta=true', 'count_tokens', 'anthropic'],
    ['POST', '/backend-api/codex/responses', 'responses', 'openai'],
    ['POST', '/v1/responses/compact', 'compact', 'openai'],
    ['POST', '/v1/responses/input_tokens', 'input_tokens', 'openai'],
    ['GET', '/anthropic/v1/models/claude-opus-4-8', 'models', 'anthropic'],
    ['GET', '/v1/models', 'models', 'openai'],
    ['HEAD', '/', 'probe', 'openai'],
    ['PUT', '/v1/messages', 'unknown', 'openai'],
  ])('%s %s is %s of %s', (method, target, route, protocol) => {
    expect(routeOf(entryOf(world(), target, Buffer.alloc(0), method))).toEqual({ route, protocol });
  });
});

describe('a fault that names a target', () => {
  it('also strikes requests that are no model requests', () => {
    const asked = world();
    asked.faults.add({ fault: { kind: 'status', status: 500 }, when: { target: '/models' } });
    expect(
      statusOf(
        asked,
        '/v1/responses',
        JSON.stringify(responsesBody({ input: [userItem('a')] } as JsonObject)),
      ),
    ).toBe(200);
    const list = entryOf(asked, '/v1/models', Buffer.alloc(0), 'GET');
    expect(answerRequest(list, asked).answer.status).toBe(500);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asObject, asObjects, type JsonObject } from '../json.ts';
import { type Simulator, startSimulator } from '../simulator.ts';
import { errorMessage, post, postResponses, type Reply, responsesBody, userItem } from '../testing.ts';

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator();
  simulator.script.add((turn) => ({ steps: [{ say: `heard ${turn.typed.join(', ')}` }] }));
});
afterEach(() => simulator.stop());

const send = (changes: JsonObject, headers: Record<string, string> = {}) =>
  postResponses(simulator, responsesBody({ store: true, ...changes }), headers);
const said = (reply: Reply) => asObjects(asObjects(reply.json.output).at(-1)?.content)[0]?.text;
const code = (reply: Reply) => asObject(reply.json.error)?.code;

describe('stored responses', () => {
  it('are gone on from with new items alone, and named in the answer', async () => {
    const first = await send({});
    const second = await send({ previous_response_id: first.json.id, input: [userItem('more')] });
    expect(said(second)).toBe('heard hello, more');
    expect(second.json.previous_response_id).toBe(first.json.id);
    const third = await send({ previous_response_id: second.json.id, input: 'last' });
    expect(said(third)).toBe('heard hello, more, last');
    const branch = await send({ previous_response_id: first.json.id, input: 'other' });
    expect(said(branch)).toBe('heard hello, other');
  });

  it('are not found where nothing was stored, under another key, or beside a conversation', async () => {
    const unstored = await send({ store: false });
    const lost = await send({ previous_response_id: unstored.json.id });
    expect(errorMessage(lost)).toBe(`Previous response with id '${String(unstored.json.id)}' not found.`);
    expect(asObject(lost.json.error)).toMatchObject({
      code: 'previous_response_not_found',
      param: 'previous_response_id',
      type: 'invalid_request_error',
    });
    const first = await send({});
    const foreign = await send({ previous_response_id: first.json.id }, { authorization: 'Bearer other' });
    expect(code(foreign)).toBe('previous_response_not_found');
    const both = await send({ previous_response_id: first.json.id, conversation: 'conv_1' });
    expect(code(both)).toBe('mutually_exclusive_parameters');
  });

  it('lend their items to references; what is not stored is not found', async () => {
    const first = await send({});
    const id = asObjects(first.json.output)[0]?.id ?? '';
    const input = (reference: JsonObject[string]) => [
      userItem('a'),
      { type: 'item_reference', id: reference },
      userItem('b'),
    ];
    expect((await send({ input: input(id) })).status).toBe(200);
    const unknown = await send({ input: input('msg_none') });
    expect([unknown.status, errorMessage(unknown)]).toEqual([404, "Item with id 'msg_none' not found."]);
    const unstored = await send({ store: false, input: input('msg_none') });
    expect(errorMessage(unstored)).toContain('Items are not persisted when `store` is set to false.');
  });
});

describe('conversations', () => {
  it('grow by every answer', async () => {
    const headers = { authorization: 'Bearer test-key' };
    const made = await post(`${simulator.url}/v1/conversations`, { items: [userItem('before')] }, headers);
    expect(made.json).toMatchObject({ object: 'conversation', metadata: {} });
    const conversation = String(made.json.id);
    expect(said(await send({ conversation }))).toBe('heard before, hello');
    expect(said(await send({ conversation: { id: conversation }, input: 'more' }))).toBe(
      'heard before, hello, more',
    );
    const unknown = await send({ conversation: 'conv_none' });
    expect([unknown.status, errorMessage(unknown)]).toEqual([
      404,
      "Conversation with id 'conv_none' not found.",
    ]);
  });
});

describe('rate limits of the Responses API', () => {
  it('say in their words when to come again', async () => {
    simulator.settings.rateLimits = { requestsPerMinute: 1 };
    expect((await send({})).status).toBe(200);
    const refused = await send({});
    expect(refused.status).toBe(429);
    expect(asObject(refused.json.error)).toMatchObject({ code: 'rate_limit_exceeded', type: 'requests' });
    expect(errorMessage(refused)).toMatch(/Please try again in \d+(\.\d+)?s\.$/);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
    simulator.settings.rateLimits = { inputTokensPerMinute: 1, withoutRetryAfter: true };
    simulator.reset();
    await send({});
    const tokens = await send({});
    expect([asObject(tokens.json.error)?.type, tokens.headers.get('retry-after')]).toEqual(['tokens', null]);
  });
});

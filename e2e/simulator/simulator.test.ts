import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { asObject } from './json.ts';
import { type Simulator, startSimulator } from './simulator.ts';
import {
  messagesBody,
  post,
  postMessages,
  postResponses,
  rawRequest,
  responsesBody,
  sendRaw,
} from './testing.ts';
import { prepareCodings } from './wire/coding.ts';

let simulator: Simulator;

beforeEach(async () => {
  simulator = await startSimulator();
});

afterEach(() => simulator.stop());

describe('the log of requests', () => {
  it('keeps target, headers in order, case and number, and the very bytes of body and answer', async () => {
    const body = `{"model":"claude-opus-4-8", "max_tokens":1.0e1,"messages":[{"role":"user","content":"\\u00e9é"}]}`;
    const { text } = await sendRaw(
      simulator,
      `POST /pre/fix/v1/messages?beta=true HTTP/1.1\r\nhOST: x\r\nX-Twice: a\r\nx-twice: b\r\nX-Api-Key: k\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    const [entry] = simulator.requests.entries;
    expect(entry).toMatchObject({
      number: 1,
      method: 'POST',
      target: '/pre/fix/v1/messages?beta=true',
      bodyComplete: true,
    });
    expect(entry?.headers.slice(0, 4)).toEqual([
      ['hOST', 'x'],
      ['X-Twice', 'a'],
      ['x-twice', 'b'],
      ['X-Api-Key', 'k'],
    ]);
    expect(entry?.body.toString()).toBe(body);
    expect(text.endsWith(entry?.answer?.body.toString('latin1') ?? 'nothing')).toBe(true);
    expect(entry?.answer).toMatchObject({ status: 200, ending: 'finished' });
  });

  it('tells connections apart and notes when a client leaves before its answer is whole', async () => {
    simulator.faults.add({ fault: { kind: 'silence', from: 'body', afterEvents: 2 } });
    const controller = new AbortController();
    const response = await fetch(`${simulator.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'k' },
      body: JSON.stringify(messagesBody({ stream: true })),
      signal: controller.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    controller.abort();
    const entry = await simulator.requests.waitFor((other) => other.clientClosedAtMs !== undefined);
    expect(entry.answer?.ending).toBe('held');
    await sendRaw(simulator, rawRequest());
    const numbers = simulator.requests.entries.map((other) => other.connection);
    expect(new Set(numbers).size).toBe(2);
  });

  it('keeps what arrived of a body that the client never finished', async () => {
    const socket = connect(simulator.port, '127.0.0.1');
    socket.write('POST /v1/messages HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"model"', () =>
      socket.destroy(),
    );
    const entry = await simulator.requests.waitFor((other) => other.clientClosedAtMs !== undefined);
    expect(entry.bodyComplete).toBe(false);
  });
});

describe('a log that is full', () => {
  it('lets its oldest entries go and keeps their numbers', async () => {
    const small = await startSimulator({ logBytes: 3000 });
    for (let count = 0; count < 8; count += 1) await postMessages(small, messagesBody());
    const numbers = small.requests.entries.map((entry) => entry.number);
    expect(numbers.length).toBeLessThan(8);
    expect(numbers.at(-1)).toBe(8);
    await small.stop();
  });
});

describe('the same request', () => {
  it('gets the same answer with other ids', async () => {
    const first = await postMessages(simulator, messagesBody());
    const second = await postMessages(simulator, messagesBody());
    expect(first.json.id).not.toBe(second.json.id);
    expect({ ...first.json, id: '' }).toEqual({ ...second.json, id: '' });
  });

  it('gets the same ids from another simulator of the same seed', async () => {
    const other = await startSimulator();
    expect((await postMessages(other, messagesBody())).text).toBe(
      (await postMessages(simulator, messagesBody())).text,
    );
    await other.stop();
  });
});

describe('a request that never reached the model', () => {
  it('writes no cache and costs nothing', async () => {
    const system = [{ type: 'text', text: 'x'.repeat(8000), cache_control: { type: 'ephemeral' } }];
    simulator.faults.add({ fault: { kind: 'status', status: 529 } });
    await postMessages(simulator, messagesBody({ system }));
    const { json } = await postMessages(simulator, messagesBody({ system }));
    expect(asObject(json.usage)?.cache_creation_input_tokens).toBe(2000);
    expect(simulator.requests.entries[0]).toMatchObject({
      usage: undefined,
      charge: undefined,
      fault: 'status',
    });
  });
});

describe('time', () => {
  it('expires a cached prefix when two hours are advanced, without waiting', async () => {
    const system = [{ type: 'text', text: 'x'.repeat(8000), cache_control: { type: 'ephemeral' } }];
    const ask = async () => asObject((await postMessages(simulator, messagesBody({ system }))).json.usage);
    expect((await ask())?.cache_creation_input_tokens).toBe(2000);
    expect((await ask())?.cache_read_input_tokens).toBe(2000);
    simulator.clock.advance(2 * 3_600_000);
    expect((await ask())?.cache_creation_input_tokens).toBe(2000);
    const charges = simulator.requests.entries.map((entry) => entry.charge?.nanoDollars ?? 0);
    expect(charges[0]).toBe(charges[2]);
    expect(charges[1]).toBeLessThan(charges[0] ?? 0);
  });
});

describe('other paths', () => {
  it('count tokens as the messages path does', async () => {
    const counted = await post(
      `${simulator.url}/v1/messages/count_tokens`,
      messagesBody({ max_tokens: undefined }),
    );
    const usage = asObject((await postMessages(simulator, messagesBody())).json.usage);
    expect(counted.json).toEqual({ input_tokens: usage?.input_tokens });
  });

  it('list each provider’s models by the request’s headers, and answer HEAD', async () => {
    const list = async (headers: Record<string, string>) =>
      JSON.stringify(await (await fetch(`${simulator.url}/v1/models?limit=1000`, { headers })).json());
    expect(await list({ 'anthropic-version': '2023-06-01' })).toContain('claude-opus-4-8');
    expect(await list({ authorization: 'Bearer k' })).toContain('gpt-5.5');
    expect((await fetch(simulator.url, { method: 'HEAD' })).status).toBe(200);
  });

  it('refuse unknown paths, unknown models, broken JSON and wrong keys in the provider’s shape', async () => {
    const bad = await fetch(`${simulator.url}/v1/messages`, { method: 'POST', body: '{"a":' });
    expect(await bad.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect((await fetch(`${simulator.url}/v1/nothing`)).status).toBe(404);
    const unknown = await postMessages(simulator, messagesBody({ model: 'claude-next' }));
    expect(unknown.json.error).toMatchObject({ type: 'not_found_error', message: 'model: claude-next' });
    simulator.settings.requiredKey = 'right';
    expect((await postMessages(simulator, messagesBody())).json.error).toMatchObject({
      type: 'authentication_error',
    });
    expect((await postResponses(simulator, responsesBody())).json.error).toMatchObject({
      code: 'invalid_api_key',
    });
    expect((await postMessages(simulator, messagesBody(), { 'x-api-key': 'right' })).status).toBe(200);
  });

  it('refuse a WebSocket upgrade with the status that is set', async () => {
    const upgrade =
      'GET /v1/responses HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    expect((await sendRaw(simulator, upgrade)).text).toMatch(/^HTTP\/1\.1 426 /);
    simulator.settings.webSocketStatus = 404;
    expect((await sendRaw(simulator, upgrade)).text).toMatch(/^HTTP\/1\.1 404 /);
    expect(simulator.requests.entries.map((entry) => entry.answer?.status)).toEqual([426, 404]);
  });

  it('read compressed request bodies', async () => {
    await prepareCodings();
    const { gzipSync } = await import('node:zlib');
    const { compress } = await import('@bokuweb/zstd-wasm');
    const plain = Buffer.from(JSON.stringify(messagesBody()));
    for (const [coding, body] of [
      ['gzip', gzipSync(plain)],
      ['zstd', Buffer.from(compress(plain, 3))],
    ] as const) {
      const headers = { 'content-encoding': coding, 'x-api-key': 'k' };
      expect((await fetch(`${simulator.url}/v1/messages`, { method: 'POST', headers, body })).status).toBe(
        200,
      );
    }
  });
});

describe('the control paths', () => {
  const control = async (method: string, path: string, body?: unknown) => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const response = await fetch(`${simulator.url}/__simulator/${path}`, init);
    return { status: response.status, json: (await response.json()) as Record<string, unknown> };
  };

  it('script, break, advance, open, set and read a simulator of another process', async () => {
    await control('POST', 'scenarios', {
      id: 'a',
      when: { contains: 'hello' },
      rounds: [{ steps: [{ say: 'scripted' }] }],
    });
    await control('POST', 'faults', { fault: { kind: 'status', status: 500 } });
    expect((await postMessages(simulator, messagesBody())).status).toBe(500);
    expect((await postMessages(simulator, messagesBody())).text).toContain('scripted');
    const before = simulator.clock.now();
    await control('POST', 'clock', { advanceMs: 3_600_000 });
    expect(simulator.clock.now() - before).toBeGreaterThanOrEqual(3_600_000);
    await control('PATCH', 'settings', { windows: { '*': 5 }, rules: { 'anthropic.empty-text': false } });
    expect(simulator.settings.windows).toEqual({ '*': 5 });
    expect(simulator.settings.rules['anthropic.empty-text']).toBe(false);
    expect(simulator.settings.rules.validate).toBe(true);
    const log = (await control('GET', 'requests?after=1')).json.requests as {
      number: number;
      bodyBase64: string;
    }[];
    expect(log.map((entry) => entry.number)).toEqual([2]);
    expect(JSON.parse(Buffer.from(log[0]?.bodyBase64 ?? '', 'base64').toString())).toMatchObject({
      max_tokens: 1000,
    });
    await control('POST', 'reset');
    expect(simulator.requests.entries).toEqual([]);
  });

  it.each([
    ['POST', 'scenarios', { id: 'a' }],
    ['POST', 'faults', { kind: 'status' }],
    ['POST', 'clock', { advanceMs: -1 }],
    ['POST', 'gates', {}],
    ['PATCH', 'settings', { nothing: 1 }],
    ['PATCH', 'settings', { rules: { nothing: true } }],
  ])('refuse %s %s with %j', async (method, path, body) => {
    expect((await control(method, path, body)).status).toBe(400);
  });

  it('are not in the log', async () => {
    await control('GET', 'settings');
    expect(simulator.requests.entries).toEqual([]);
  });
});

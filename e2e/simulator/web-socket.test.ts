import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { asObject, asObjects, type JsonObject, parseJson } from './json.ts';
import { type Simulator, startSimulator } from './simulator.ts';
import { responsesBody, userItem } from './testing.ts';

let simulator: Simulator;
const open: WebSocket[] = [];

beforeEach(async () => {
  simulator = await startSimulator({
    settings: { webSocketStatus: 101 },
    frozen: true,
    startMs: Date.parse('2026-11-30T12:00:00Z'),
  });
});

afterEach(async () => {
  for (const socket of open.splice(0)) socket.terminate();
  await simulator.stop();
});

/** A connection whose events can be awaited one by one. */
async function connect(path = '/v1/responses') {
  const socket = new WebSocket(`${simulator.url.replace('http', 'ws')}${path}`, {
    headers: { authorization: 'Bearer k', 'openai-beta': 'responses_websockets=2026-02-06' },
  });
  open.push(socket);
  const events: JsonObject[] = [];
  const waiting: (() => void)[] = [];
  socket.on('message', (data) => {
    events.push(asObject(parseJson(String(data))) ?? {});
    for (const wake of waiting.splice(0)) wake();
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  const until = async (test: (event: JsonObject) => boolean): Promise<JsonObject> => {
    for (;;) {
      const found = events.find(test);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  return {
    socket,
    events,
    until,
    create: (body: JsonObject) => socket.send(JSON.stringify({ type: 'response.create', ...body })),
    completed: (count: number) =>
      until(() => events.filter((event) => event.type === 'response.completed').length >= count).then(
        () => events.filter((event) => event.type === 'response.completed')[count - 1] ?? {},
      ),
  };
}

const responseOf = (event: JsonObject) => asObject(event.response) ?? {};

describe('Responses over WebSockets', () => {
  it('answer an event with the events of a stream, one JSON text each', async () => {
    const client = await connect();
    client.create(responsesBody());
    await client.completed(1);
    expect(client.events.map((event) => event.type)).toContain('response.output_text.delta');
    expect(client.events.map((event) => event.sequence_number)).toEqual(
      client.events.map((_event, at) => at),
    );
    const entry = simulator.requests.entries.at(-1);
    expect([entry?.method, entry?.reading?.prompt]).toEqual(['WS', 'hello']);
  });

  it('warm a prompt without output, and go on from it with new items alone, stored or not', async () => {
    simulator.script.add((turn) => ({ steps: [{ say: `heard ${turn.typed.join(', ')}` }] }));
    const client = await connect();
    client.create(responsesBody({ generate: false }));
    const warm = responseOf(await client.completed(1));
    expect([warm.output, asObject(warm.usage)?.output_tokens]).toEqual([[], 0]);
    client.create(responsesBody({ previous_response_id: warm.id, input: [userItem('more')] }));
    const second = responseOf(await client.completed(2));
    const [message] = asObjects(second.output);
    expect(asObjects(message?.content)[0]?.text).toBe('heard hello, more');
    expect(second.previous_response_id).toBe(warm.id);
    expect(simulator.requests.entries.map((entry) => entry.reading?.kind)).toEqual([
      undefined,
      'prewarm',
      'main',
    ]);
  });

  it('forget with their connection what was not stored', async () => {
    const first = await connect();
    first.create(responsesBody());
    const { id } = responseOf(await first.completed(1));
    const second = await connect();
    second.create(responsesBody({ previous_response_id: String(id) }));
    const refusal = await second.until((event) => event.type === 'error');
    expect(refusal).toMatchObject({
      status: 400,
      error: { code: 'previous_response_not_found', param: 'previous_response_id' },
    });
  });

  it('refuse what HTTP refuses, and what is no event', async () => {
    const client = await connect();
    client.create(responsesBody({ nonsense: 1 }));
    expect(await client.until((event) => event.type === 'error')).toMatchObject({
      status: 400,
      error: { code: 'unknown_parameter' },
    });
    client.socket.send('nonsense');
    await client.until((event) => asObject(event.error)?.code === 'invalid_event');
    client.socket.send(JSON.stringify({ type: 'response.steer', input: 'x', previous_response_id: 'y' }));
    expect(await client.until((event) => event.type === 'response.steer.failed')).toMatchObject({
      error: { code: 'steering_not_supported' },
    });
  });

  it('name the lane of an event in all that answers it', async () => {
    const client = await connect();
    client.create(responsesBody({ stream_id: 'a' }));
    client.create(responsesBody({ stream_id: 'b' }));
    await client.completed(2);
    expect(new Set(client.events.map((event) => event.stream_id))).toEqual(new Set(['a', 'b']));
  });

  it('end after sixty minutes with the provider’s code', async () => {
    const client = await connect();
    client.create(responsesBody());
    await client.completed(1);
    simulator.clock.advance(60 * 60_000);
    expect(await client.until((event) => event.type === 'error')).toMatchObject({
      error: { code: 'websocket_connection_limit_reached' },
    });
    if (client.socket.readyState !== WebSocket.CLOSED) {
      await new Promise<void>((resolve) => client.socket.once('close', () => resolve()));
    }
  });

  it('break as faults say: a refusal, a connection that ends', async () => {
    simulator.faults.add({ fault: { kind: 'status', status: 429 } });
    simulator.faults.add({ fault: { kind: 'reset', afterEvents: 2 } });
    const client = await connect();
    client.create(responsesBody());
    expect(await client.until((event) => event.type === 'error')).toMatchObject({ status: 429 });
    const closed = new Promise<void>((resolve) => client.socket.once('close', () => resolve()));
    client.create(responsesBody());
    await closed;
    expect(client.events.filter((event) => event.type !== 'error').length).toBeLessThanOrEqual(2);
  });

  it('are refused elsewhere, and where the setting says so', async () => {
    await expect(connect('/v1/other')).rejects.toThrow('404');
    simulator.settings.webSocketStatus = 426;
    await expect(connect()).rejects.toThrow('426');
  });
});

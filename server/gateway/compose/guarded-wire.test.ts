import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../../e2e/simulator/index.ts';
import { messagesBody, responsesBody } from '../../../e2e/simulator/testing.ts';
import { systemTimers } from '../keep-alive.ts';
import type { Refusal } from '../refused/index.ts';
import { createUpstreams, type UpstreamRequest, type Upstreams } from '../upstream.ts';
import { sendGuarded } from './guarded-send.ts';

let simulator: Simulator;
let upstreams: Upstreams;

beforeAll(async () => {
  simulator = await startSimulator();
  const { url } = simulator;
  upstreams = createUpstreams(
    { anthropic: url, openai: url, chatgpt: url },
    { http: null, https: null, none: null },
  );
});

afterAll(async () => {
  upstreams.close();
  await simulator.stop();
});

/** Sends a request that is refused as too large so many times, and tries it again each time. */
async function sent(protocol: 'anthropic' | 'openai', refusals: number, inStream: boolean) {
  simulator.requests.clear();
  simulator.faults.add({ fault: { kind: 'too-long', inStream }, times: refusals });
  const make = protocol === 'anthropic' ? messagesBody : responsesBody;
  const body = Buffer.from(JSON.stringify(make({ stream: true })));
  const request: UpstreamRequest = {
    door: protocol,
    method: 'POST',
    path: protocol === 'anthropic' ? '/v1/messages' : '/v1/responses',
    headers: [
      ...['Host', 'localhost', 'Content-Type', 'application/json', 'Content-Length', String(body.length)],
      ...['x-api-key', 'k', 'anthropic-version', '2023-06-01', 'authorization', 'Bearer k'],
    ],
    body,
  };
  const judged: Refusal['kind'][] = [];
  const told = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const pieces: Buffer[] = [];
    let status = 0;
    const guard = {
      protocol,
      judge: async ({ kind }: Refusal) => {
        judged.push(kind);
        return judged.length < 3 ? request : null;
      },
    };
    const handler = {
      onHead: (code: number) => {
        status = code;
      },
      onBytes: (bytes: Buffer) => void pieces.push(bytes),
      onEnd: () => resolve({ status, text: Buffer.concat(pieces).toString() }),
      onFault: ({ code }: { code: string }) => reject(new Error(code)),
    };
    sendGuarded(upstreams, request, guard, handler, systemTimers);
  });
  return { ...told, judged };
}

describe.each([
  ['anthropic', false, 'event: message_stop'],
  ['openai', false, 'event: response.completed'],
  ['openai', true, 'event: response.completed'],
] as const)('a refusal on the wire (%s, inside a stream: %s)', (protocol, inStream, end) => {
  test('is never seen by the client where another request is answered', async () => {
    const { status, text, judged } = await sent(protocol, 2, inStream);
    expect([status, judged]).toEqual([200, ['too_large', 'too_large']]);
    expect(text).toContain(end);
    expect(text).not.toMatch(/too long|context_length_exceeded/);
  });

  test('reaches the client as it is where none is', async () => {
    const { status, text, judged } = await sent(protocol, 3, inStream);
    expect([status, judged.length]).toEqual([inStream ? 200 : 400, 3]);
    expect(text).toMatch(/too long|context_length_exceeded/);
  });
});

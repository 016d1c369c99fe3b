import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fault } from './faults.ts';
import { asObject } from './json.ts';
import { type Simulator, startSimulator } from './simulator.ts';
import {
  errorMessage,
  messagesBody,
  postMessages,
  postResponses,
  rawRequest,
  responsesBody,
  sendRaw,
} from './testing.ts';

let simulator: Simulator;

beforeEach(async () => {
  simulator = await startSimulator();
});

afterEach(() => simulator.stop());

describe('faults', () => {
  it('answer with a status in the provider’s shape as often as asked, then no more', async () => {
    simulator.faults.add({ fault: { kind: 'status', status: 529 }, times: 2 });
    simulator.faults.add({ fault: { kind: 'status', status: 429, retryAfter: 2 } });
    const replies = [];
    for (let count = 0; count < 4; count += 1) replies.push(await postMessages(simulator, messagesBody()));
    expect(replies.map(({ status }) => status)).toEqual([529, 529, 429, 200]);
    expect(replies[0]?.json).toMatchObject({
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
    });
    expect(replies[2]?.headers.get('retry-after')).toBe('2');
  });

  it('strike only what they match, after what they skip', async () => {
    simulator.faults.add({ fault: { kind: 'status', status: 500 }, when: { protocol: 'openai' } });
    simulator.faults.add({
      fault: { kind: 'status', status: 503 },
      when: { prompt: 'hello', stream: false },
      skip: 1,
    });
    expect((await postMessages(simulator, messagesBody())).status).toBe(200);
    expect((await postMessages(simulator, messagesBody({ stream: true }))).status).toBe(200);
    expect((await postMessages(simulator, messagesBody())).status).toBe(503);
    expect((await postResponses(simulator, responsesBody())).json.error).toMatchObject({
      type: 'server_error',
    });
    expect(simulator.faults.left).toBe(0);
  });

  it('send 413 as a page and not as JSON', async () => {
    simulator.faults.add({ fault: { kind: 'status', status: 413 } });
    const reply = await postMessages(simulator, messagesBody());
    expect(reply.status).toBe(413);
    expect(reply.headers.get('content-type')).toBe('text/html');
  });

  it('say that the prompt is too long in each provider’s words', async () => {
    simulator.faults.add({ fault: { kind: 'too-long', tokens: 219_898, maximum: 200_000 } });
    expect(errorMessage(await postMessages(simulator, messagesBody()))).toBe(
      'prompt is too long: 219898 tokens > 200000 maximum',
    );
    simulator.faults.add({ fault: { kind: 'too-long', inStream: true } });
    const { status, events } = await postResponses(simulator, responsesBody({ stream: true }));
    expect(status).toBe(200);
    expect(events.at(-1)?.name).toBe('response.failed');
    expect(asObject(asObject(events.at(-1)?.data.response)?.error)?.code).toBe('context_length_exceeded');
  });

  it('break a stream with an error event in the middle', async () => {
    simulator.faults.add({ fault: { kind: 'stream-error', afterEvents: 4 } });
    const { events } = await postMessages(simulator, messagesBody({ stream: true }));
    expect(events).toHaveLength(5);
    expect(events.at(-1)).toEqual({
      name: 'error',
      data: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    });
  });

  it('of streams leave requests without a stream alone and wait for the next stream', async () => {
    simulator.faults.add({ fault: { kind: 'stream-error' } });
    expect((await postMessages(simulator, messagesBody())).status).toBe(200);
    expect(simulator.faults.left).toBe(1);
    expect((await postMessages(simulator, messagesBody({ stream: true }))).events.at(-1)?.name).toBe('error');
    simulator.script.add({
      id: 'a',
      when: {},
      rounds: [{ steps: [{ say: 'whole' }], fault: { kind: 'stream-error' } }],
    });
    expect((await postMessages(simulator, messagesBody({ stream: true }))).events.at(-1)?.name).toBe('error');
    expect((await postMessages(simulator, messagesBody())).text).toContain('whole');
  });

  it('reset before the headers, and after so many bytes of the body', async () => {
    simulator.faults.add({ fault: { kind: 'reset' } });
    expect(await sendRaw(simulator, rawRequest())).toEqual({ text: '', reset: true });
    simulator.faults.add({ fault: { kind: 'reset', afterBytes: 40 } });
    await sendRaw(simulator, rawRequest());
    expect(simulator.requests.entries[1]?.answer).toMatchObject({ ending: 'reset', status: 200 });
    expect(simulator.requests.entries[1]?.answer?.body).toHaveLength(40);
  });

  it('end cleanly or brokenly without the stream’s ending', async () => {
    simulator.faults.add({ fault: { kind: 'end', afterEvents: 2 } });
    const clean = await sendRaw(simulator, rawRequest());
    expect(clean.text).toContain('0\r\n\r\n');
    expect(clean.text).not.toContain('message_stop');
    simulator.faults.add({ fault: { kind: 'end', afterEvents: 2, broken: true } });
    expect((await sendRaw(simulator, rawRequest())).text).not.toContain('0\r\n\r\n');
  });

  it('stay silent for ever, with or without headers, until the client leaves', async () => {
    for (const [from, seen] of [
      ['accept', ''],
      ['headers', 'HTTP/1.1 200'],
    ] as const) {
      simulator.faults.add({ fault: { kind: 'silence', from } });
      const socket = connect(simulator.port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString();
      });
      socket.write(rawRequest());
      const held = await simulator.requests.waitFor((entry) => entry.answer?.ending === 'held');
      if (seen !== '')
        await new Promise<void>((resolve) =>
          text === '' ? socket.once('data', () => resolve()) : resolve(),
        );
      expect(text.startsWith(seen)).toBe(true);
      socket.destroy();
      await simulator.requests.waitFor(
        (entry) => entry.number === held.number && entry.clientClosedAtMs !== undefined,
      );
      simulator.reset();
    }
  });

  it('keep the first byte back by simulator time or until a gate opens', async () => {
    const frozen = await startSimulator({ frozen: true });
    for (const [fault, go] of [
      [{ kind: 'slow', firstByteMs: 7_200_000 }, () => frozen.clock.advance(7_200_000)],
      [{ kind: 'gate', name: 'go' }, () => frozen.gates.open('go')],
    ] as const) {
      frozen.faults.add({ fault });
      const reply = postMessages(frozen, messagesBody());
      const entry = await frozen.requests.waitFor((other) => other.fault === fault.kind);
      expect(entry.answer).toBeUndefined();
      go();
      expect((await reply).status).toBe(200);
    }
    await frozen.stop();
  });

  it('close the sending side only, half-open', async () => {
    simulator.faults.add({ fault: { kind: 'half-open', afterEvents: 1 } });
    const socket = connect({ port: simulator.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.write(rawRequest());
    const text = await new Promise<string>((resolve) => {
      let seen = '';
      socket.on('data', (chunk) => {
        seen += chunk.toString();
      });
      socket.on('end', () => resolve(seen));
    });
    expect(text).toContain('message_start');
    expect(text).not.toContain('content_block_start');
    socket.destroy();
  });

  it('hold a stream at a step of the script until its gate opens', async () => {
    const steps = [{ say: 'before' }, { gate: 'middle' }, { say: 'after' }];
    simulator.script.add({ id: 'a', when: {}, rounds: [{ steps }] });
    const reply = postMessages(simulator, messagesBody({ stream: true }));
    await simulator.requests.waitFor((entry) => entry.answer !== undefined);
    expect(simulator.requests.entries[0]?.answer?.ending).toBeUndefined();
    simulator.gates.open('middle');
    expect((await reply).text).toContain('after');
  });

  it('trickle, flood, redirect and send garbage', async () => {
    const plain = (await sendRaw(simulator, rawRequest())).text;
    simulator.faults.add({ fault: { kind: 'trickle', bytes: 100, everyMs: 1 } });
    await sendRaw(simulator, rawRequest());
    const [first, second] = simulator.requests.entries;
    expect(second?.answer?.body).toHaveLength(first?.answer?.body.length ?? -1);
    simulator.faults.add({ fault: { kind: 'flood', bytes: 1_000_000 } });
    expect((await sendRaw(simulator, rawRequest())).text.length).toBeGreaterThan(1_000_000 + plain.length);
    simulator.faults.add({ fault: { kind: 'garbage', body: 'not a stream' } });
    expect((await sendRaw(simulator, rawRequest())).text).toContain('\r\n\r\nnot a stream');
    simulator.faults.add({
      fault: { kind: 'raw', text: 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab', ending: 'end' },
    });
    expect((await sendRaw(simulator, rawRequest())).text).toBe(
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab',
    );
    simulator.faults.add({ fault: { kind: 'redirect', status: 307, location: 'http://127.0.0.1:1/' } });
    expect((await sendRaw(simulator, rawRequest())).text).toMatch(
      /^HTTP\/1\.1 307 [\s\S]*location: http:\/\/127\.0\.0\.1:1\//i,
    );
  });

  it.each(['gzip', 'br', 'deflate'] as const)('encode streams and documents as %s', async (coding) => {
    for (const stream of [true, false]) {
      const plain = await postMessages(simulator, messagesBody({ stream }));
      simulator.faults.add({ fault: { kind: 'encoded', coding } });
      const reply = await postMessages(simulator, messagesBody({ stream }));
      expect(reply.headers.get('content-encoding')).toBe(coding);
      const bare = (text: string) => text.replaceAll(/msg_\w+/g, '');
      expect(bare(reply.text)).toBe(bare(plain.text));
    }
  });

  it('of the script break the round that names them', async () => {
    const fault: Fault = { kind: 'status', status: 500 };
    simulator.script.add({ id: 'a', when: {}, rounds: [{ steps: [{ say: 'x' }], fault }] });
    expect((await postMessages(simulator, messagesBody())).status).toBe(500);
  });
});

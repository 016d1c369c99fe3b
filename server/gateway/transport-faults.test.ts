import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, call } from './testing/call.ts';
import { chunk, SSE, STREAM_HEAD } from './testing/chunked.ts';
import {
  type Face,
  type RecordingTap,
  recordingTap,
  type TestGateway,
  testGateway,
} from './testing/gateway.ts';
import { type RawUpstream, rawClient, rawUpstream, resetNow, type WireRequest } from './testing/raw.ts';

describe.each<Face>(['node', 'web'])('through %s', (face) => {
  let upstream: RawUpstream;
  let gateway: TestGateway;
  let tap: RecordingTap;

  beforeEach(async () => {
    upstream = await rawUpstream();
    tap = recordingTap();
    gateway = await testGateway({ upstream: upstream.url, face, tap });
  });

  afterEach(async () => {
    await gateway.close();
    await upstream.close();
  });

  const post = (body: Uint8Array, headers: readonly string[] = []): Promise<Answer> =>
    call(gateway.url, { path: '/anthropic/v1/messages?beta=true', body, headers });

  /** Starts a raw POST and resolves when the upstream has it. */
  async function started(path = '/anthropic/v1/messages') {
    const arrived = new Promise<WireRequest>((resolve) => {
      const before = upstream.respond;
      upstream.respond = (request) => {
        resolve(request);
        before(request);
      };
    });
    const client = rawClient(
      gateway.port,
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`,
    );
    return { client, request: await arrived };
  }

  describe('faults of the upstream', () => {
    test('a refused connection is an error of the provider’s kind that agents try again', async () => {
      await upstream.close();
      const answer = await post(Buffer.from('{}'));
      expect(answer.status).toBe(502);
      const body = JSON.parse(answer.body.toString());
      expect(body).toMatchObject({ type: 'error', error: { type: 'api_error' } });
      expect(body.request_id).toBe(answer.headers['x-context-mode-request-id']);
      const other = await call(gateway.url, { path: '/openai/v1/responses', body: Buffer.from('{}') });
      expect(JSON.parse(other.body.toString())).toMatchObject({
        error: { type: 'server_error', param: null },
      });
      expect((await tap.ended(2)).map(({ ending, status }) => [ending, status])).toEqual([
        ['upstream_unreachable', null],
        ['upstream_unreachable', null],
      ]);
      upstream = await rawUpstream();
    });

    test.each([
      ['reset', (request: WireRequest) => resetNow(request.socket)],
      ['closed', (request: WireRequest) => request.socket.end()],
      ['answered with garbage', (request: WireRequest) => request.socket.end('\0\0garbage\r\n\r\n')],
    ])('a connection that is %s before the head is a 502', async (_how, respond) => {
      upstream.respond = respond;
      const answer = await post(Buffer.from('{}'));
      expect(answer.status).toBe(502);
      expect((await tap.ended(1))[0]?.ending).toBe('upstream_unreachable');
    });

    test.each([
      ['reset', 'chunks', (request: WireRequest) => resetNow(request.socket)],
      ['closed', 'chunks', (request: WireRequest) => request.socket.end()],
      ['reset', 'length', (request: WireRequest) => resetNow(request.socket)],
      ['closed', 'length', (request: WireRequest) => request.socket.end()],
    ])(
      'an answer that is %s in mid-stream (%s) ends as a fault behind the bytes that came',
      async (_how, framing, cut) => {
        const head =
          framing === 'chunks' ? STREAM_HEAD : `HTTP/1.1 200 OK\r\n${SSE}content-length: 1000\r\n\r\n`;
        upstream.respond = ({ socket }) => {
          socket.write(head);
          socket.write(framing === 'chunks' ? chunk('data: 1\n\n') : 'data: 1\n\n');
        };
        const { client, request } = await started();
        await client.until('data: 1\n\n');
        cut(request);
        await client.ended;
        expect(client.bytes().toString().split('\r\n\r\n').slice(1).join()).not.toMatch(/^0$/m);
        const [answer] = await tap.ended(1);
        expect(answer).toMatchObject({ ending: 'upstream_fault', status: 200, responseBytes: 9 });
      },
    );

    test('an answer without length or chunks that is reset does not look whole', async () => {
      upstream.respond = ({ socket }) => socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\npart');
      const client = rawClient(gateway.port, 'GET /openai/x HTTP/1.0\r\nHost: localhost\r\n\r\n');
      await client.until('part');
      for (const socket of upstream.sockets) resetNow(socket);
      expect(await client.ended).toBe('reset');
    });
  });

  describe('a client that leaves', () => {
    /**
     * Milliseconds from the client's leaving to the end of the upstream's connection: the best of three, since the
     * machine may be busy with something else.
     */
    async function cancelled(leave: (client: Socket) => void, first = ''): Promise<number> {
      let fastest = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const { client, request } = await started();
        if (first !== '') await client.until(first);
        const closed = new Promise<void>((resolve) => request.socket.once('close', () => resolve()));
        const at = performance.now();
        leave(client.socket);
        await closed;
        fastest = Math.min(fastest, performance.now() - at);
      }
      return fastest;
    }

    test.each(['destroy', 'resetAndDestroy', 'end'] as const)(
      'before the head, by %s, ends the upstream call',
      async (how) => {
        upstream.respond = () => undefined;
        expect(await cancelled((client) => client[how]())).toBeLessThan(100);
        for (const answer of await tap.ended(3)) {
          expect(answer).toMatchObject({ ending: 'client_gone', status: null, headMs: null });
        }
      },
    );

    test('in mid-stream ends the upstream call', async () => {
      upstream.respond = ({ socket }) => {
        socket.write(STREAM_HEAD);
        socket.write(chunk('data: 1\n\n'));
      };
      expect(await cancelled((client) => client.destroy(), 'data: 1\n\n')).toBeLessThan(100);
      for (const answer of await tap.ended(3)) {
        expect(answer).toMatchObject({ ending: 'client_gone', status: 200, responseBytes: 9 });
      }
    });

    test('while it does not read ends the upstream call', async () => {
      upstream.respond = ({ socket }) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n');
        socket.write(Buffer.alloc(20_000_000));
      };
      const leave = (client: Socket) => {
        client.pause();
        resetNow(client);
      };
      expect(await cancelled(leave)).toBeLessThan(100);
    });

    test('in the middle of its body causes no upstream call', async () => {
      const client = rawClient(
        gateway.port,
        'POST /anthropic/v1/messages HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{',
      );
      await new Promise((resolve) => client.socket.once('connect', resolve));
      client.socket.destroy();
      await client.ended;
      upstream.respond = ({ socket }) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
      await post(Buffer.from('{}'));
      expect(upstream.requests).toHaveLength(1);
    });
  });
});

import type { Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, call } from './testing/call.ts';
import {
  type Face,
  type RecordingTap,
  recordingTap,
  type TestGateway,
  testGateway,
} from './testing/gateway.ts';
import { type RawUpstream, rawClient, rawUpstream, resetNow, type WireRequest } from './testing/raw.ts';
import { zstdOf } from './testing/zstd.ts';

const SSE = 'content-type: text/event-stream; charset=utf-8\r\n';
const STREAM_HEAD = `HTTP/1.1 200 OK\r\n${SSE}transfer-encoding: chunked\r\n\r\n`;

function chunk(bytes: Uint8Array | string): Buffer {
  const data = Buffer.from(bytes as string);
  return Buffer.concat([Buffer.from(`${data.length.toString(16)}\r\n`), data, Buffer.from('\r\n')]);
}

const LAST_CHUNK = '0\r\n\r\n';

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

  describe('bodies', () => {
    test.each([1, 3, 12, 31])('%i MB pass both ways byte for byte', async (megabytes) => {
      const body = Buffer.alloc(megabytes * 1024 * 1024);
      for (let at = 0; at < body.length; at += 1009) body[at] = at % 251;
      upstream.respond = ({ socket, body: got }) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${got.length}\r\n\r\n`);
        socket.write(got);
      };
      const answer = await post(body);
      expect(upstream.requests[0]?.body.equals(body)).toBe(true);
      expect(answer.body.equals(body)).toBe(true);
    });

    test('33 MB are refused in the provider’s shape and nothing reaches the upstream', async () => {
      const answer = await post(Buffer.alloc(33 * 1024 * 1024));
      expect(answer.status).toBe(413);
      expect(JSON.parse(answer.body.toString())).toMatchObject({
        type: 'error',
        error: { type: 'request_too_large', message: expect.stringContaining('maximum size') },
      });
      const other = await call(gateway.url, {
        path: '/openai/v1/responses',
        body: Buffer.alloc(33 * 1024 * 1024),
      });
      expect(JSON.parse(other.body.toString())).toMatchObject({
        error: { message: expect.any(String), type: 'invalid_request_error', param: null },
      });
      expect(upstream.requests).toHaveLength(0);
    });

    test.each([
      ['numbers beyond 2^53', '{"a":12345678901234567890,"b":1.10,"c":1e0,"d":-0,"e":1E+2}'],
      ['duplicate keys', '{"model":"a","model":"b","messages":[],"messages":[1]}'],
      ['malformed JSON', '{"messages":[{"role":"user","content":"x'],
      ['a lone surrogate escape', '{"a":"\\ud800"}'],
      ['a lone surrogate in bytes', Buffer.from('7b2261223a22eda080227d', 'hex')],
      ['NUL and control characters', '{"a":"\u0000\u0001\u001f"}\0\0'],
      ['needless escapes and spaces', ' {\t"\\u0061" :\r\n "\\/\\u00e9" } '],
      ['deep nesting', '['.repeat(200_000)],
      ['a byte order mark', '\ufeff{}'],
      ['no JSON at all', Buffer.from([0xff, 0xfe, 0, 0x80, 0xc3])],
    ])('%s pass unchanged in both directions', async (_name, text) => {
      const body = Buffer.from(text as string);
      upstream.respond = ({ socket, body: got }) => {
        socket.write(
          `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${got.length}\r\n\r\n`,
        );
        socket.write(got);
      };
      const answer = await post(body);
      expect(upstream.requests[0]?.body.equals(body)).toBe(true);
      expect(answer.body.equals(body)).toBe(true);
      expect(answer.status).toBe(400);
    });
  });

  describe('encodings', () => {
    const events = 'event: message_start\ndata: {"a":"é😀"}\n\n'.repeat(50);
    const codings: [string, (bytes: Buffer) => Promise<Buffer> | Buffer][] = [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
      ['deflate', deflateSync],
      ['deflate', deflateRawSync],
      ['zstd', zstdOf],
    ];
    test.each(codings)(
      '%s streams, plain answers and errors pass still encoded, as do requests',
      async (coding, encode) => {
        const body = await encode(Buffer.from(events));
        const shapes = [
          [200, 'text/event-stream', true],
          [200, 'application/json', false],
          [529, 'application/json', false],
        ] as const;
        for (const [status, type, chunked] of shapes) {
          upstream.respond = ({ socket }) => {
            const length = chunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`;
            socket.write(
              `HTTP/1.1 ${status} X\r\ncontent-type: ${type}\r\ncontent-encoding: ${coding}\r\n${length}\r\n\r\n`,
            );
            socket.write(chunked ? Buffer.concat([chunk(body), Buffer.from(LAST_CHUNK)]) : body);
          };
          const answer = await post(body, [
            'Content-Encoding',
            coding,
            'Accept-Encoding',
            'gzip, br, deflate, zstd',
          ]);
          expect(answer.status).toBe(status);
          expect(answer.headers['content-encoding']).toBe(coding);
          expect(answer.body.equals(body)).toBe(true);
          expect(upstream.requests.at(-1)?.body.equals(body)).toBe(true);
          expect(upstream.requests.at(-1)?.headers.join('\n').toLowerCase()).toContain(
            `content-encoding: ${coding}`,
          );
        }
      },
    );
  });

  describe('streams', () => {
    test('arrive in the pieces in which they leave, cut at every byte of their text', async () => {
      const text = Buffer.from('event: é\r\ndata: {"😀":"\\ud83d"}\r\n\r\n: c\n\ndata: [DONE]\n\n');
      for (let cut = 1; cut < text.length; cut += 1) {
        upstream.respond = ({ socket }) => {
          socket.write(STREAM_HEAD);
          socket.write(chunk(text.subarray(0, cut)));
          setImmediate(() => {
            socket.write(chunk(text.subarray(cut)));
            socket.write(LAST_CHUNK);
          });
        };
        const answer = await post(Buffer.from('{}'));
        expect(answer.body.equals(text)).toBe(true);
      }
    });

    test('an event reaches the client while the upstream is still waiting', async () => {
      upstream.respond = ({ socket }) => {
        socket.write(STREAM_HEAD);
        socket.write(chunk('data: 1\n\n'));
      };
      const { client, request } = await started();
      await client.until('data: 1\n\n');
      request.socket.write(chunk('data: 2\n\n'));
      await client.until('data: 2\n\n');
      request.socket.write(LAST_CHUNK);
      await client.until('0\r\n\r\n');
      client.socket.destroy();
    });

    test('a reader that stops makes the upstream stop, and gets every byte when it goes on', async () => {
      const piece = Buffer.alloc(64 * 1024, 'x');
      const total = 96 * 1024 * 1024;
      let written = 0;
      let stalled: (() => void) | null = null;
      const whenStalled = new Promise<void>((resolve) => {
        stalled = resolve;
      });
      upstream.respond = ({ socket }) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${total}\r\n\r\n`);
        const pump = () => {
          while (written < total) {
            written += piece.length;
            if (!socket.write(piece)) break;
          }
        };
        socket.on('drain', pump);
        pump();
        // Back-pressure has arrived when two looks in a row, with the loop run between, find nothing drained.
        let last = -1;
        const look = setInterval(() => {
          if (written === last) {
            clearInterval(look);
            stalled?.();
          }
          last = written;
        }, 150);
      };
      const client = rawClient(gateway.port, 'GET /openai/x HTTP/1.1\r\nHost: localhost\r\n\r\n');
      client.socket.removeAllListeners('data');
      client.socket.pause();
      await whenStalled;
      expect(written).toBeLessThan(total / 2);
      let got = 0;
      await new Promise<void>((resolve) => {
        client.socket.on('data', (bytes) => {
          got += bytes.length;
          if (got > total) resolve();
        });
        client.socket.resume();
      });
      client.socket.destroy();
      expect(written).toBe(total);
    });
  });

  describe('answers of every kind', () => {
    test('all statuses from 200 to 599 come through with their bodies, where they may have one', async () => {
      for (let status = 200; status < 600; status += 1) {
        const bodiless = status === 204 || status === 304;
        upstream.respond = ({ socket }) =>
          socket.write(
            bodiless
              ? `HTTP/1.1 ${status} R${status}\r\nretry-after: 3\r\n\r\n`
              : `HTTP/1.1 ${status} R${status}\r\nretry-after: 3\r\ncontent-length: 3\r\n\r\nabc`,
          );
        const answer = await post(Buffer.from('{}'));
        expect([answer.status, answer.reason, answer.headers['retry-after']]).toEqual([
          status,
          `R${status}`,
          '3',
        ]);
        const lost = bodiless || (face === 'web' && status === 205);
        expect(answer.body.toString()).toBe(lost ? '' : 'abc');
      }
    });

    test('redirects are answers, not followed', async () => {
      upstream.respond = ({ socket }) =>
        socket.write('HTTP/1.1 307 T\r\nlocation: http://127.0.0.1:1/evil\r\ncontent-length: 0\r\n\r\n');
      const answer = await post(Buffer.from('{}'));
      expect(answer.status).toBe(307);
      expect(answer.headers.location).toBe('http://127.0.0.1:1/evil');
      expect(upstream.requests).toHaveLength(1);
    });

    test('any method passes, with and without a body', async () => {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']) {
        upstream.respond = ({ socket }) =>
          socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n${method === 'HEAD' ? '' : 'body'}`);
        const answer = await call(gateway.url, { method, path: '/openai/v1/files/1' });
        expect(answer.status).toBe(200);
        expect(answer.headers['content-length']).toBe('4');
        expect(answer.body.toString()).toBe(method === 'HEAD' ? '' : 'body');
        expect(upstream.requests.at(-1)?.line).toBe(`${method} /v1/files/1 HTTP/1.1`);
      }
      const deleted = await call(gateway.url, {
        method: 'DELETE',
        path: '/openai/v1/files/1',
        body: Buffer.from('{}'),
      });
      expect(deleted.status).toBe(200);
      expect(upstream.requests.at(-1)?.body.toString()).toBe('{}');
    });

    test('an answer that ends with its connection is whole', async () => {
      upstream.respond = ({ socket }) => socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nto the end');
      const answer = await post(Buffer.from('{}'));
      expect([answer.body.toString(), answer.fault]).toEqual(['to the end', null]);
    });
  });

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

  describe('the recorder', () => {
    test('gets request and answer whole, once each, without any credential', async () => {
      upstream.respond = ({ socket }) => {
        socket.write(
          `HTTP/1.1 200 OK\r\n${SSE}request-id: req_7\r\nset-cookie: s=secret\r\ntransfer-encoding: chunked\r\n\r\n`,
        );
        socket.write(Buffer.concat([chunk('data: 1\n\n'), chunk('data: 2\n\n'), Buffer.from(LAST_CHUNK)]));
      };
      await call(gateway.url, {
        path: '/anthropic/v1/messages?beta=true&api_key=secret',
        headers: [
          ['authorization', 'Bearer secret'],
          ['X-Api-Key', 'secret'],
          ['cookie', 'secret'],
          ['x-context-mode-key', 'secret'],
          ['x-other-token', 'secret'],
          ['x-claude-code-session-id', 'abc'],
        ].flat(),
        body: Buffer.from('{"a":1}'),
      });
      const [answer] = await tap.ended(1);
      const [request] = tap.requests;
      expect(request).toMatchObject({
        door: 'anthropic',
        method: 'POST',
        target: '/v1/messages?beta=true&api_key=***',
      });
      expect(Buffer.from(request?.body ?? []).toString()).toBe('{"a":1}');
      expect(request?.headers).toContainEqual(['x-claude-code-session-id', 'abc']);
      expect(Buffer.concat(answer?.chunks ?? []).toString()).toBe('data: 1\n\ndata: 2\n\n');
      expect(answer).toMatchObject({
        id: request?.id,
        ending: 'complete',
        status: 200,
        providerRequestId: 'req_7',
        contentType: 'text/event-stream; charset=utf-8',
        contentEncoding: '',
        overflow: false,
        responseBytes: 18,
      });
      expect(JSON.stringify([request?.headers, request?.target, answer?.headers])).not.toContain('secret');
      expect(answer?.headMs).toBeLessThanOrEqual(answer?.firstByteMs ?? -1);
      expect(answer?.firstByteMs).toBeLessThanOrEqual(answer?.totalMs ?? -1);
      expect(answer?.ownMs).toBeLessThanOrEqual(answer?.headMs ?? -1);
    });

    test('that throws, or never comes back, changes nothing', async () => {
      const broken = await testGateway({
        upstream: upstream.url,
        face,
        tap: {
          requestReceived: () => {
            throw new Error('broken');
          },
          answerEnded: () => new Promise<void>(() => undefined),
        },
      });
      upstream.respond = ({ socket }) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      const answer = await call(broken.url, { path: '/openai/v1/responses', body: Buffer.from('{}') });
      expect([answer.status, answer.body.toString()]).toEqual([200, 'ok']);
      await broken.close();
    });
  });
});

import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, call } from './testing/call.ts';
import { chunk, LAST_CHUNK, SSE, STREAM_HEAD } from './testing/chunked.ts';
import {
  type Face,
  type RecordingTap,
  recordingTap,
  type TestGateway,
  testGateway,
} from './testing/gateway.ts';
import { type RawUpstream, rawClient, rawUpstream, type WireRequest } from './testing/raw.ts';
import { zstdOf } from './testing/zstd.ts';

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

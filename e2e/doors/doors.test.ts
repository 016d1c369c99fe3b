import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call } from '../../server/gateway/testing/call.ts';
import {
  type RawUpstream,
  rawClient,
  rawUpstream,
  type WireRequest,
} from '../../server/gateway/testing/raw.ts';
import { answerBodies, requestBodies } from '../fuzz/bodies.ts';
import { SERVERS, type StartedProduct, scratchFolder, startProduct } from './testing-product.ts';

const FUZZED = 250;
const SEED = 20261130;
const MEGABYTE = 1024 * 1024;
const DOORS = { anthropic: '/anthropic/v1/messages', openai: '/openai/v1/responses' } as const;
/** Headers of our pages; a provider's answer carries none of them. */
const PAGE_HEADERS = ['content-security-policy', 'x-frame-options', 'permissions-policy', 'set-cookie'];

function answerWith(request: WireRequest, head: string, body: Buffer): void {
  request.socket.write(`HTTP/1.1 ${head}\r\ncontent-length: ${body.length}\r\n\r\n`);
  request.socket.write(body);
}

describe.each(SERVERS)('the doors of the real process (%s)', (server) => {
  const folder = scratchFolder();
  let upstream: RawUpstream;
  let product: StartedProduct;
  let url = '';
  let port = 0;

  beforeAll(async () => {
    upstream = await rawUpstream();
    product = startProduct(server, {
      CONTEXT_MODE_HOME: join(folder.path, 'data'),
      ANTHROPIC_UPSTREAM_URL: upstream.url,
      OPENAI_UPSTREAM_URL: upstream.url,
      CHATGPT_UPSTREAM_URL: `${upstream.url}/backend-api`,
    });
    url = await product.url;
    port = Number(new URL(url).port);
  });
  afterAll(async () => {
    await product?.stop();
    await upstream?.close();
    folder.remove();
  });
  beforeEach(() => {
    upstream.requests.length = 0;
    upstream.respond = (received) => answerWith(received, '200 OK', Buffer.from('{}'));
  });

  test.each(['anthropic', 'openai'] as const)(
    `${FUZZED} made-up bodies of %s pass byte for byte, both ways`,
    async (protocol) => {
      const sample = fc.tuple(requestBodies(protocol), answerBodies);
      const property = fc.asyncProperty(sample, async ([sent, given]) => {
        upstream.requests.length = 0;
        upstream.respond = (received) =>
          answerWith(received, '200 OK\r\ncontent-type: text/event-stream', given);
        const got = await call(url, { path: DOORS[protocol], body: sent });
        expect(upstream.requests[0]?.body.equals(sent)).toBe(true);
        expect(got.body.equals(given)).toBe(true);
      });
      await fc.assert(property, { numRuns: FUZZED, seed: SEED });
    },
  );

  test('an event reaches the client before the next one is sent', async () => {
    upstream.respond = ({ socket }) => {
      socket.write(
        'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
      );
      socket.write('d\r\ndata: first\n\n\r\n');
    };
    const body = '{"stream":true}';
    const client = rawClient(
      port,
      `POST ${DOORS.anthropic} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await client.until('data: first\n\n');
    upstream.requests[0]?.socket.write('e\r\ndata: second\n\n\r\n0\r\n\r\n');
    const whole = (await client.until('\r\n0\r\n\r\n')).toString('latin1');
    expect(whole).toContain('data: second\n\n');
    client.socket.destroy();
  });

  test.each([201, 204, 301, 304, 307, 400, 401, 403, 404, 413, 429, 500, 503, 529])(
    'an answer with status %i comes as it was given, and no redirect is followed',
    async (status) => {
      const bodiless = status === 204 || status === 304;
      const body = Buffer.from(
        bodiless ? '' : '{"type":"error","error":{"message":"the provider\'s words"}}',
      );
      const head = `${status} Its Own Reason\r\nlocation: ${upstream.url}/elsewhere\r\nretry-after: 7\r\nrequest-id: req_1`;
      upstream.respond = ({ socket }) => {
        socket.write(`HTTP/1.1 ${head}\r\n${bodiless ? '' : `content-length: ${body.length}\r\n`}\r\n`);
        socket.write(body);
      };
      const got = await call(url, { path: DOORS.anthropic, body: Buffer.from('{}') });
      expect({ status: got.status, body: got.body.toString() }).toEqual({ status, body: body.toString() });
      expect(got.headers).toMatchObject({ 'retry-after': '7', 'request-id': 'req_1' });
      expect(upstream.requests.length).toBe(1);
    },
  );

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('an answer in %s stays in it', async (coding, compress) => {
    const given = compress(Buffer.from('{"text":"ünïcode"}'.repeat(500)));
    upstream.respond = (received) =>
      answerWith(received, `200 OK\r\ncontent-type: application/json\r\ncontent-encoding: ${coding}`, given);
    const headers = ['Accept-Encoding', 'gzip, br', 'Content-Encoding', coding];
    const got = await call(url, { path: DOORS.openai, headers, body: given });
    expect(got.headers['content-encoding']).toBe(coding);
    expect(got.body.equals(given)).toBe(true);
    expect(upstream.requests[0]?.body.equals(given)).toBe(true);
  });

  test('what is plain text stays plain where the client takes compressed answers', async () => {
    const given = Buffer.from('data: plain\n\n'.repeat(2_000));
    upstream.respond = (received) => answerWith(received, '200 OK\r\ncontent-type: text/event-stream', given);
    const headers = ['Accept-Encoding', 'gzip, br, zstd'];
    const got = await call(url, { path: DOORS.anthropic, headers, body: Buffer.from('{}') });
    expect(got.headers['content-encoding']).toBeUndefined();
    expect(got.body.equals(given)).toBe(true);
  });

  test.each(['before the head', 'in mid-stream'])(
    'a client that leaves %s cancels the upstream call within a second',
    async (stage) => {
      let arrived: (request: WireRequest) => void = () => undefined;
      const received = new Promise<WireRequest>((resolve) => {
        arrived = resolve;
      });
      upstream.respond = (given) => {
        if (stage === 'in mid-stream') {
          given.socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: first\n\n');
        }
        arrived(given);
      };
      const client = rawClient(
        port,
        `POST ${DOORS.openai} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 2\r\n\r\n{}`,
      );
      const { socket } = await received;
      if (stage === 'in mid-stream') await client.until('data: first\n\n');
      const left = performance.now();
      client.socket.destroy();
      await once(socket, 'close');
      expect(performance.now() - left).toBeLessThan(1_000);
    },
  );

  test.each(['GET', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'POST'])(
    '%s passes with its path and query as they were written',
    async (method) => {
      const target = '/v1/files/a%2Fb?beta=true&x=%C3%A9&y=1+2&&z';
      const got = await call(url, { method, path: `/anthropic${target}` });
      expect(upstream.requests.map(({ line }) => line)).toEqual([`${method} ${target} HTTP/1.1`]);
      expect(got.body.toString()).toBe('{}');
    },
  );

  test('HEAD passes to the door itself, where Claude Code begins', async () => {
    upstream.respond = ({ socket }) => socket.write('HTTP/1.1 404 Not Found\r\ncontent-length: 9\r\n\r\n');
    const got = await call(url, { method: 'HEAD', path: '/anthropic' });
    expect(got).toMatchObject({ status: 404, fault: null });
    expect(upstream.requests[0]?.line).toBe('HEAD / HTTP/1.1');
  });

  test.each([12, 31])('%i MB pass both ways byte for byte', async (megabytes) => {
    const body = Buffer.alloc(megabytes * MEGABYTE, '{"content":"0123456789abcdef"}');
    upstream.respond = (received) => answerWith(received, '200 OK\r\ncontent-type: application/json', body);
    const got = await call(url, { path: DOORS.anthropic, body });
    expect(upstream.requests[0]?.body.equals(body)).toBe(true);
    expect(got.body.equals(body)).toBe(true);
  });

  test.each([true, false])(
    'a body above the bound gets a 413 in the provider’s shape (said by its length: %s)',
    async (declared) => {
      const answered = await oversized(port, declared);
      expect(answered.status).toBe(413);
      expect(JSON.parse(answered.body)).toMatchObject({
        type: 'error',
        error: { type: 'request_too_large' },
      });
      expect(upstream.requests.length).toBe(0);
      expect((await call(url, { path: DOORS.anthropic, body: Buffer.from('{}') })).status).toBe(200);
    },
  );

  test.each([
    ['Host', 'evil.example'],
    ['Origin', 'http://evil.example'],
  ])('a foreign %s is refused in the provider’s shape and goes nowhere', async (name, value) => {
    const host = name === 'Host' ? value : `127.0.0.1:${port}`;
    const origin = name === 'Origin' ? `Origin: ${value}\r\n` : '';
    const client = rawClient(
      port,
      `POST ${DOORS.anthropic} HTTP/1.1\r\nHost: ${host}\r\n${origin}Content-Length: 2\r\n\r\n{}`,
    );
    const got = (await client.until('permission_error')).toString('latin1');
    expect(got).toMatch(/^HTTP\/1\.1 403 /);
    expect(upstream.requests.length).toBe(0);
    client.socket.destroy();
  });

  test('an answer carries our request id and no header of our pages; the provider gets nothing of ours', async () => {
    upstream.respond = (received) => answerWith(received, '200 OK\r\nvary: origin', Buffer.from('{}'));
    const got = await call(url, { path: DOORS.openai, body: Buffer.from('{}') });
    expect(got.headers['x-context-mode-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(got.headers.vary).toBe('origin');
    for (const name of PAGE_HEADERS) expect(got.headers).not.toHaveProperty(name);
    const names = upstream.requests[0]?.headers.map((line) => line.split(':', 1)[0]?.toLowerCase());
    expect(names?.filter((name) => /^x-/.test(name ?? ''))).toEqual([]);
  });

  test('an answer that breaks off ends as a fault, never as a clean end', async () => {
    upstream.respond = ({ socket }) => {
      socket.write(
        'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
      );
      socket.write('d\r\ndata: first\n\n\r\n', () => socket.destroy());
    };
    const got = await call(url, { path: DOORS.anthropic, body: Buffer.from('{}') });
    expect(got.body.toString()).toBe('data: first\n\n');
    expect(got.fault).not.toBeNull();
  });

  test('a header of 60 KB passes, as agents send whole documents in one', async () => {
    const value = 'm'.repeat(60_000);
    await call(url, { path: DOORS.openai, headers: ['X-Metadata', value], body: Buffer.from('{}') });
    expect(upstream.requests[0]?.headers).toContain(`X-Metadata: ${value}`);
  });

  test('headers reach the provider in their order, case and number', async () => {
    const headers = ['x-Twice', 'a', 'Accept', '*/*', 'X-Between', '1', 'X-twice', 'b'];
    await call(url, { path: DOORS.openai, headers, body: Buffer.from('{}') });
    const kept = upstream.requests[0]?.headers.filter((line) => /^(x-|accept:)/i.test(line));
    expect(kept).toEqual(['x-Twice: a', 'Accept: */*', 'X-Between: 1', 'X-twice: b']);
  });

  test('a header that comes twice reaches the client twice', async () => {
    const given =
      '200 OK\r\nX-Twice: a\r\nX-Twice: b\r\nset-cookie: a=1; expires=Mon, 1 Jan 2035\r\nset-cookie: b';
    upstream.respond = (received) => answerWith(received, given, Buffer.from('{}'));
    const got = await call(url, { path: DOORS.anthropic, body: Buffer.from('{}') });
    const named = (name: string) => got.rawHeaders.filter((_text, at) => got.rawHeaders[at - 1] === name);
    expect(named('X-Twice')).toEqual(['a', 'b']);
    expect(named('set-cookie')).toEqual(['a=1; expires=Mon, 1 Jan 2035', 'b']);
  });

  if (server === 'own') {
    test('headers reach the client in their order, case and number', async () => {
      upstream.respond = (received) =>
        answerWith(received, '200 OK\r\nx-Twice: a\r\nX-Between: 1\r\nX-twice: b', Buffer.from('{}'));
      const got = await call(url, { path: DOORS.anthropic, body: Buffer.from('{}') });
      expect(got.rawHeaders.slice(0, 6)).toEqual(['x-Twice', 'a', 'X-Between', '1', 'X-twice', 'b']);
    });

    test('an upgrade is refused with 426 and the connection closed', async () => {
      const client = rawClient(
        port,
        `GET ${DOORS.openai} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`,
      );
      await client.ended;
      expect(client.bytes().toString('latin1')).toMatch(/^HTTP\/1\.1 426 [\s\S]*connection: close/);
      expect(upstream.requests.length).toBe(0);
    });
  }
});

/** Sends one megabyte more than the bound and reads the answer, which may come before the last byte has left. */
function oversized(port: number, declared: boolean): Promise<{ status: number; body: string }> {
  const size = 33 * MEGABYTE;
  return new Promise((resolve, reject) => {
    const headers = declared ? { 'content-length': size } : { 'transfer-encoding': 'chunked' };
    const sent = request(
      { port, host: '127.0.0.1', method: 'POST', path: DOORS.anthropic, headers },
      (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (text: string) => {
          body += text;
        });
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
        answer.on('error', reject);
      },
    );
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The connection may be closed behind an answer that has been read.
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
    const piece = Buffer.alloc(MEGABYTE, 'x');
    const write = (left: number): void => {
      if (left === 0) sent.end();
      else sent.write(piece, () => write(left - 1));
    };
    write(size / MEGABYTE);
  });
}

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LocalKey } from '../kernel/local-key.ts';
import { localGuard } from './guard.ts';
import type { Owner } from './owner.ts';
import { refusal } from './refuse.ts';
import { type RecordingTap, recordingTap, type TestGateway, testGateway } from './testing/gateway.ts';
import { type RawUpstream, rawClient, rawUpstream } from './testing/raw.ts';

let upstream: RawUpstream;
let gateway: TestGateway;
let tap: RecordingTap;
let owner: Owner = 'self';

beforeEach(async () => {
  upstream = await rawUpstream();
  tap = recordingTap();
  owner = 'self';
  const guard = localGuard({
    owners: { ownerOf: async () => owner },
    key: 'local-key' as LocalKey,
    console: { makeToken: () => '', spend: () => null, proves: () => false },
    keyNeeded: false,
  });
  gateway = await testGateway({ upstream: upstream.url, tap, guard });
});

afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

/** Sends a raw request and reads the answer's status, headers and JSON body. */
async function answerTo(text: string) {
  const client = rawClient(gateway.port, text);
  await client.until('\r\n\r\n');
  const length = Number(/content-length: (\d+)/i.exec(client.bytes().toString('latin1'))?.[1] ?? 0);
  while (client.bytes().length < client.bytes().indexOf('\r\n\r\n') + 4 + length) {
    await new Promise((resolve) => client.socket.once('data', resolve));
  }
  const [head = '', body = ''] = client.bytes().toString('latin1').split('\r\n\r\n');
  client.socket.destroy();
  const status = Number(head.split(' ')[1]);
  return { status, head, body, json: body.startsWith('{') ? JSON.parse(body) : null };
}

const ANTHROPIC = { type: 'error', error: { type: 'invalid_request_error', message: expect.any(String) } };
const OPENAI = { error: { message: expect.any(String), type: 'invalid_request_error', param: null } };

describe('targets', () => {
  test.each([
    ['http://evil.example/anthropic/v1/messages', 400],
    ['//evil.example/anthropic/v1', 400],
    ['/anthropic//evil.example/v1', 400],
    ['/chatgpt/../../etc', 400],
    ['/chatgpt/%2e%2e/admin', 400],
  ])('%s is refused and reaches no upstream', async (target, status) => {
    const answer = await answerTo(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect(answer.status).toBe(status);
    expect(answer.head).toMatch(/x-context-mode-request-id: /);
    expect(upstream.requests).toHaveLength(0);
  });
});

describe('lengths', () => {
  const post = (door: string, headers: string, body = '{}') =>
    answerTo(`POST /${door}/v1/x HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n${body}`);

  test.each([
    'Content-Length: 2\r\nContent-Length: 3',
    'Content-Length: 2\r\nContent-Length: 2',
    'Content-Length: 2\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: chunked\r\nContent-Length: 2',
    'Transfer-Encoding: gzip, chunked',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding: identity',
    'Content-Length: 2, 2',
    'Content-Length: +2',
    'Content-Length: 0x2',
    'Content-Length: 2\r\nTransfer-Encoding : chunked',
  ])('%j is refused in each provider’s shape and reaches no upstream', async (headers) => {
    const first = await post('anthropic', headers);
    expect(first).toMatchObject({ status: 400, json: ANTHROPIC });
    const second = await post('openai', headers);
    expect(second).toMatchObject({ status: 400, json: OPENAI });
    expect(upstream.requests).toHaveLength(0);
  });

  test('a body that is too large is refused by its length before it is sent', async () => {
    const answer = await post('anthropic', 'Content-Length: 34603008', '{');
    expect(answer.status).toBe(413);
    expect(answer.json).toMatchObject({ type: 'error', error: { type: 'request_too_large' } });
    expect(answer.json.request_id).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a chunked body is refused as soon as it is too large', async () => {
    const piece = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    const answer = await post('openai', 'Transfer-Encoding: chunked', piece.repeat(33));
    expect(answer).toMatchObject({ status: 413, json: OPENAI });
    expect(upstream.requests).toHaveLength(0);
  });

  test('what is no HTTP is refused without a crash', async () => {
    for (const text of [
      '\0\0\0\r\n\r\n',
      'GET\r\n\r\n',
      'GET /anthropic/ HTTP/9.9\r\n\r\n',
      '\x16\x03\x01\x02\r\n\r\n',
    ]) {
      expect((await answerTo(text)).status).toBe(400);
    }
    const large = await answerTo(
      `GET /anthropic/ HTTP/1.1\r\nHost: localhost\r\nx: ${'y'.repeat(200_000)}\r\n\r\n`,
    );
    expect(large.status).toBe(431);
  });
});

describe('expectations', () => {
  const HEAD = 'POST /anthropic/v1/messages HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n';

  test('100-continue is answered once and not passed on', async () => {
    const client = rawClient(gateway.port, `${HEAD}Content-Length: 2\r\n\r\n`);
    await client.until('HTTP/1.1 100 Continue\r\n\r\n');
    client.socket.write('{}');
    await client.until('x-context-mode: pass');
    client.socket.destroy();
    expect(
      client
        .bytes()
        .toString()
        .match(/100 Continue/g),
    ).toHaveLength(1);
    expect(upstream.requests[0]?.body.toString()).toBe('{}');
    expect(upstream.requests[0]?.headers.join()).not.toMatch(/expect/i);
  });

  test('a refusal comes in place of 100-continue', async () => {
    const answer = await answerTo(`${HEAD}Content-Length: 40000000\r\n\r\n`);
    expect(answer.status).toBe(413);
  });

  test('routes that are no doors are asked to continue too', async () => {
    const client = rawClient(
      gateway.port,
      'POST /api/x HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 0\r\n\r\n',
    );
    await client.until('elsewhere');
    client.socket.destroy();
    expect(client.bytes().toString()).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK/);
  });
});

describe('upgrades', () => {
  test.each(['/openai/v1/responses', '/anthropic/x', '/k/key/openai/v1/responses', '/api/live'])(
    'on %s are answered 426 with the connection closed, within 50 ms',
    async (path) => {
      const warm = rawClient(gateway.port, 'GET /api HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await warm.until('elsewhere');
      warm.socket.destroy();
      // The best of three, since the machine may be busy with something else.
      let fastest = Number.POSITIVE_INFINITY;
      let answer = '';
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const at = performance.now();
        const client = rawClient(
          gateway.port,
          `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n`,
        );
        expect(await client.ended).toBe('closed');
        fastest = Math.min(fastest, performance.now() - at);
        answer = client.bytes().toString();
      }
      expect(fastest).toBeLessThan(50);
      expect(answer).toMatch(/^HTTP\/1.1 426 Upgrade Required\r\n/);
      expect(answer).toMatch(/\r\nconnection: close\r\n/);
      expect(upstream.requests).toHaveLength(0);
    },
  );
});

describe('strangers in local mode', () => {
  const get = (path: string, headers: string) => answerTo(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);

  test.each(['localhost', 'localhost:4141', '127.0.0.1', '127.8.9.1:80', '[::1]:4141', 'LOCALHOST'])(
    'the host %s is answered',
    async (host) => {
      expect((await get('/anthropic/', `Host: ${host}`)).status).toBe(200);
      expect((await get('/api', `Host: ${host}\r\nOrigin: http://${host}`)).status).toBe(200);
    },
  );

  test.each([
    'Host: evil.example',
    'Host: localhost.evil.example',
    'Host: 127.0.0.1.evil.example',
    'Host: 0.0.0.0',
    'Host: 10.0.0.1',
    'Host: localhost\r\nHost: localhost',
    'X: no host',
    'Host: localhost\r\nOrigin: https://evil.example',
    'Host: localhost\r\nOrigin: null',
    'Host: localhost:4141\r\nOrigin: http://localhost:3000',
    'Host: localhost\r\nOrigin: https://localhost',
  ])('%j is refused on every route', async (headers) => {
    const door = await get('/anthropic/v1/models', headers);
    expect(door.status).toBe(403);
    expect(door.json).toMatchObject({ type: 'error', error: { type: 'permission_error' } });
    const other = await get('/api', headers);
    expect(other.status).toBe(403);
    expect(other.json).toMatchObject({ error: { code: 'forbidden' } });
    expect(upstream.requests).toHaveLength(0);
    expect(tap.requests).toHaveLength(0);
  });

  test.each<Owner>(['other', 'unknown'])(
    'a connection of user “%s” passes on doors unrecorded and gets nothing else',
    async (whose) => {
      owner = whose;
      expect((await get('/anthropic/v1/models', 'Host: localhost')).status).toBe(200);
      expect((await get('/api', 'Host: localhost')).status).toBe(403);
      expect(upstream.requests).toHaveLength(1);
      expect([tap.requests, tap.answers]).toEqual([[], []]);
    },
  );

  test('the local key stands in for the owner, in a header or in the path', async () => {
    owner = 'unknown';
    expect((await get('/api', 'Host: localhost\r\nX-Context-Mode-Key: local-key')).status).toBe(200);
    expect((await get('/api', 'Host: localhost\r\nX-Context-Mode-Key: other')).status).toBe(403);
    await get('/anthropic/v1/models', 'Host: localhost\r\nX-Context-Mode-Key: local-key');
    await get('/k/local-key/openai/v1/models', 'Host: localhost');
    await get('/k/wrong/openai/v1/models', 'Host: localhost');
    expect((await tap.ended(2)).map(({ door }) => door)).toEqual(['anthropic', 'openai']);
    expect(upstream.requests).toHaveLength(3);
  });

  test('a foreign host or origin is refused by the web face too', async () => {
    const ask = (headers: Record<string, string>) =>
      gateway.gateway.forWeb(new Request('http://localhost/anthropic/v1/models', { headers }));
    expect((await ask({ host: 'localhost:4141' })).status).toBe(200);
    for (const headers of [{ host: 'evil.example' }, { host: 'localhost', origin: 'http://evil.example' }]) {
      const answer = await ask(headers);
      expect(answer.status).toBe(403);
      expect(await answer.json()).toMatchObject({ type: 'error', error: { type: 'permission_error' } });
    }
    expect(upstream.requests).toHaveLength(1);
  });

  test('the owner is recorded', async () => {
    await get('/anthropic/v1/models', 'Host: localhost');
    expect(await tap.ended(1)).toHaveLength(1);
  });
});

describe('shapes', () => {
  test('a 429 always says when to come back', () => {
    const limited = { code: 'rate_limited', reason: 'rate', message: 'slow' } as const;
    for (const door of ['anthropic', 'openai', 'chatgpt', null] as const) {
      expect(refusal(door, 'id', limited).headers.join('\n')).toMatch(/retry-after\n30/);
      expect(refusal(door, 'id', { ...limited, retryAfter: 7 }).headers.join('\n')).toMatch(/retry-after\n7/);
    }
    expect(JSON.parse(refusal('anthropic', 'id', limited).body.toString())).toEqual({
      type: 'error',
      error: { type: 'rate_limit_error', message: 'slow' },
      request_id: 'id',
    });
    expect(JSON.parse(refusal('openai', 'id', limited).body.toString())).toEqual({
      error: { message: 'slow', type: 'rate_limit_error', param: null, code: 'context_mode_rate' },
    });
  });
});

describe('stopping', () => {
  test('waits for streams, then closes', async () => {
    upstream.respond = ({ socket }) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab');
    const client = rawClient(gateway.port, 'GET /openai/x HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await client.until('ab');
    const stopped = gateway.gateway.close();
    expect(gateway.gateway.active).toBe(1);
    for (const socket of upstream.sockets) socket.write('cd');
    await stopped;
    await client.until('abcd');
    client.socket.destroy();
    expect((await tap.ended(1))[0]?.ending).toBe('complete');
  });

  test('breaks off what does not end in time, visibly', async () => {
    upstream.respond = ({ socket }) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab');
    const client = rawClient(gateway.port, 'GET /openai/x HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await client.until('ab');
    await gateway.gateway.close(1);
    await client.ended;
    expect(gateway.gateway.active).toBe(0);
    expect((await tap.ended(1))[0]?.ending).toBe('upstream_fault');
  });
});

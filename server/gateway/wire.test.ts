import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TestGateway, testGateway } from './testing/gateway.ts';
import { type RawUpstream, rawClient, rawUpstream, resetNow } from './testing/raw.ts';

let upstream: RawUpstream;
let gateway: TestGateway;

beforeEach(async () => {
  upstream = await rawUpstream();
  gateway = await testGateway({ upstream: upstream.url });
});

afterEach(async () => {
  await gateway.close();
  await upstream.close();
});

/** Sends a raw request and gives what the upstream read of it. */
async function seenUpstream(text: string | Buffer) {
  const client = rawClient(gateway.port, text);
  await client.until('\r\n\r\n');
  client.socket.destroy();
  const [first] = upstream.requests;
  if (first === undefined)
    throw new Error(`nothing reached the upstream: ${client.bytes().toString('latin1')}`);
  return first;
}

describe('what goes upstream', () => {
  test('headers keep order, case and duplicates; hop-by-hop ones, the host and our own are left out', async () => {
    const seen = await seenUpstream(
      [
        'POST /anthropic/v1/messages?beta=true HTTP/1.1',
        'Host: localhost:1',
        'X-B: 1',
        'anthropic-beta: future-2099',
        'x-a: 2',
        'Connection: keep-alive, X-Hop',
        'X-Hop: gone',
        'Keep-Alive: timeout=4',
        'TE: trailers',
        'Proxy-Authorization: Basic eA==',
        'X-Context-Mode-Key: cmk_secret',
        'Content-Length: 2',
        'anthropic-beta: second-2099',
        'Authorization: Bearer t\xe9',
        'X-B: 3',
        '',
        '{}',
      ].join('\r\n'),
    );
    expect(seen.line).toBe('POST /v1/messages?beta=true HTTP/1.1');
    expect(seen.headers).toEqual([
      `Host: ${upstream.url.slice(7)}`,
      'X-B: 1',
      'anthropic-beta: future-2099',
      'x-a: 2',
      'Content-Length: 2',
      'anthropic-beta: second-2099',
      'Authorization: Bearer t\xe9',
      'X-B: 3',
      'Connection: keep-alive',
    ]);
    expect(seen.body.toString()).toBe('{}');
  });

  test('path and query go on as they came, escapes and odd characters included', async () => {
    const odd = '/v1/a%2Fb/%7Euser/../x/./y?beta=true&q=%C3%A9&e=\'"<>{}|`^~&&=';
    const seen = await seenUpstream(`GET /openai${odd} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    expect(seen.line).toBe(`GET ${odd} HTTP/1.1`);
  });

  test('the key in a path reaches nobody', async () => {
    const seen = await seenUpstream('GET /k/cmk_abc/anthropic/v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(seen.line).toBe('GET /v1/models HTTP/1.1');
    expect(JSON.stringify(seen.headers)).not.toContain('cmk_abc');
  });

  test('a chunked body goes out with its length', async () => {
    const seen = await seenUpstream(
      'POST /openai/v1/responses HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n' +
        '3;ext=1\r\n{"a\r\n4\r\n":1}\r\n0\r\nTrailer-Name: x\r\n\r\n',
    );
    expect(seen.body.toString()).toBe('{"a":1}');
    expect(seen.headers).toContain('Content-Length: 7');
    expect(seen.headers.join()).not.toMatch(/transfer-encoding|trailer/i);
  });

  test('only codings that can be decoded here are asked for, and a list of known ones is left as it is', async () => {
    const ask = (value: string) =>
      `GET /anthropic/ HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: ${value}\r\n\r\n`;
    const known = await seenUpstream(ask('gzip,deflate ;q=0.5,  br, zstd'));
    expect(known.headers).toContain('Accept-Encoding: gzip,deflate ;q=0.5,  br, zstd');
    upstream.requests.length = 0;
    const mixed = await seenUpstream(ask('gzip, dcb, br;q=0.9, compress, *;q=0.1'));
    expect(mixed.headers).toContain('Accept-Encoding: gzip, br;q=0.9');
    upstream.requests.length = 0;
    const none = await seenUpstream(ask('dcz'));
    expect(none.headers).toContain('Accept-Encoding: identity');
  });

  test('the connection is used again for the next request', async () => {
    const first = await seenUpstream('GET /anthropic/a HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const client = rawClient(gateway.port, 'GET /anthropic/b HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await client.until('\r\n\r\n');
    client.socket.destroy();
    expect(first.turn).toBe(1);
    expect(upstream.requests[1]?.turn).toBe(2);
  });
});

describe('what comes back', () => {
  test('status, reason, header order, case and duplicates, and body bytes are the upstream’s', async () => {
    upstream.respond = ({ socket }) =>
      socket.write(
        'HTTP/1.1 529 Site Is Overloaded\r\nretry-after: 7\r\nX-Z: 1\r\nrequest-ID: req_1\r\nx-z: 2\r\n' +
          'Set-Cookie: a=1\r\nSet-Cookie: b=2\r\nKeep-Alive: timeout=9\r\nDate: yesterday\r\nX-Latin: \xe9\r\n' +
          'Connection: keep-alive, X-Drop\r\nX-Drop: 1\r\nContent-Length: 5\r\n\r\nA\0\xff\xfeB',
        'latin1',
      );
    const client = rawClient(gateway.port, 'GET /anthropic/ HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const text = (await client.until('\xfeB')).toString('latin1');
    client.socket.destroy();
    const [head = '', body] = text.split('\r\n\r\n');
    const lines = head.split('\r\n');
    expect(lines.slice(0, 10)).toEqual([
      'HTTP/1.1 529 Site Is Overloaded',
      'retry-after: 7',
      'X-Z: 1',
      'request-ID: req_1',
      'x-z: 2',
      'Set-Cookie: a=1',
      'Set-Cookie: b=2',
      'Date: yesterday',
      'X-Latin: \xe9',
      'Content-Length: 5',
    ]);
    expect(lines[10]).toMatch(/^x-context-mode-request-id: [0-9a-f-]{36}$/);
    expect(lines[11]).toBe('x-context-mode: pass');
    expect(lines.slice(12)).toEqual(['Connection: keep-alive', 'Keep-Alive: timeout=120']);
    expect(body).toBe('A\0\xff\xfeB');
  });

  test('informational answers are read over', async () => {
    upstream.respond = ({ socket }) =>
      socket.write(
        'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nx: y\r\ncontent-length: 2\r\n\r\nok',
      );
    const client = rawClient(gateway.port, 'GET /openai/ HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const text = (await client.until('\r\n\r\nok')).toString();
    client.socket.destroy();
    expect(text.startsWith('HTTP/1.1 200 OK\r\nx: y\r\n')).toBe(true);
  });

  test('trailers behind the last chunk do no harm', async () => {
    upstream.respond = ({ socket }) =>
      socket.write(
        'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n2\r\nok\r\n0\r\nx-sum: 1\r\n\r\n',
      );
    const client = rawClient(gateway.port, 'GET /openai/ HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const text = (await client.until('0\r\n\r\n')).toString();
    client.socket.destroy();
    expect(text.split('\r\n\r\n')[1]).toBe('2\r\nok\r\n0');
  });

  test('an HTTP/1.0 client gets the bytes and the end of the connection', async () => {
    upstream.respond = ({ socket }) =>
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n');
    const client = rawClient(gateway.port, 'GET /openai/ HTTP/1.0\r\nHost: localhost\r\n\r\n');
    expect(await client.ended).toBe('closed');
    expect(client.bytes().toString().split('\r\n\r\n')[1]).toBe('abc');
  });

  test('the head goes out before the first body byte has come', async () => {
    upstream.respond = ({ socket }) =>
      socket.write(
        'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
      );
    const client = rawClient(gateway.port, 'POST /anthropic/v1/messages HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await client.until('x-context-mode: pass');
    client.socket.destroy();
  });
});

describe('pipelined requests', () => {
  const get = (path: string) => `GET /openai/${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

  test('are answered in their order, whichever the upstream answers first', async () => {
    upstream.respond = ({ socket, line }) => {
      const answer = () => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n<${line[5]}>`);
      if (line.includes('/a')) setImmediate(() => setImmediate(answer));
      else answer();
    };
    const client = rawClient(gateway.port, get('a') + get('b'));
    const text = (await client.until('<b>')).toString();
    client.socket.destroy();
    expect(text.indexOf('<a>')).toBeGreaterThan(0);
    expect(text.indexOf('<a>')).toBeLessThan(text.indexOf('<b>'));
  });

  test('are all cancelled when the client leaves', async () => {
    upstream.respond = () => undefined;
    const client = rawClient(gateway.port, get('a') + get('b'));
    while (upstream.sockets.size < 2 || upstream.requests.length < 2) await new Promise(setImmediate);
    const closed = [...upstream.sockets].map(
      (socket) => new Promise((resolve) => socket.once('close', resolve)),
    );
    client.socket.destroy();
    await Promise.all(closed);
    expect(gateway.gateway.active).toBe(0);
  });

  test('whose answer breaks off before its turn break the connection off', async () => {
    let first: (() => void) | null = null;
    upstream.respond = ({ socket, line }) => {
      if (line.includes('/a')) {
        first = () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n<a>');
      } else {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n<', () => resetNow(socket));
        setImmediate(() => setImmediate(() => first?.()));
      }
    };
    const client = rawClient(gateway.port, get('a') + get('b'));
    await client.ended;
    expect(client.bytes().toString()).not.toContain('<b>');
  });
});

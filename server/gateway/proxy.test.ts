import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Proxies } from '../kernel/env.ts';
import { proxyFor } from './proxy.ts';
import { call } from './testing/call.ts';
import { testGateway } from './testing/gateway.ts';
import { portOf, rawUpstream } from './testing/raw.ts';

const PROXY = 'http://proxy.example:3128';

describe('proxyFor', () => {
  const chosen = (address: string, proxies: Partial<Proxies>) =>
    proxyFor(new URL(address), { https: null, http: null, none: null, ...proxies })?.href ?? null;

  test('each scheme has its proxy, and https falls back to that of http', () => {
    expect(chosen('https://a.example', {})).toBeNull();
    expect(chosen('https://a.example', { https: PROXY })).toBe(`${PROXY}/`);
    expect(chosen('https://a.example', { http: PROXY })).toBe(`${PROXY}/`);
    expect(chosen('http://a.example', { https: PROXY })).toBeNull();
  });

  test.each([
    ['*', 'https://a.example', true],
    ['a.example', 'https://a.example', true],
    ['a.example', 'https://b.a.example', true],
    ['.a.example', 'https://b.a.example', true],
    ['*.a.example', 'https://b.a.example', true],
    ['a.example', 'https://xa.example', false],
    ['b.example, a.example', 'https://A.example', true],
    ['a.example:443', 'https://a.example', true],
    ['a.example:8443', 'https://a.example', false],
    ['127.0.0.1', 'http://127.0.0.1:4000', true],
    ['0.0.1', 'http://127.0.0.1:4000', false],
    ['::1', 'http://[::1]:4000', true],
    ['[::1]:4000', 'http://[::1]:4000', true],
    ['', 'https://a.example', false],
  ])('NO_PROXY=%j for %s', (none, address, direct) => {
    expect(chosen(address, { http: PROXY, https: PROXY, none }) === null).toBe(direct);
  });
});

/** A proxy that tunnels, or refuses with a status. */
async function tunnelling(status = 200) {
  const seen: { target: string | undefined; login: string | undefined }[] = [];
  const server = createHttpServer();
  server.on('connect', (request, socket) => {
    seen.push({ target: request.url, login: request.headers['proxy-authorization'] });
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const [host, port] = (request.url ?? '').split(':');
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { seen, address: `127.0.0.1:${portOf(server)}`, close: () => server.close() };
}

describe('calls through a proxy', () => {
  test('are tunnelled, byte for byte, on one kept tunnel, with the login for the proxy alone', async () => {
    const proxy = await tunnelling();
    const upstream = await rawUpstream();
    const proxies = { http: `http://me:p%40ss@${proxy.address}`, https: null, none: null };
    const gateway = await testGateway({ upstream: upstream.url, proxies });
    for (const name of ['a', 'b']) {
      const answer = await call(gateway.url, {
        path: `/openai/${name}`,
        headers: ['X-A', '1', 'x-a', '2'],
        body: Buffer.from('{}'),
      });
      expect(answer.status).toBe(200);
    }
    expect(proxy.seen).toEqual([
      { target: upstream.url.slice(7), login: `Basic ${Buffer.from('me:p@ss').toString('base64')}` },
    ]);
    expect(upstream.requests.map(({ line, turn }) => [line, turn])).toEqual([
      ['POST /a HTTP/1.1', 1],
      ['POST /b HTTP/1.1', 2],
    ]);
    expect(upstream.requests[0]?.headers.slice(0, 3)).toEqual([
      `Host: ${upstream.url.slice(7)}`,
      'X-A: 1',
      'x-a: 2',
    ]);
    expect(upstream.requests[0]?.headers.join()).not.toMatch(/proxy/i);
    await gateway.close();
    await upstream.close();
    proxy.close();
  });

  test('are a 502 where the proxy refuses or is not there', async () => {
    const proxy = await tunnelling(407);
    const upstream = await rawUpstream();
    for (const http of [`http://${proxy.address}`, 'http://127.0.0.1:1']) {
      const gateway = await testGateway({
        upstream: upstream.url,
        proxies: { http, https: null, none: null },
      });
      const answer = await call(gateway.url, { path: '/anthropic/x', body: Buffer.from('{}') });
      expect(answer.status).toBe(502);
      expect(answer.body.toString()).toMatch(/PROXY_407|ECONNREFUSED/);
      await gateway.close();
    }
    expect(upstream.requests).toHaveLength(0);
    await upstream.close();
    proxy.close();
  });

  test('go directly where NO_PROXY says so', async () => {
    const upstream = await rawUpstream();
    const proxies = { http: 'http://127.0.0.1:1', https: null, none: '127.0.0.1' };
    const gateway = await testGateway({ upstream: upstream.url, proxies });
    expect((await call(gateway.url, { path: '/anthropic/x', body: Buffer.from('{}') })).status).toBe(200);
    await gateway.close();
    await upstream.close();
  });
});

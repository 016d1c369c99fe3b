import { expect, test } from 'vitest';
import { foreignReason, isNavigation } from './origin.ts';
import { recordingTap, testGateway } from './testing/gateway.ts';
import { rawClient, rawUpstream } from './testing/raw.ts';

const asks = (headers: Readonly<Record<string, string>>) =>
  Object.entries({ host: '127.0.0.1:4141', ...headers }).flat();

test.each([
  ['a script', {}],
  ['a runtime that says its mode alone', { 'sec-fetch-mode': 'cors' }],
  ['an address that a person typed', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
  ['a link that a person followed', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
  ['a page of ours', { 'sec-fetch-site': 'same-origin', origin: 'http://127.0.0.1:4141' }],
])('%s is not foreign', (_name, headers) => {
  expect(foreignReason(asks(headers))).toBeNull();
});

test.each([
  ['an image on a page of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ['a script tag of another port here', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }],
  ['a fetch of another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
  ['a sandboxed frame', { origin: 'null' }],
])('%s is foreign', (_name, headers) => {
  expect(foreignReason(asks(headers))).toBe('foreign_origin');
});

test('what a browser would show as a page is told', () => {
  expect(isNavigation(asks({ 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' }))).toBe(true);
  expect(isNavigation(asks({ 'sec-fetch-mode': 'cors' }))).toBe(false);
});

test('a door answers no navigation, on neither face', async () => {
  const upstream = await rawUpstream();
  const gateway = await testGateway({ upstream: upstream.url, tap: recordingTap() });
  try {
    const headers = { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'none' };
    const client = rawClient(
      gateway.port,
      'GET /chatgpt/x HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Mode: navigate\r\nConnection: close\r\n\r\n',
    );
    await client.until('\r\n\r\n');
    expect(client.bytes().toString('latin1')).toMatch(/^HTTP\/1\.1 403 /);
    client.socket.destroy();
    const web = await gateway.gateway.forWeb(new Request('http://localhost/chatgpt/x', { headers }));
    expect(web.status).toBe(403);
    expect(upstream.requests).toHaveLength(0);
  } finally {
    await gateway.close();
    await upstream.close();
  }
});

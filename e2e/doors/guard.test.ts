import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call } from '../../server/gateway/testing/call.ts';
import { type RawUpstream, rawClient, rawUpstream } from '../../server/gateway/testing/raw.ts';
import { SERVERS, type StartedProduct, scratchFolder, startProduct } from './testing-product.ts';

const DOOR = '/anthropic/v1/messages';
/** What holds or tells something of a person's archive, beside the doors. */
const PRIVATE = [
  '/',
  '/archive',
  '/settings',
  '/help',
  '/api/v1/sessions',
  '/api/v1/openapi.json',
  '/api/trpc/sessions.list',
  '/healthz',
  '/readyz',
  '/metrics',
];
const PAGES = ['/', '/archive', '/settings', '/help'];
/** Some user that is neither root nor anybody who starts tests. */
const STRANGER = 65_534;
const isRoot = process.getuid?.() === 0;

describe.each(SERVERS)('who may use a process of the product (%s)', (server) => {
  const folder = scratchFolder();
  let upstream: RawUpstream;
  let product: StartedProduct;
  let url = '';

  beforeAll(async () => {
    upstream = await rawUpstream();
    product = startProduct(server, {
      CONTEXT_MODE_HOME: join(folder.path, 'data'),
      ANTHROPIC_UPSTREAM_URL: upstream.url,
      OPENAI_UPSTREAM_URL: upstream.url,
    });
    url = await product.url;
  });
  afterAll(async () => {
    await product?.stop();
    await upstream?.close();
    folder.remove();
  });
  beforeEach(() => {
    upstream.requests.length = 0;
  });

  test.each(PRIVATE)('%s answers its own machine and no foreign name of it', async (path) => {
    expect((await statusOf(url, path, new URL(url).host)) < 500).toBe(true);
    for (const host of ['evil.example', '127.0.0.1.evil.example:4141', 'localhost.evil.example']) {
      expect(await statusOf(url, path, host)).toBe(403);
    }
  });

  test('a call of the API from a foreign page is refused', async () => {
    for (const path of ['/api/v1/sessions', '/api/trpc/sessions.list', '/metrics']) {
      const got = await call(url, { method: 'GET', path, headers: ['Origin', 'http://evil.example'] });
      expect(got.status).toBe(403);
    }
  });

  test.each(PAGES)('the page %s runs no script but its own', async (path) => {
    const got = await call(url, { method: 'GET', path });
    const policy = String(got.headers['content-security-policy']);
    const nonce = /script-src 'nonce-([\w-]{20,})' 'strict-dynamic'(;|$)/.exec(policy)?.[1];
    expect(nonce).toBeDefined();
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    const scripts = got.body.toString().match(/<script\b[^>]*>/g) ?? [];
    expect(scripts.length).toBeGreaterThan(0);
    for (const tag of scripts) expect(tag).toContain(`nonce="${nonce}"`);
    expect(got.headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
  });

  test('what is no page runs nothing at all', async () => {
    const got = await call(url, { method: 'GET', path: '/never/heard/of' });
    expect(got.status).toBe(404);
    expect(got.headers['content-security-policy']).toMatch(/^default-src 'none'/);
    expect(got.headers['content-security-policy']).not.toContain('script-src');
  });

  test.runIf(isRoot)(
    'another user of this machine passes the doors unarchived and gets nothing else',
    async () => {
      const body = '{"model":"m","messages":[{"role":"user","content":"from a stranger"}]}';
      const seen = await asStranger(url, [
        { method: 'POST', path: DOOR, body },
        ...PRIVATE.map((path) => ({ method: 'GET', path })),
      ]);
      expect(seen).toEqual([200, ...PRIVATE.map(() => 403)]);
      expect(upstream.requests.map((request) => request.body.toString())).toEqual([body]);
      expect(await recorded(url)).toBe(0);
      await call(url, { path: DOOR, body: Buffer.from(body) });
      // The owner's own request is archived, which shows that the stranger's would have been seen by now.
      await expect.poll(() => recorded(url), { timeout: 20_000 }).toBe(1);
    },
  );
});

/** The status of a GET under a given `Host`, which clients do not let one choose. */
async function statusOf(url: string, path: string, host: string): Promise<number> {
  const client = rawClient(
    Number(new URL(url).port),
    `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
  );
  await client.ended;
  return Number(/^HTTP\/1\.1 (\d{3}) /.exec(client.bytes().toString('latin1'))?.[1]);
}

/** How many requests the archive holds. */
async function recorded(url: string): Promise<number> {
  const got = await call(url, { method: 'GET', path: '/api/v1/requests' });
  return (JSON.parse(got.body.toString()) as { items: readonly unknown[] }).items.length;
}

/** Statuses of requests that a process of another user makes. */
async function asStranger(
  url: string,
  requests: readonly { method: string; path: string; body?: string }[],
): Promise<readonly number[]> {
  const script = `
    const [url, requests] = JSON.parse(process.argv[1]);
    const seen = [];
    for (const { method, path, body } of requests) seen.push((await fetch(url + path, { method, body })).status);
    console.log(JSON.stringify(seen));
  `;
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', script, JSON.stringify([url, requests])],
    {
      uid: STRANGER,
      gid: STRANGER,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    text += piece;
  });
  await once(child, 'close');
  return JSON.parse(text) as readonly number[];
}

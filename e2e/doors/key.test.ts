import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../../server/gateway/testing/call.ts';
import { type RawUpstream, rawUpstream } from '../../server/gateway/testing/raw.ts';
import { SERVERS, type StartedProduct, scratchFolder, startProduct } from './testing-product.ts';

const REPOSITORY = join(import.meta.dirname, '..', '..');
const PRIVATE = ['/', '/archive', '/api/v1/sessions', '/api/trpc/sessions.list', '/healthz', '/metrics'];
const run = promisify(execFile);

describe.each(SERVERS)('a gateway that cannot tell whose a connection is (%s)', (server) => {
  const folder = scratchFolder();
  const home = join(folder.path, 'data');
  let upstream: RawUpstream;
  let product: StartedProduct;
  let link = '';
  let url = '';
  let key = '';

  beforeAll(async () => {
    upstream = await rawUpstream();
    product = startProduct(server, {
      CONTEXT_MODE_HOME: home,
      CONTEXT_MODE_OWNERS: 'key',
      LOG_LEVEL: 'trace',
      ANTHROPIC_UPSTREAM_URL: upstream.url,
      OPENAI_UPSTREAM_URL: upstream.url,
      CHATGPT_UPSTREAM_URL: upstream.url,
    });
    url = await product.url;
    link = /^Console {2}(\S+)$/m.exec(product.stdout())?.[1] ?? '';
    key = readFileSync(join(home, 'local.key'), 'utf8').trim();
  });
  afterAll(async () => {
    await product?.stop();
    await upstream?.close();
    folder.remove();
  });

  const get = (path: string, headers: readonly string[] = []) => call(url, { method: 'GET', path, headers });
  const withKey = () => ['x-context-mode-key', key];
  const post = (path: string, said: string, headers: readonly string[] = []) =>
    call(url, {
      path,
      headers: ['content-type', 'application/json', ...headers],
      body: Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: said }] })),
    });
  /** Paths of the requests in the archive, newest first. */
  const recorded = async () => {
    const got = await get('/api/v1/requests', withKey());
    return (JSON.parse(got.body.toString()) as { items: { path: string }[] }).items.map(({ path }) => path);
  };

  test('the key is a file of its owner alone, and the start prints a link in place of the address', () => {
    expect(key).toMatch(/^cml_[\w-]{43}$/);
    expect(statSync(join(home, 'local.key')).mode & 0o777).toBe(0o600);
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/open\/[\w-]{43}$/);
    expect(JSON.parse(readFileSync(join(home, 'gateway.json'), 'utf8'))).toMatchObject({ url });
  });

  test.each(PRIVATE)('%s answers a holder of the key alone', async (path) => {
    expect((await get(path)).status).toBe(403);
    expect((await get(path, ['x-context-mode-key', `${key}x`])).status).toBe(403);
    expect((await get(path, ['Cookie', `context-mode-owner-${new URL(url).port}=${key}`])).status).toBe(403);
    expect((await get(path, withKey())).status).not.toBe(403);
  });

  test('doors pass without the key and are recorded with it, in a header or in the path', async () => {
    expect((await post('/anthropic/v1/messages', 'without a key')).status).toBe(200);
    expect((await post(`/k/${key}x/openai/v1/responses`, 'with a wrong key')).status).toBe(200);
    expect((await post('/anthropic/v1/messages', 'with a key', withKey())).status).toBe(200);
    expect((await post(`/k/${key}/openai/v1/responses`, 'with a key')).status).toBe(200);
    expect((await post(`/k/${key}/chatgpt/codex/responses`, 'with a key')).status).toBe(200);
    expect(upstream.requests).toHaveLength(5);
    await expect.poll(async () => (await recorded()).length, { timeout: 20_000 }).toBe(3);
    expect((await recorded()).sort()).toEqual(['/codex/responses', '/v1/messages', '/v1/responses']);
  });

  test('a link of the start opens the console in one browser, once', async () => {
    const path = new URL(link).pathname;
    const opened = await get(path);
    expect(opened.status).toBe(200);
    const cookie = ['Cookie', String(opened.headers['set-cookie']).split(';')[0] ?? ''];
    expect(String(opened.headers['set-cookie'])).toMatch(/; HttpOnly; SameSite=Strict/);
    for (const page of PRIVATE) expect((await get(page, cookie)).status).not.toBe(403);
    expect((await get('/archive', cookie)).status).toBe(200);
    expect((await get(path)).status).toBe(403);
    expect((await get(`/open/${'a'.repeat(43)}`)).status).toBe(403);
  });

  test('the command finds the key and makes another link; without the data folder it gets none', async () => {
    const command = async (args: readonly string[], data: string) => {
      const main = join(REPOSITORY, 'server/cli/bin/context-mode.mjs');
      const env = {
        NODE_ENV: 'test' as const,
        PATH: process.env.PATH,
        HOME: folder.path,
        CONTEXT_MODE_HOME: data,
      };
      const ended = await run(process.execPath, [main, ...args], { env }).catch((error) => error);
      return String(ended.stdout);
    };
    const made = JSON.parse(await command(['open', '--json'], home));
    expect(made).toMatchObject({ ok: true, once: true });
    expect((await get(new URL(made.url).pathname)).status).toBe(200);
    expect(JSON.parse(await command(['status', '--json'], home))).toMatchObject({
      gateway: { keyNeeded: true },
    });
    const refused = await command(['open', '--json', '--gateway', url], join(folder.path, 'none'));
    expect(JSON.parse(refused)).toMatchObject({ ok: false, exitCode: 3 });
  });

  test('broken and refused requests do not tell the key', async () => {
    // Next itself answers two slashes with a redirect to one, before any handler.
    const slashes = server === 'own' ? [`/k/${key}//evil.example/x`, `/k/${key}/openai//evil.example`] : [];
    for (const path of [...slashes, `/k/${key}/api/v1/sessions`, `/k/${key}/nothing`]) {
      const refused = await get(path, withKey());
      expect(refused.status).toBeGreaterThanOrEqual(400);
      const told = JSON.stringify(refused.rawHeaders) + refused.body.toString();
      expect([path, told.includes(key)]).toEqual([path, false]);
    }
  });

  test('the key is in no log, no request to a provider and no file but its own', async () => {
    // What an agent reads from its own settings reaches the archive as content, and is masked there.
    await post('/anthropic/v1/messages', `my settings say x-context-mode-key: ${key}`, withKey());
    await expect.poll(async () => (await recorded()).length, { timeout: 20_000 }).toBe(4);
    const { stdout, stderr } = await product.stop();
    expect(stdout + stderr).not.toContain(key);
    const [asked] = upstream.requests.splice(-1);
    expect(asked?.headers.join('\n')).not.toContain(key);
    for (const { line, headers, body } of upstream.requests)
      expect([line, ...headers, body.toString()].join('\n')).not.toContain(key);
    const files = filesBelow(home);
    // What stood beside the key is there, which shows that the key would be found.
    expect(files.some((file) => readFileSync(file).includes('my settings say'))).toBe(true);
    const holders = files.filter((file) => readFileSync(file).includes(key));
    expect(holders).toEqual([join(home, 'local.key')]);
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

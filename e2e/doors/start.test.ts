import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../../server/gateway/testing/call.ts';
import { portOf, type RawUpstream, rawClient, rawUpstream } from '../../server/gateway/testing/raw.ts';
import {
  type Ended,
  fileIn,
  SERVERS,
  type StartedProduct,
  scratchFolder,
  startProduct,
} from './testing-product.ts';

const DOOR = '/anthropic/v1/messages';
const BODY = Buffer.from('{"model":"m","messages":[{"role":"user","content":"hello"}]}');

describe.each(SERVERS)('a start (%s)', (server) => {
  const folder = scratchFolder();
  const home = join(folder.path, 'data');
  let upstream: RawUpstream;
  let variables: Readonly<Record<string, string>>;
  const started: StartedProduct[] = [];
  const start = (more: Readonly<Record<string, string>> = {}, cwd?: string): StartedProduct => {
    const product = startProduct(server, { ...variables, ...more }, cwd);
    started.push(product);
    return product;
  };

  beforeAll(async () => {
    upstream = await rawUpstream();
    variables = { CONTEXT_MODE_HOME: home, ANTHROPIC_UPSTREAM_URL: upstream.url };
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((product) => product.stop()));
  });
  afterAll(async () => {
    await upstream?.close();
    folder.remove();
  });

  test('says where it is in three lines, ends in order at SIGTERM and has archived what passed', async () => {
    const product = start({}, tmpdir());
    const url = await product.url;
    const written = JSON.parse(await fileIn(home, 'gateway.json', (text) => text.endsWith('\n')));
    expect(written).toMatchObject({ url, pid: product.child.pid });
    // Whose this connection is must be known before a stop closes it; no provider answers as fast as this one.
    await call(url, { method: 'GET', path: '/readyz' });
    await call(url, { path: DOOR, body: BODY });
    const ended = await product.stop();
    expect(ended).toMatchObject({ code: 0, signal: null, stderr: '' });
    const [first, ...rest] = ended.stdout.split('\n');
    expect(first?.startsWith(`Console  ${url}`)).toBe(true);
    expect(rest).toEqual([
      'Connect  npx @context-mode/cli connect',
      `Data     ${home} (nothing leaves this machine but the requests to the provider)`,
      '',
      'Stopping: answers on their way may finish. Again to stop at once.',
      '',
    ]);
    expect(() => readFileSync(join(home, 'gateway.json'))).toThrow('ENOENT');
    const again = start();
    const got = await call(await again.url, { method: 'GET', path: '/api/v1/requests' });
    expect(JSON.parse(got.body.toString()).items).toHaveLength(1);
    await again.stop();
  });

  test('what passes before the database is there is archived as soon as it is', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    // The first start of a data folder makes its database, which takes longest.
    const product = start({ CONTEXT_MODE_HOME: join(folder.path, 'new'), PORT: String(port) });
    const listens = () =>
      call(url, { method: 'GET', path: '/readyz' }).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(listens, { timeout: 60_000, interval: 20 }).not.toBe(0);
    expect((await call(url, { path: DOOR, body: BODY })).status).toBe(200);
    expect(await listens()).toBe(503);
    await product.url;
    const items = async () => {
      const { body } = await call(url, { method: 'GET', path: '/api/v1/requests' });
      return (JSON.parse(body.toString()) as { items: { status: number | null }[] }).items;
    };
    await expect.poll(items, { timeout: 20_000 }).toMatchObject([{ status: 200 }]);
    await product.stop();
  });

  test('a second start on the same data folder is one clear error, and the first goes on', async () => {
    const first = start();
    const url = await first.url;
    const second = await start().ended;
    expectOneError(second, `The data folder ${home} is in use by process ${first.child.pid}.`);
    expect((await call(url, { path: DOOR, body: BODY })).status).toBe(200);
    expect(JSON.parse(readFileSync(join(home, 'gateway.json'), 'utf8'))).toMatchObject({ url });
    await first.stop();
  });

  test('a taken port is one clear error', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const port = portOf(other);
    const ended = await start({ PORT: String(port) }).ended;
    expectOneError(ended, `Port ${port} on 127.0.0.1 is taken by another program.`);
    other.close();
  });

  test('all mistakes of an environment are told at once', async () => {
    const ended = await start({
      PORT: 'none',
      ANTHROPIC_UPSTREAM_URL: 'ftp://x',
      LOG_LEVEL: 'loud',
    }).ended;
    expectOneError(ended, 'The environment has mistakes:');
    for (const name of ['PORT', 'ANTHROPIC_UPSTREAM_URL', 'LOG_LEVEL'])
      expect(ended.stderr).toContain(`${name}:`);
  });

  test('a data folder that cannot be made or an address that others reach is one clear error', async () => {
    const file = join(folder.path, 'file');
    writeFileSync(file, '');
    const under = join(file, 'data');
    const ended = await start({ CONTEXT_MODE_HOME: under }).ended;
    expectOneError(ended, `The data folder ${under} cannot be used (ENOTDIR).`);
    const open = await start({ HOST: '0.0.0.0' }).ended;
    expectOneError(open, 'HOST is 0.0.0.0, which other machines may reach.');
  });

  test('Ctrl-C lets an answer finish, a second one ends at once, and the next start works', async () => {
    upstream.respond = ({ socket }) =>
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: first\n\n');
    const product = start();
    const port = Number(new URL(await product.url).port);
    const client = rawClient(port, `POST ${DOOR} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}`);
    await client.until('data: first\n\n');
    product.child.kill('SIGINT');
    await expect.poll(() => product.stdout(), { timeout: 10_000 }).toContain('Stopping');
    upstream.requests.at(-1)?.socket.write('data: still here\n\n');
    await client.until('data: still here\n\n');
    product.child.kill('SIGINT');
    expect(await product.ended).toMatchObject({ code: 130 });
    await client.ended;
    const next = start();
    await next.url;
    expect(await next.stop()).toMatchObject({ code: 0 });
  });

  test('a start that is told to stop before it is ready ends in order and says nothing of being ready', async () => {
    const product = start();
    // The folder's lock is taken early in a start, the database is ready late.
    await fileIn(home, 'gateway.lock', (text) => text.includes(`"pid":${product.child.pid}`));
    product.child.kill('SIGINT');
    const ended = await product.ended;
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).not.toContain('Console');
    expect(readdirSync(home)).not.toContain('gateway.json');
  });

  test('a process that was killed is recovered from by the next start', async () => {
    const product = start();
    await product.url;
    product.child.kill('SIGKILL');
    await product.ended;
    const next = start();
    expect((await call(await next.url, { method: 'GET', path: '/readyz' })).status).toBe(200);
    expect(await next.stop()).toMatchObject({ code: 0 });
  });
});

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const port = portOf(probe);
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** One message on standard error, no stack, nothing of a start, exit code 1. */
function expectOneError(ended: Ended, message: string): void {
  expect(ended.stderr).toContain(message);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).not.toMatch(/^\s+at /m);
  expect(ended.stderr.split('\n').length).toBeLessThan(8);
}

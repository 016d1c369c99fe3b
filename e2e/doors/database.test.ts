import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../../server/gateway/testing/call.ts';
import { type RawUpstream, rawUpstream } from '../../server/gateway/testing/raw.ts';
import { type OperatorServer, operatorServer } from './testing-postgres.ts';
import { type StartedProduct, scratchFolder, startProduct } from './testing-product.ts';

const BODY = Buffer.from('{"model":"m","messages":[{"role":"user","content":"hello"}]}');
/** What seals the secrets of a database: gateways on one database share one. */
const KEY = '5a'.repeat(32);

describe('DATABASE_URL', () => {
  const folder = scratchFolder();
  const started: StartedProduct[] = [];
  let operator: OperatorServer;
  let upstream: RawUpstream;

  const start = (home: string, address: string): StartedProduct => {
    const product = startProduct('own', {
      CONTEXT_MODE_HOME: join(folder.path, home),
      DATABASE_URL: address,
      ANTHROPIC_UPSTREAM_URL: upstream.url,
    });
    started.push(product);
    return product;
  };

  beforeAll(async () => {
    upstream = await rawUpstream();
    operator = await operatorServer(folder.path);
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((product) => product.stop()));
  });
  afterAll(async () => {
    await operator?.stop();
    await upstream?.close();
    folder.remove();
  });

  test('two gateways that start at one moment on one empty database share its archive; one without their key is told so', async () => {
    await operator.create('shared');
    const address = operator.addressOf('shared');
    for (const home of ['one', 'two']) {
      mkdirSync(join(folder.path, home));
      writeFileSync(join(folder.path, home, 'installation.key'), KEY, { mode: 0o600 });
    }
    const products = [start('one', address), start('two', address)];
    const [one = '', two = ''] = await Promise.all(products.map((product) => product.url));
    await call(one, { path: '/anthropic/v1/messages', body: BODY });
    await expect.poll(() => recorded(two), { timeout: 20_000 }).toBe(1);
    const ends = await Promise.all(products.map((product) => product.stop()));
    expect(ends).toMatchObject([
      { code: 0, stderr: '' },
      { code: 0, stderr: '' },
    ]);
    const stranger = await start('three', address).ended;
    expect(stranger).toMatchObject({ code: 1, stdout: '' });
    expect(stranger.stderr).toContain('does not open with the installation key');
  });

  test.each([
    [
      'a wrong password',
      () => operator.addressOf('postgres', 'canary-word'),
      'password authentication failed',
    ],
    ['a database that is not there', () => operator.addressOf('nowhere'), 'does not exist'],
    ['an address where nobody answers', () => 'postgres://me:canary-word@localhost:9/x', 'ECONNREFUSED'],
    ['a name that nobody has', () => 'postgres://me:canary-word@nowhere.invalid/x', 'nowhere.invalid'],
  ])('%s is one clear error without the password', async (_, address, words) => {
    const { code, stdout, stderr } = await start('fresh', address()).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('The PostgreSQL that DATABASE_URL names cannot be reached.');
    expect(stderr).toContain(words);
    expect(stderr).not.toContain('canary-word');
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('a database that cannot hold every text is one clear error', async () => {
    await operator.create('old', "ENCODING 'LATIN1' LOCALE 'C' LOCALE_PROVIDER libc TEMPLATE template0");
    const { code, stdout, stderr } = await start('fresh', operator.addressOf('old')).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('is encoded in LATIN1');
  });
});

async function recorded(url: string): Promise<number> {
  const got = await call(url, { method: 'GET', path: '/api/v1/requests' });
  return (JSON.parse(got.body.toString()) as { items: readonly unknown[] }).items.length;
}

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ManualClock, manualClock } from '../kernel/clock.ts';
import type { LocalKey } from '../kernel/local-key.ts';
import { systemRandom } from '../kernel/random.ts';
import { type ConsoleProof, createConsoleProof, LINK_MS } from './console-proof.ts';
import { localGuard } from './guard.ts';
import { call } from './testing/call.ts';
import { type TestGateway, testGateway } from './testing/gateway.ts';
import { type RawUpstream, rawUpstream } from './testing/raw.ts';

const KEY = `cml_${'k'.repeat(43)}` as LocalKey;
const OTHER_KEY = `cml_${'o'.repeat(43)}` as LocalKey;
const DAY_MS = 86_400_000;

const headers = (cookie: string | null, host = '127.0.0.1:4141') => [
  ...['Host', host],
  ...(cookie === null ? [] : ['Cookie', `a=b; ${cookie}; c=d`]),
];
/** What a browser keeps and sends of a `Set-Cookie` value. */
const pairOf = (setCookie: string | null) => setCookie?.split(';')[0] ?? '';

describe('createConsoleProof', () => {
  let clock: ManualClock;
  let proof: ConsoleProof;
  beforeEach(() => {
    clock = manualClock(1_800_000_000_000);
    proof = createConsoleProof({ key: KEY, clock, random: systemRandom });
  });

  test('a token is spent once, and what it sets proves the owner to this host alone', () => {
    const token = proof.makeToken();
    expect(token).toMatch(/^[\w-]{43}$/);
    const cookie = proof.spend(token, headers(null));
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(cookie).not.toContain(KEY);
    expect(proof.proves(headers(pairOf(cookie)))).toBe(true);
    expect(proof.proves(headers(pairOf(cookie), '127.0.0.1:4242'))).toBe(false);
    expect(proof.spend(token, headers(null))).toBeNull();
  });

  test('a token is good for ten minutes, whatever the host’s clock does', () => {
    const [one, other] = [proof.makeToken(), proof.makeToken()];
    clock.advance(-DAY_MS);
    clock.advance(LINK_MS - 1);
    expect(proof.spend(one, headers(null))).not.toBeNull();
    clock.advance(1);
    expect(proof.spend(other, headers(null))).toBeNull();
  });

  test('made-up tokens open nothing, and of many links the newest stay', () => {
    const tokens = Array.from({ length: 40 }, () => proof.makeToken());
    for (const text of ['', 'x', tokens[39]?.slice(1) ?? ''])
      expect(proof.spend(text, headers(null))).toBeNull();
    expect(proof.spend(tokens[0] ?? '', headers(null))).toBeNull();
    expect(proof.spend(tokens[39] ?? '', headers(null))).not.toBeNull();
  });

  test('a cookie outlives the process, and ends with its time, with the key, and with any change of it', () => {
    const pair = pairOf(proof.spend(proof.makeToken(), headers(null)));
    const next = (key: LocalKey) => createConsoleProof({ key, clock, random: systemRandom });
    expect(next(KEY).proves(headers(pair))).toBe(true);
    expect(next(OTHER_KEY).proves(headers(pair))).toBe(false);
    const [name = '', value = ''] = pair.split('=');
    const [until = '', mac = ''] = value.split('.');
    for (const forged of ['', `${Number(until) + 1}.${mac}`, `${until}.`, `${until}.${mac}x`, `.${mac}`, KEY])
      expect(proof.proves(headers(`${name}=${forged}`))).toBe(false);
    expect(proof.proves(headers(null))).toBe(false);
    clock.advance(7 * DAY_MS);
    expect(proof.proves(headers(pair))).toBe(false);
  });
});

describe('a gateway that needs its key', () => {
  let upstream: RawUpstream;
  let gateway: TestGateway;
  let proof: ConsoleProof;
  beforeEach(async () => {
    upstream = await rawUpstream();
    proof = createConsoleProof({ key: KEY, clock: manualClock(1_800_000_000_000), random: systemRandom });
    const owners = { ownerOf: () => 'self' as const };
    const guard = localGuard({ owners, key: KEY, console: proof, keyNeeded: true });
    gateway = await testGateway({ upstream: upstream.url, guard, console: proof });
  });
  afterEach(async () => {
    await gateway.close();
    await upstream.close();
  });
  const get = (path: string, more: readonly string[] = []) =>
    call(gateway.url, { method: 'GET', path, headers: [...more] });

  test('asks the system nothing: without the key everything but the doors is refused, and says how to get in', async () => {
    const refused = await get('/api');
    expect(refused.status).toBe(403);
    expect(refused.body.toString()).toContain('npx @context-mode/cli open');
    expect((await get('/api', ['x-context-mode-key', KEY])).status).toBe(200);
    expect((await get('/api', ['x-context-mode-key', OTHER_KEY])).status).toBe(403);
    expect((await get('/anthropic/v1/models')).status).toBe(200);
  });

  test('a link opens the console once, in the browser that opened it', async () => {
    const path = `/open/${proof.makeToken()}`;
    expect((await call(gateway.url, { method: 'HEAD', path })).status).toBe(403);
    expect((await get(path, ['Origin', 'http://evil.example'])).status).toBe(403);
    const opened = await get(path);
    expect(opened.status).toBe(200);
    expect(opened.body.toString()).toContain('url=/"');
    expect(opened.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    const cookie = pairOf(String(opened.headers['set-cookie']));
    expect((await get('/api', ['Cookie', cookie])).status).toBe(200);
    expect((await get(path)).status).toBe(403);
    expect((await get(path)).body.toString()).toContain('npx @context-mode/cli open');
    expect((await get(path, ['Cookie', cookie])).status).toBe(200);
  });

  test('neither key nor cookie leaves for the provider', async () => {
    const cookie = pairOf(proof.spend(proof.makeToken(), ['Host', new URL(gateway.url).host]));
    await get(`/k/${KEY}/openai/v1/models`, ['Cookie', `mine=1; ${cookie}`, 'x-context-mode-key', KEY]);
    await get('/anthropic/v1/models', ['Cookie', cookie]);
    const seen = JSON.stringify(upstream.requests.map(({ line, headers: raw }) => ({ line, raw })));
    expect(seen).toContain('"Cookie: mine=1"');
    expect(seen).not.toContain('context-mode-owner');
    expect(seen).not.toContain(KEY);
  });
});

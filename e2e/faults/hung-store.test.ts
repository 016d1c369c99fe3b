import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../product/eventually.ts';
import { expectWhole, metric } from './archive.ts';
import { times } from './counts.ts';
import { exchange } from './exchange.ts';
import { LONGER_MS, turnLikeDirect } from './likeness.ts';
import { isLinux, type Product } from './product.ts';
import type { Provider } from './provider.ts';
import { Talk } from './talk.ts';
import { type Stage, startStage } from './testing-stage.ts';
import type { OperatorStore } from './testing-store.ts';

/** How long a page or a check may take to say that the store does not answer, in milliseconds. */
const TOLD_MS = 10_000;

/** How late a slow database's answers are, in milliseconds. */
const SLOW_MS = 5_000;

let stage: Stage;
let provider: Provider;
let store: OperatorStore;
let product: Product;

beforeAll(async () => {
  stage = await startStage();
  ({ provider, store, product } = stage);
});
afterAll(() => stage?.end('SIGKILL'));

test('with every store call hung for ever no agent notices, and what came is archived once the store goes on', async () => {
  const talks = ['one', 'two', 'three'].map((name) => new Talk(`hung ${name}`));
  for (const talk of talks) await turnLikeDirect(talk, product, provider);
  store.line.hang();
  for (let turn = 0; turn < 5; turn += 1) {
    for (const talk of talks) await turnLikeDirect(talk, product, provider);
  }
  store.line.resume();
  for (const talk of talks) await expectWhole(product.url, talk);
});

test('with a store that cuts and refuses every connection no agent notices, and all is archived once it is back', async () => {
  const talk = new Talk('cut');
  await turnLikeDirect(talk, product, provider);
  store.line.cut();
  for (let turn = 0; turn < 5; turn += 1) await turnLikeDirect(talk, product, provider);
  store.line.resume();
  await expectWhole(product.url, talk);
});

test('with a database that takes five seconds for each answer no agent notices, and all is archived once, in order', async () => {
  const talks = ['one', 'two'].map((name) => new Talk(`slow ${name}`));
  for (const talk of talks) await turnLikeDirect(talk, product, provider);
  store.line.slow(SLOW_MS);
  for (let turn = 0; turn < 4; turn += 1) {
    for (const talk of talks) await turnLikeDirect(talk, product, provider);
  }
  // Until the product itself has felt it: a check of the database gives up after less.
  await eventually(async () => expect((await fetch(`${product.url}/readyz`)).status).toBe(503));
  for (const talk of talks) await turnLikeDirect(talk, product, provider);
  store.line.slow(0);
  for (const talk of talks) await expectWhole(product.url, talk, 90_000);
  expect(await metric(product.url, 'context_mode_not_archived_total{reason="store_failed"}')).toBe(0);
});

test('a hung store is told of in time: readiness says no, and the interface answers with a fault', async () => {
  store.line.hang();
  const ask = (path: string) =>
    fetch(`${product.url}${path}`, { signal: AbortSignal.timeout(TOLD_MS) }).then((answer) => answer.status);
  const asked = await Promise.all([ask('/readyz'), ask('/readyz'), ask('/healthz'), ask('/readyz')]);
  expect(asked).toEqual([503, 503, 200, 503]);
  store.line.resume();
  await eventually(async () => expect(await ask('/readyz')).toBe(200));
});

test.skipIf(!isLinux || times(0, 1) === 0)(
  'memory stays bounded while the store hangs: what is too much passes unarchived and is counted',
  async () => {
    const bytes = 8 * 1024 * 1024;
    const headers = { 'content-type': 'application/json', 'x-claude-code-session-id': 'large' };
    const before = product.memoryKib();
    store.line.hang();
    const body = Buffer.alloc(bytes, 'x');
    for (let sent = 0; sent < 70; sent += 1) {
      const call = { base: product.anthropic, path: '/v1/messages', headers, body };
      const direct = await exchange({ ...call, base: provider.url });
      const routed = await exchange(call);
      expect(routed.status).toBe(200);
      expect(routed.body.equals(direct.body)).toBe(true);
      expect(routed.ms - direct.ms).toBeLessThan(LONGER_MS);
    }
    expect(await metric(product.url, 'context_mode_not_archived_total{reason="queue_full"}')).toBeGreaterThan(
      0,
    );
    expect(await metric(product.url, 'context_mode_record_queue_bytes')).toBeLessThanOrEqual(
      512 * 1024 * 1024,
    );
    expect(product.memoryKib() - before).toBeLessThan(900 * 1024);
    store.line.resume();
    const talk = new Talk('after the flood');
    await turnLikeDirect(talk, product, provider);
    await expectWhole(product.url, talk);
  },
);

test('a request to stop ends the process though the store hangs', async () => {
  store.line.hang();
  expect(await product.end('SIGTERM')).toBe(0);
});

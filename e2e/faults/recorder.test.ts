import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../product/eventually.ts';
import { expectWhole, metric, type Row } from './archive.ts';
import { exchange } from './exchange.ts';
import { turnLikeDirect } from './likeness.ts';
import { startLoad } from './load.ts';
import { type Product, removeHome, scratchHome, startProduct } from './product.ts';
import { type Provider, startProvider } from './provider.ts';
import { Talk } from './talk.ts';
import { type OperatorStore, operatorStore } from './testing-store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Where the clock jumps under load, in milliseconds from the right time: hours on and back, days, and home again. */
const JUMPS = [6 * HOUR_MS, -2 * HOUR_MS, 3 * DAY_MS, -DAY_MS, 0];

let provider: Provider;
let store: OperatorStore;
let product: Product;
let home: string;
let switches: string;

beforeAll(async () => {
  [provider, store, home] = await Promise.all([startProvider(), operatorStore(), scratchHome()]);
  switches = await mkdtemp(join(tmpdir(), 'context-mode-switches-'));
  product = await startProduct({ home, provider: provider.url, databaseUrl: store.url, switches });
});
afterAll(async () => {
  store?.line.resume();
  await product?.end('SIGTERM');
  await provider?.stop();
  await store?.stop();
  await removeHome(home);
  await rm(switches, { recursive: true, force: true });
});

/** When an id of the seventh kind of UUID was made: its first 48 bits. */
function momentOf(id: string | null): number {
  return Number.parseInt((id ?? '').replaceAll('-', '').slice(0, 12), 16);
}

test('a recorder whose thread dies is started again; what it held is counted, and the next request brings it', async () => {
  const faults = () => metric(product.url, 'context_mode_faults_total{where="recorder"}');
  const lost = () => metric(product.url, 'context_mode_not_archived_total{reason="recorder_failed"}');
  const waiting = () => metric(product.url, 'context_mode_record_queue_bytes');
  const talk = new Talk('recorder');
  for (let death = 1; death <= 2; death += 1) {
    await turnLikeDirect(talk, product, provider);
    await expectWhole(product.url, talk);
    // What is archived may not be settled yet: it would be lost as well.
    await eventually(async () => expect(await waiting()).toBe(0));
    store.line.hang();
    await turnLikeDirect(talk, product, provider);
    const before = await lost();
    await writeFile(join(switches, 'break-recorder'), '');
    await eventually(async () => expect(await faults()).toBe(death));
    expect(await lost()).toBe(before + 2);
    store.line.resume();
    await eventually(async () => {
      await turnLikeDirect(talk, product, provider);
      await expectWhole(product.url, talk, 500);
    });
  }
  await expectWhole(product.url, talk);
});

/** Sets the product's clock and waits until its threads go by it. */
async function setClock(offset: number): Promise<void> {
  await writeFile(join(switches, 'clock'), String(offset));
  const talk = new Talk('what time is it');
  await eventually(async () => {
    const { requestId } = await exchange({
      ...talk.call(product.anthropic),
      path: '/v1/models',
      method: 'GET',
    });
    expect(Math.abs(momentOf(requestId) - Date.now() - offset)).toBeLessThan(HOUR_MS / 2);
  });
}

function expectForward(rows: readonly Row[]): void {
  const moments = rows.map((row) => Date.parse(row.at));
  expect(moments).toEqual([...moments].sort((a, b) => a - b));
}

test('a clock that jumps hours on and back under load changes no order: positions go on, recorded times never run back', async () => {
  const talks = Array.from({ length: 4 }, (_, n) => new Talk(`clock ${n}`));
  const load = startLoad(talks, product.anthropic);
  let turns = 0;
  for (const offset of JUMPS) {
    turns += talks.length * 2;
    await load.reach(turns);
    await setClock(offset);
  }
  await load.reach(turns + talks.length * 2);
  await load.stop();
  const newer = new Talk('clock, newer');
  await turnLikeDirect(newer, product, provider);
  for (const talk of [...talks, newer]) expectForward(await expectWhole(product.url, talk));
  expect(await metric(product.url, 'context_mode_not_archived_total{reason="store_failed"}')).toBe(0);
});

test('a clock that steps back a day changes no order: positions go on, recorded times never run backwards', async () => {
  const talk = new Talk('clock');
  await turnLikeDirect(talk, product, provider);
  await expectWhole(product.url, talk);
  await setClock(-DAY_MS);
  const newer = new Talk('clock, after the step');
  await turnLikeDirect(newer, product, provider);
  for (let turn = 0; turn < 3; turn += 1) await turnLikeDirect(talk, product, provider);
  expectForward(await expectWhole(product.url, talk));
  await expectWhole(product.url, newer);
  expect(await metric(product.url, 'context_mode_not_archived_total{reason="store_failed"}')).toBe(0);
});

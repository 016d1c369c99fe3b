import { setTimeout as moment } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../product/eventually.ts';
import { expectWhole } from './archive.ts';
import { numbers, times } from './counts.ts';
import { exchange } from './exchange.ts';
import { LONGER_MS, turnLikeDirect } from './likeness.ts';
import { type Acknowledged, readAcknowledged, startLoad, watchArchive } from './load.ts';
import {
  isLinux,
  type Product,
  removeHome,
  scratchHome,
  serverProcesses,
  signalAll,
  startProduct,
} from './product.ts';
import { type Provider, startProvider } from './provider.ts';
import { Talk } from './talk.ts';

/** Talks that run at once under load. */
const TALKS = 4;
/** Kills take seconds each, and there are many. */
const KILLS_MS = times(300_000, 1_800_000);
/** Longest wait before a kill, in milliseconds after the load has reached its number of turns. */
const SPREAD_MS = 150;

let provider: Provider;
let product: Product;
let home: string;

beforeAll(async () => {
  provider = await startProvider();
  home = await scratchHome();
  product = await startProduct({ home, provider: provider.url });
});
afterAll(async () => {
  await product?.end('SIGTERM');
  await provider?.stop();
  await removeHome(home);
});

async function restart(): Promise<void> {
  product = await startProduct({ home, provider: provider.url });
}

function expectHeld(held: Acknowledged, now: Acknowledged): void {
  expect(held.size).toBeGreaterThan(0);
  for (const [place, document] of held) expect(now.get(place), place).toBe(document);
}

describe.skipIf(!isLinux)('the embedded database', () => {
  test('stopped before, during and after a request: no agent notices, and all is archived once it goes on', async () => {
    const talk = new Talk('stopped');
    await turnLikeDirect(talk, product, provider);
    talk.type();
    const held = exchange(talk.call(product.anthropic, { 'x-fault': 'held' }));
    await eventually(async () => expect(provider.arrived.at(-1)?.answered).toBe(false));
    const server = await serverProcesses(home);
    signalAll(server, 'SIGSTOP');
    try {
      const released = performance.now();
      provider.release();
      expect((await held).body.includes('message_stop')).toBe(true);
      expect(performance.now() - released).toBeLessThan(LONGER_MS);
      for (let turn = 0; turn < 4; turn += 1) await turnLikeDirect(talk, product, provider);
    } finally {
      signalAll(server, 'SIGCONT');
    }
    await turnLikeDirect(talk, product, provider);
    await expectWhole(product.url, talk);
  });

  test('killed before, during and after a request: no agent notices, and all is archived once it runs again', async () => {
    const talk = new Talk('killed');
    await turnLikeDirect(talk, product, provider);
    talk.type();
    const held = exchange(talk.call(product.anthropic, { 'x-fault': 'held' }));
    await eventually(async () => expect(provider.arrived.at(-1)?.answered).toBe(false));
    signalAll((await serverProcesses(home)).slice(0, 1), 'SIGKILL');
    provider.release();
    expect((await held).body.includes('message_stop')).toBe(true);
    for (let turn = 0; turn < 4; turn += 1) await turnLikeDirect(talk, product, provider);
    await eventually(async () => expect((await fetch(`${product.url}/readyz`)).status).toBe(200), 60_000);
    await turnLikeDirect(talk, product, provider);
    await expectWhole(product.url, talk, 60_000);
  });

  test(
    'killed under load: what was acknowledged stays, and every conversation is archived whole',
    async ({ onTestFailed }) => {
      onTestFailed(() => {
        process.stderr.write(product.output());
      });
      const random = numbers('database killed');
      const talks = Array.from({ length: TALKS }, (_, n) => new Talk(`database ${n}`));
      const held: Acknowledged = new Map();
      const watch = watchArchive(product.url, talks, held);
      const load = startLoad(talks, product.anthropic);
      for (let round = 1; round <= times(20, 60); round += 1) {
        await load.reach(round * TALKS * 3);
        await moment(random() * SPREAD_MS);
        const [server = 0] = await serverProcesses(home);
        signalAll([server], 'SIGKILL');
        await eventually(async () => {
          expect((await serverProcesses(home))[0]).not.toBe(server);
          expect((await fetch(`${product.url}/readyz`)).status).toBe(200);
        }, 60_000);
      }
      await load.stop();
      await watch.stop();
      for (const talk of talks) await expectWhole(product.url, talk, 60_000);
      const now: Acknowledged = new Map();
      await readAcknowledged(product.url, talks, now);
      expectHeld(held, now);
    },
    KILLS_MS,
  );
});

describe.skipIf(!isLinux)('the gateway killed under load', () => {
  test(
    'keeps each acknowledged item once, in order and under its id; the next request repairs the rest',
    async () => {
      const random = numbers('gateway killed');
      const talks = Array.from({ length: TALKS }, (_, n) => new Talk(`gateway ${n}`));
      const held: Acknowledged = new Map();
      for (let round = 0; round < times(20, 100); round += 1) {
        const known = held.size;
        const watch = watchArchive(product.url, talks, held);
        const load = startLoad(talks, product.anthropic);
        await load.reach(TALKS * 2);
        await eventually(async () => expect(held.size).toBeGreaterThan(known));
        await moment(random() * SPREAD_MS);
        // Each fourth time its database goes with it, as when the machine loses power.
        if (round % 4 === 3) signalAll(await serverProcesses(home), 'SIGKILL');
        await product.end('SIGKILL');
        await Promise.all([load.stop(), watch.stop()]);
        await restart();
        const now: Acknowledged = new Map();
        await readAcknowledged(product.url, talks, now);
        expectHeld(held, now);
        for (const talk of talks) await talk.ask(product.anthropic);
        for (const talk of talks) await expectWhole(product.url, talk);
      }
    },
    KILLS_MS,
  );
});

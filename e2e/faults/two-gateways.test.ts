import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectWhole } from './archive.ts';
import { times } from './counts.ts';
import { exchange } from './exchange.ts';
import { type Product, removeHome, scratchHome, startProduct } from './product.ts';
import { type Provider, startProvider } from './provider.ts';
import { Talk } from './talk.ts';
import { type OperatorStore, operatorStore } from './testing-store.ts';

let provider: Provider;
let store: OperatorStore;
let products: readonly Product[] = [];
let homes: readonly string[];

beforeAll(async () => {
  [provider, store, homes] = await Promise.all([
    startProvider(),
    operatorStore(),
    Promise.all([scratchHome(), scratchHome()]),
  ]);
  const [first = '', second = ''] = homes;
  const options = { provider: provider.url, databaseUrl: store.url };
  const one = await startProduct({ ...options, home: first });
  await copyFile(join(first, 'installation.key'), join(second, 'installation.key'));
  products = [one, await startProduct({ ...options, home: second })];
});
afterAll(async () => {
  await Promise.all(products.map((product) => product.end('SIGTERM')));
  await provider?.stop();
  await store?.stop();
  await Promise.all(homes.map(removeHome));
});

test('two gateways that take one conversation in turns, and at once, make one chain: nothing twice, no gap', async () => {
  const talks = Array.from({ length: 3 }, (_, n) => new Talk(`shared ${n}`));
  await Promise.all(
    talks.map(async (talk) => {
      for (let turn = 0; turn < times(10, 60); turn += 1) {
        const bases = products.map((product) => product.anthropic);
        talk.type();
        // The same request through the other gateway at the same time: a retry that overtakes.
        const calls = turn % 3 === 2 ? bases.map((base) => exchange(talk.call(base))) : [];
        await Promise.all(calls);
        await talk.ask(bases[turn % bases.length] ?? '');
      }
    }),
  );
  for (const talk of talks) {
    for (const product of products) await expectWhole(product.url, talk);
  }
  const lines = talks.reduce((sum, talk) => sum + talk.lines.length, 0);
  const [stored] = await store.query('SELECT count(*)::int AS messages FROM message');
  expect(stored?.messages).toBe(lines);
});

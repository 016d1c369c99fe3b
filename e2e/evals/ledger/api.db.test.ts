import { afterAll, beforeAll, expect, test } from 'vitest';
import { handleRest } from '../../../server/api/index.ts';
import { servicesWith } from '../../../server/api/testing.ts';
import type { Database } from '../../../server/db/index.ts';
import { testDatabase } from '../../../server/db/testing.ts';
import { AGENTS, type LedgerWorld, startLedgerWorld } from './testing-stage.ts';

let database: Database;
let world: LedgerWorld;
beforeAll(async () => {
  database = await testDatabase();
  world = await startLedgerWorld(database, { isExact: true, inSteps: true });
  await world.switchOn({ contextLimit: 16_000, keepRecent: 10_000, minGain: 1_000 });
  const [claude] = AGENTS;
  const agent = claude?.make(world.gateway.url);
  await agent?.turn('The code word of the harbour office is HARBOUR-4711.');
  for (let turn = 0; turn < 3; turn += 1) {
    world.wait(20_000);
    await agent?.turn(`task ${turn} rounds=2 lines=150`);
    await world.settled();
  }
});
afterAll(async () => {
  await world.close();
  await database.stop();
});

const rest = (path: string) =>
  handleRest(new Request(`http://127.0.0.1/api/v1${path}`, { headers: { host: '127.0.0.1' } }), {
    ...servicesWith({}),
    accountId: world.accountId,
    ledger: world.ledger,
  });
const json = async (path: string) => (await rest(path)).json();

/** Dollars with nine places as nano-dollars. */
const nano = (dollars: string) => BigInt(dollars.replace('.', ''));
const sum = (amounts: readonly string[]) => amounts.reduce((total, one) => total + nano(one), 0n);

interface Totals {
  readonly actual: string;
  readonly compared: {
    readonly direct: string;
    readonly actual: string;
    readonly lines: readonly { readonly amount: string }[];
  };
}
interface Answer {
  readonly rows: readonly { readonly key: string | null; readonly billed: Totals }[];
  readonly lines: readonly { readonly feature: string; readonly tokens: number; readonly amount: string }[];
  readonly total: { readonly billed: Totals };
}

test('the ledger over REST adds up by every grouping to what the provider charged', async () => {
  const whole = (await json('/ledger')) as Answer;
  expect(nano(whole.total.billed.actual)).toBe(world.charged());
  const { direct, actual } = whole.total.billed.compared;
  expect(nano(direct) + sum(whole.lines.map(({ amount }) => amount))).toBe(nano(actual));
  for (const by of ['session', 'project', 'model', 'day', 'quarter']) {
    const { rows } = (await json(`/ledger?by=${by}&tz=Asia/Kathmandu`)) as Answer;
    expect(rows.length).toBeGreaterThan(0);
    expect(sum(rows.map(({ billed }) => billed.actual)), by).toBe(world.charged());
  }
});

test('its requests are listed page by page, each with its calls, and saved as a table by the same filters', async () => {
  const listed: { id: string; actual: string }[] = [];
  for (let cursor = ''; ; ) {
    const page = (await json(`/ledger/requests?limit=4${cursor}`)) as {
      items: typeof listed;
      next: string | null;
    };
    listed.push(...page.items);
    if (page.next === null) break;
    cursor = `&cursor=${page.next}`;
  }
  expect(sum(listed.map(({ actual }) => actual))).toBe(world.charged());
  const detail = (await json(`/ledger/requests/${listed[0]?.id}`)) as {
    actual: string;
    upstream: { amount: string }[];
  };
  expect(sum(detail.upstream.map(({ amount }) => amount))).toBe(nano(detail.actual));
  const csv = (await (await rest('/export/ledger?format=csv')).text()).trim().split('\r\n');
  const names = csv[0]?.split(',') ?? [];
  const cells = csv.slice(1).map((line) => line.split(','));
  const column = (name: string) => cells.map((row) => row[names.indexOf(name)] ?? '');
  expect(cells.length).toBe(listed.length);
  expect(sum(column('actual'))).toBe(world.charged());
  const lines = ['trimming', 'recall', 'eviction', 'retrieval', 'memory', 'estimate'];
  expect(sum(column('direct')) + lines.reduce((total, name) => total + sum(column(name)), 0n)).toBe(
    world.charged(),
  );
  const none = (await rest('/export/ledger?from=2030-01-01T00:00:00Z')).text();
  expect(await none).toBe('');
});

test('what cannot be asked for is said with what to do', async () => {
  for (const [path, status] of [
    ['/ledger?by=day&tz=Nowhere/At_All', 400],
    ['/ledger?session=none', 400],
    ['/ledger/requests?cursor=none', 400],
    ['/ledger/requests/none', 404],
  ] as const) {
    const answer = await rest(path);
    expect([path, answer.status]).toEqual([path, status]);
    expect(((await answer.json()) as { error: { hint: string } }).error.hint.length).toBeGreaterThan(10);
  }
});

import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createArchiveKeeper, createArchiveReader } from '../archive/index.ts';
import { type Scene, START, scene } from '../archive/store/testing.ts';
import type { Database } from '../db/index.ts';
import { testDatabase } from '../db/testing.ts';
import type { Millis } from '../kernel/clock.ts';
import { newId, type Uuid } from '../kernel/ids.ts';
import { nanoDollars } from '../kernel/money.ts';
import { FEATURES, type Lines } from './arms/lines.ts';
import { createLedgerReader } from './read.ts';
import type { Grouping, LedgerSums, LedgerTotals } from './read-types.ts';
import { createLedgerWriter, type LedgerWriter, type RequestRow } from './store.ts';

let database: Database;
let pool: pg.Pool;
let stage: Scene;
let ledger: LedgerWriter;
let scenes = 0;

beforeAll(async () => {
  database = await testDatabase();
  pool = database.pool;
});
afterAll(() => database.stop());
beforeEach(async () => {
  scenes += 1;
  stage = await scene(pool, `account ${scenes}`);
  ledger = createLedgerWriter(pool);
});

const MINUTE = 60_000;
const KINDS = ['compared', 'compared', 'capped', 'uncompared', 'unpriced'] as const;

/** A row with numbers of its own, so that no two sums are the same by chance. */
function rowAt(n: number, requestId: Uuid, at: Millis): RequestRow {
  const kind = KINDS[n % KINDS.length] ?? 'compared';
  const tokens = {
    input: 3 * n,
    write: 5 * n,
    writeLong: n,
    read: 7_000 + n,
    output: 11 * n,
    reasoning: 2 * n,
  };
  const all = Object.values(tokens).reduce((sum, one) => sum + one, 0);
  const lines = Object.fromEntries(
    FEATURES.map((feature, index) => [
      feature,
      { amount: nanoDollars((index - 3) * 1_000 * (n + 1)), tokens: (index - 2) * n },
    ]),
  ) as unknown as Lines;
  const sum = FEATURES.reduce((total, feature) => total + lines[feature].amount, 0n);
  const tokenSum = FEATURES.reduce((total, feature) => total + lines[feature].tokens, 0);
  const actual = kind === 'unpriced' ? 0n : 1_000_000n + BigInt(n * n);
  const isCompared = kind === 'compared' || kind === 'capped';
  return {
    accountId: stage.accountId,
    requestId,
    at,
    model: `model ${n % 3}`,
    agent: 'claude-code',
    subscription: n % 4 === 3,
    state: n % 7 === 6 ? 'partial' : 'reported',
    tokens,
    searches: n % 2,
    actual,
    comparison: isCompared ? { kind, direct: actual - sum, directTokens: all - tokenSum, lines } : { kind },
    calls: [
      {
        model: `model ${n % 3}`,
        feature: null,
        state: 'reported',
        tokens,
        searches: n % 2,
        amount: kind === 'unpriced' ? null : nanoDollars(actual),
        prices: [],
        unpriced: [],
      },
    ],
  };
}

/** Books so many requests of three sessions and of none, 47 minutes apart. */
async function booked(
  count: number,
): Promise<{ readonly rows: RequestRow[]; readonly sessions: readonly Uuid[] }> {
  const threads = [await stage.open('one'), await stage.open('two'), await stage.open('three'), null];
  const rows: RequestRow[] = [];
  for (let n = 0; n < count; n += 1) {
    const at = (START + n * 47 * MINUTE) as Millis;
    const request = stage.request(threads[n % threads.length] ?? null, {
      id: newId({ now: () => at, monotonic: () => 0 }),
    });
    await stage.writer.saveRequest(request);
    const row = rowAt(n, request.id, at);
    await ledger.book(row);
    rows.push(row);
  }
  return { rows, sessions: threads.flatMap((thread) => thread?.sessionId ?? []) };
}

const BY: readonly Grouping[] = ['session', 'project', 'model', 'day', 'quarter'];
const ZONES = ['UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Asia/Kathmandu', 'Pacific/Auckland'];

/** Every number in sums, by its place. */
function numbersIn(sums: LedgerSums): Record<string, bigint> {
  const numbers: Record<string, bigint> = {};
  const walk = (value: unknown, place: string) => {
    if (typeof value === 'number' || typeof value === 'bigint') numbers[place] = BigInt(value);
    else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) walk(inner, `${place}.${name}`);
  };
  const { billed, subscription } = sums;
  walk({ billed, subscription }, '');
  return numbers;
}

function added(all: readonly LedgerSums[]): Record<string, bigint> {
  const sum: Record<string, bigint> = {};
  for (const one of all)
    for (const [place, number] of Object.entries(numbersIn(one))) sum[place] = (sum[place] ?? 0n) + number;
  return sum;
}

describe('the sums of the ledger', () => {
  test('are those of the leaves at every level, by any grouping and in any zone', async () => {
    const { rows } = await booked(60);
    const reader = createLedgerReader(pool);
    const total = await reader.total(stage.accountId, {});
    const leaves = await reader.requests(stage.accountId, {}, { limit: 1_000, after: null });
    expect(leaves.map(({ id }) => id)).toEqual(rows.map(({ requestId }) => requestId));
    const empty = await reader.total(stage.accountId, { to: START });
    const asSums = leaves.map(
      (leaf): LedgerSums =>
        leaf.subscription
          ? { billed: empty.billed, subscription: totalsOf(leaf) }
          : { billed: totalsOf(leaf), subscription: empty.subscription },
    );
    expect(numbersIn(total)).toEqual(added(asSums));
    const actual = rows.reduce((sum, row) => sum + row.actual, 0n);
    expect(total.billed.actual + total.subscription.actual).toBe(actual);
    for (const by of BY)
      for (const zone of ZONES)
        expect(added(await reader.groups(stage.accountId, by, {}, zone)), `${by} ${zone}`).toEqual(
          numbersIn(total),
        );
    const { direct, lines, actual: compared } = total.billed.compared;
    expect(direct + FEATURES.reduce((sum, feature) => sum + lines[feature].amount, 0n)).toBe(compared);
  });

  test('have each request in the day that it was in, in the zone asked for', async () => {
    const { rows } = await booked(60);
    const reader = createLedgerReader(pool);
    for (const zone of ZONES) {
      const days = new Map<string, number>();
      for (const { at } of rows) {
        const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone }).format(at);
        days.set(day, (days.get(day) ?? 0) + 1);
      }
      const groups = await reader.groups(stage.accountId, 'day', {}, zone);
      const found = groups.map(({ key, billed, subscription }) => [
        key,
        billed.requests + subscription.requests,
      ]);
      expect(found).toEqual([...days].sort());
    }
  });

  test('follow their filters, and a list goes on behind its last row', async () => {
    const { rows, sessions } = await booked(40);
    const reader = createLedgerReader(pool);
    const [first, second] = [
      await reader.total(stage.accountId, { to: rows[20]?.at as Millis }),
      await reader.total(stage.accountId, { from: rows[20]?.at as Millis }),
    ];
    expect(added([first, second])).toEqual(numbersIn(await reader.total(stage.accountId, {})));
    const [one] = sessions;
    if (one === undefined) throw new Error('no session');
    const ofSession = await reader.requests(stage.accountId, { session: one }, { limit: 1_000, after: null });
    expect(ofSession.length).toBe(10);
    const pages: Uuid[] = [];
    for (let after: { at: Millis; id: Uuid } | null = null; ; ) {
      const page = await reader.requests(stage.accountId, { session: one }, { limit: 3, after });
      pages.push(...page.map(({ id }) => id));
      const last = page.at(-1);
      if (last === undefined) break;
      after = { at: last.at, id: last.id };
    }
    expect(pages).toEqual(ofSession.map(({ id }) => id));
    expect(
      (await reader.unpricedModels(stage.accountId)).reduce((sum, { requests }) => sum + requests, 0),
    ).toBe(8);
  });
});

describe('a request is booked', () => {
  test('once, with its calls', async () => {
    const { rows } = await booked(1);
    const [row] = rows;
    if (row === undefined) throw new Error('no row');
    await ledger.book({ ...row, actual: 5n, comparison: { kind: 'uncompared' } });
    const reader = createLedgerReader(pool);
    expect((await reader.total(stage.accountId, {})).billed).toMatchObject({
      requests: 1,
      actual: row.actual,
    });
    expect((await reader.request(stage.accountId, row.requestId))?.calls).toMatchObject([
      { n: 0, feature: null, tokens: row.tokens, amount: row.actual },
    ]);
  });

  test('only where its lines lead from the direct arm to what was paid, to the nano-dollar', async () => {
    const { rows } = await booked(2);
    const [row] = rows;
    if (row === undefined) throw new Error('no row');
    const requestId = newId(stage.clock);
    await expect(ledger.book({ ...row, requestId, actual: row.actual + 1n })).rejects.toThrow(
      'ledger_request_lines',
    );
  });
});

describe('what is deleted', () => {
  test('leaves its sums, and nothing that tells whose they were', async () => {
    const { sessions } = await booked(24);
    const reader = createLedgerReader(pool);
    const archive = createArchiveReader(pool, { clock: stage.clock });
    const before = numbersIn(await reader.total(stage.accountId, {}));
    const [one, ...others] = sessions;
    if (one === undefined) throw new Error('no session');
    expect(await archive.deleteSession(stage.accountId, one, stage.clock.now())).toBe(true);
    expect(numbersIn(await reader.total(stage.accountId, {}))).toEqual(before);
    const groups = await reader.groups(stage.accountId, 'session', {}, 'UTC');
    expect(groups.map(({ key }) => key).toSorted()).toEqual([...others, null].toSorted());
    expect(await reader.requests(stage.accountId, { session: one }, { limit: 10, after: null })).toEqual([]);
    await createArchiveKeeper(pool, { clock: stage.clock }).deleteArchive(stage.accountId, stage.clock.now());
    expect(numbersIn(await reader.total(stage.accountId, {}))).toEqual(before);
    for (const table of ['ledger_request', 'ledger_call']) {
      const left = await pool.query(`SELECT 1 FROM ${table} WHERE account_id = $1`, [stage.accountId]);
      expect(left.rows).toEqual([]);
    }
  });
});

/** A leaf's numbers alone. */
function totalsOf(leaf: LedgerTotals): LedgerTotals {
  const {
    requests,
    calls,
    tokens,
    searches,
    actual,
    compared,
    capped,
    uncompared,
    unpriced,
    estimated,
    partial,
  } = leaf;
  return {
    requests,
    calls,
    tokens,
    searches,
    actual,
    compared,
    capped,
    uncompared,
    unpriced,
    estimated,
    partial,
  };
}

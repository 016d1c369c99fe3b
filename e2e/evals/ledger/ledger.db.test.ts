import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../../server/db/index.ts';
import { testDatabase } from '../../../server/db/testing.ts';
import type { AnsweredRequest } from '../../../server/gateway/booking/booker.ts';
import type { TestAgent } from '../../../server/gateway/compose/testing/clients.ts';
import { FEATURES, type Feature } from '../../../server/ledger/index.ts';
import { AGENTS, type LedgerWorld, startLedgerWorld } from './testing-stage.ts';

let database: Database;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.stop());

type Switches = Parameters<LedgerWorld['switchOn']>[0];

/** How a session is played. */
interface Play {
  readonly switches: Switches;
  readonly isExact?: boolean;
  readonly inSteps?: boolean;
  /** Lines of each output. */
  readonly lines?: number;
  /** A fault that is planted in what the ledger is told. */
  readonly plant?: (request: AnsweredRequest) => AnsweredRequest;
  /** A last turn in which the model reads with our tool. */
  readonly asks?: boolean;
}

/** A session of nine turns; after an hour without one all caches are empty. What was charged and what was booked. */
async function played(make: (base: string) => TestAgent, play: Play) {
  const { switches, isExact = true, inSteps = true, lines = 150, asks = false, plant } = play;
  const world = await startLedgerWorld(database, {
    isExact,
    inSteps,
    ...(plant === undefined ? {} : { plant }),
  });
  try {
    await world.switchOn(switches);
    const agent = make(world.gateway.url);
    await agent.turn('The code word of the harbour office is HARBOUR-4711.');
    for (let turn = 0; turn < 8; turn += 1) {
      world.wait(turn === 3 ? 3_700_000 : 20_000);
      await agent.turn(`task ${turn} rounds=3 lines=${lines}`);
      await world.settled();
    }
    if (asks) expect(await agent.turn('What is the code word of the harbour office?')).toBe('HARBOUR-4711');
    await world.settled();
    expect(world.failures).toEqual([]);
    expect(world.refused()).toEqual([]);
    const { billed } = await world.ledger.total(world.accountId, {});
    const { compared } = billed;
    const lineSum = FEATURES.reduce((sum, feature) => sum + compared.lines[feature].amount, 0n);
    expect(compared.requests).toBe(billed.requests);
    expect(compared.direct + lineSum).toBe(compared.actual);
    expect(billed.actual).toBe(world.charged());
    return { billed, compared, charged: world.charged(), rows: await world.requests() };
  } finally {
    await world.close();
  }
}

/** How far an amount is from another, in parts of it. */
function distance(one: bigint, other: bigint): number {
  return Math.abs(Number(one - other)) / Math.abs(Number(other));
}

const OFF: Switches = { recall: false };
const SMALL: Switches = { contextLimit: 16_000, keepRecent: 10_000, minGain: 1_000, trimming: false };

// Two whole sessions in each test.
describe.each(AGENTS)('the ledger of $name', { timeout: 300_000 }, ({ make }) => {
  test('of requests that pass as they come is exactly what was charged, and so is the direct arm by exact counts', async () => {
    const { compared, charged } = await played(make, { switches: OFF });
    expect(compared.direct).toBe(charged);
    for (const feature of FEATURES) expect(compared.lines[feature]).toEqual({ amount: 0n, tokens: 0 });
  });

  test.each([true, false])(
    'of such requests has a direct arm within 2% by estimated counts (read in steps: %s)',
    async (inSteps) => {
      const { compared, charged } = await played(make, { switches: OFF, isExact: false, inSteps });
      expect(distance(compared.direct, charged)).toBeLessThan(0.02);
    },
  );

  /** A feature's line against the charges of two runs of one script, with the feature and without. */
  const pairs: readonly { readonly feature: Feature; readonly with: Play; readonly without: Play }[] = [
    { feature: 'recall', with: { switches: { ...SMALL, tool: false } }, without: { switches: OFF } },
    { feature: 'retrieval', with: { switches: { trimming: false } }, without: { switches: OFF } },
    {
      feature: 'trimming',
      // After the hour without a turn a layout would be made of what is not trimmed.
      with: { switches: { trimming: true, paused: true }, lines: 900 },
      without: { switches: { trimming: false, paused: true }, lines: 900 },
    },
  ];
  test.each(pairs)(
    'tells of $feature what the provider charges with it and without, within 2%',
    async (pair) => {
      const on = await played(make, pair.with);
      const off = await played(make, pair.without);
      const line = on.compared.lines[pair.feature].amount;
      expect(line).not.toBe(0n);
      expect(distance(line, on.charged - off.charged)).toBeLessThan(0.02);
      expect(distance(on.compared.direct, off.compared.direct)).toBeLessThan(0.02);
    },
  );

  test.each(['laidOut', 'withTool'] as const)(
    'a fault in the body %s shows in the lines beside it',
    async (body) => {
      const feature = body === 'laidOut' ? 'recall' : 'retrieval';
      const pair = pairs.find((one) => one.feature === feature);
      if (pair === undefined) throw new Error(`No runs compare ${feature}.`);
      const on = await played(make, {
        ...pair.with,
        plant: (request) => {
          const { booking } = request;
          if (booking?.forms == null) return request;
          return { ...request, booking: { ...booking, forms: { ...booking.forms, [body]: null } } };
        },
      });
      const off = await played(make, pair.without);
      expect(distance(on.compared.lines[feature].amount, on.charged - off.charged)).toBeGreaterThan(0.02);
    },
  );

  test('of layouts and hidden rounds books every upstream call, and explains what was charged within 2%', async () => {
    const { billed, compared, charged, rows } = await played(make, { switches: SMALL, asks: true });
    expect(rows.filter(({ layoutMade }) => layoutMade !== null).length).toBeGreaterThan(1);
    expect(billed.calls).toBeGreaterThan(billed.requests);
    expect(compared.lines.retrieval.amount).toBeGreaterThan(0n);
    expect(Number(compared.lines.estimate.amount) / Number(charged)).toBeLessThan(0.02);
    expect(Number(compared.lines.estimate.amount) / Number(charged)).toBeGreaterThan(-0.02);
  });
});

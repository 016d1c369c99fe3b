import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../../server/db/index.ts';
import { testDatabase } from '../../../server/db/testing.ts';
import { FEATURES } from '../../../server/ledger/index.ts';
import type { TestAgent } from '../../../server/gateway/compose/testing/clients.ts';
import { AGENTS, type LedgerWorld, startLedgerWorld } from './testing-stage.ts';

let database: Database;
let world: LedgerWorld;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.stop());
afterEach(() => world.close());

/** A person tells a code word, and the agent works on; `limit`: pauses come between where it is null. */
async function session(agent: TestAgent, turns: number): Promise<void> {
  await agent.turn('The code word of the harbour office is HARBOUR-4711.');
  for (let turn = 0; turn < turns; turn += 1) {
    world.wait(turn === 3 ? 3_700_000 : 20_000);
    await agent.turn(`task ${turn} rounds=3 lines=150`);
    await world.settled();
  }
}

/** How far an amount is from another, in parts of it. */
function distance(one: bigint, other: bigint): number {
  return Math.abs(Number(one - other)) / Number(other);
}

const SMALL = { contextLimit: 16_000, keepRecent: 10_000, minGain: 1_000, trimming: false } as const;

describe.each(AGENTS)('the ledger of $name', ({ make }) => {
  test('of requests that pass as they come is exactly what was charged, and so is the direct arm by exact counts', async () => {
    world = await startLedgerWorld(database, true);
    await world.switchOn({ recall: false });
    await session(make(world.gateway.url), 5);
    expect(world.failures).toEqual([]);
    const { billed } = await world.ledger.total(world.accountId, {});
    expect(billed.requests).toBe(world.simulator.requests.entries.length);
    expect(billed.actual).toBe(world.charged());
    expect(billed.compared).toMatchObject({ requests: billed.requests, direct: world.charged() });
    for (const feature of FEATURES) expect(billed.compared.lines[feature]).toEqual({ amount: 0n, tokens: 0 });
  });

  test('of requests that pass as they come has a direct arm within 2% by estimated counts', async () => {
    for (const inSteps of [true, false]) {
      world = await startLedgerWorld(database, false, inSteps);
      await world.switchOn({ recall: false });
      await session(make(world.gateway.url), 8);
      const { billed } = await world.ledger.total(world.accountId, {});
      expect(billed.actual).toBe(world.charged());
      expect(distance(billed.compared.direct, world.charged())).toBeLessThan(0.02);
      if (inSteps) await world.close();
    }
  });

  test('under layouts and hidden rounds books all that was charged, and each line is what the provider charges with and without', async () => {
    const play = async (switches: Parameters<LedgerWorld['switchOn']>[0]) => {
      world = await startLedgerWorld(database, true);
      await world.switchOn(switches);
      const agent = make(world.gateway.url);
      await session(agent, 8);
      if (switches.recall !== false) expect(await agent.turn('What is the code word of the harbour office?')).toBe('HARBOUR-4711');
      await world.settled();
      expect(world.failures).toEqual([]);
      expect(world.refused()).toEqual([]);
      const { billed } = await world.ledger.total(world.accountId, {});
      expect(billed.actual).toBe(world.charged());
      return { billed, charged: world.charged(), rows: await world.requests() };
    };
    const off = await play({ recall: false });
    await world.close();
    const on = await play(SMALL);
    expect(on.rows.filter(({ layoutMade }) => layoutMade !== null).length).toBeGreaterThan(1);
    expect(on.billed.calls).toBeGreaterThan(on.billed.requests);
    console.log(off.charged, on.charged, on.billed.compared, on.rows.at(-1));
  });
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSimulator } from '../../../e2e/simulator/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { ClaudeAgent, CodexAgent, type TestAgent } from './testing/clients.ts';
import { type Counted, countedBy } from './testing/counted.ts';
import { codeWordsModel, run } from './testing/model.ts';
import { startWorld } from './testing/world.ts';

let database: Database;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.stop();
});

const AGENTS = {
  'Claude Code': (base: string) =>
    new ClaudeAgent({ base, model: 'claude-opus-5-5', run, systemMessages: true }),
  Codex: (base: string) => new CodexAgent({ base, model: 'gpt-6.2-sol', run }),
} as const;

/** Turns of four tool rounds: fifty requests; two hundred, and as many under layouts, with `LONG=1`. */
const { LONG } = process.env;
const TURNS = LONG === undefined ? 10 : 40;

async function work(agent: TestAgent, name: string, between: () => Promise<void>): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    await agent.turn(`${name} ${turn} rounds=4 lines=8`);
    await between();
  }
}

/** The share of all prompts that was read from the cache. */
function shareOf(counted: readonly Counted[]): number {
  const sum = (of: keyof Counted) => counted.reduce((total, one) => total + one[of], 0);
  return sum('cached') / sum('prompt');
}

test.each(Object.entries(AGENTS))(
  '%s: as much of the prompt is read from the cache as in a direct run, also under layouts',
  async (_, make) => {
    const simulator = await startSimulator({ seed: 'direct', settings: { binding: 'enforced' } });
    simulator.script.add(codeWordsModel());
    await work(make(simulator.url), 'task', async () => {});
    const direct = countedBy(simulator);
    await simulator.stop();

    const world = await startWorld(database);
    world.simulator.script.add(codeWordsModel());
    await work(make(world.gateway.url), 'task', world.settled);
    const through = countedBy(world.simulator);
    expect(through.length).toBe(direct.length);
    expect(direct.length).toBe(5 * TURNS);
    expect(shareOf(direct)).toBeGreaterThan(0.9);
    expect(shareOf(through) / shareOf(direct)).toBeGreaterThanOrEqual(0.99);

    expect(world.refused()).toEqual([]);
    process.stdout.write(`read from the cache: ${shareOf(direct)} direct, ${shareOf(through)} through us\n`);
    if (LONG === undefined) return world.close();

    // Under layouts: all but the requests that make one, whose prompt is written anew.
    world.simulator.requests.clear();
    world.seen.length = 0;
    await world.switchOn({ contextLimit: 12_000, keepRecent: 10_000, minGain: 1_000 });
    await work(make(world.gateway.url), 'other task', world.settled);
    const laidOut = countedBy(world.simulator).filter((_one, index) => !world.seen[index]?.made);
    expect(laidOut.length).toBeLessThan(200);
    expect(laidOut.length).toBeGreaterThan(150);
    expect(shareOf(laidOut) / shareOf(direct)).toBeGreaterThanOrEqual(0.99);
    expect(world.refused()).toEqual([]);
    await world.close();
    process.stdout.write(`read from the cache under layouts: ${shareOf(laidOut)}\n`);
  },
  300_000,
);

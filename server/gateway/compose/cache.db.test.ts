import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../../e2e/simulator/index.ts';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { ClaudeAgent, CodexAgent, type TestAgent } from './testing/clients.ts';
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

/** Tokens of a request's prompt, and those of them that were read from the cache. */
interface Counted {
  readonly prompt: number;
  readonly cached: number;
}

/** What the provider counted of each request. */
function countedBy(simulator: Simulator): readonly Counted[] {
  return simulator.requests.entries.map(({ usage = {} }) => {
    const number = (value: unknown) => (typeof value === 'number' ? value : 0);
    const details = (usage.input_tokens_details ?? {}) as Record<string, unknown>;
    const read = number(usage.cache_read_input_tokens);
    const written = number(usage.cache_creation_input_tokens);
    return {
      prompt: number(usage.input_tokens) + read + written,
      cached: read + number(details.cached_tokens),
    };
  });
}

/** Forty turns of four tool rounds: two hundred requests. */
async function work(agent: TestAgent, between: () => Promise<void>): Promise<void> {
  for (let turn = 0; turn < 40; turn += 1) {
    await agent.turn(`task ${turn} rounds=4 lines=8`);
    await between();
  }
}

/** The share of all prompts that was read from the cache. */
function shareOf(counted: readonly Counted[]): number {
  const sum = (of: keyof Counted) => counted.reduce((total, one) => total + one[of], 0);
  return sum('cached') / sum('prompt');
}

test.each(Object.entries(AGENTS))(
  '%s: of two hundred requests as much of the prompt is read from the cache as in a direct run, also under layouts',
  async (_, make) => {
    const simulator = await startSimulator({ seed: 'direct', settings: { binding: 'enforced' } });
    simulator.script.add(codeWordsModel());
    await work(make(simulator.url), async () => {});
    const direct = countedBy(simulator);
    await simulator.stop();

    const world = await startWorld(database);
    world.simulator.script.add(codeWordsModel());
    await work(make(world.gateway.url), world.settled);
    const through = countedBy(world.simulator);
    expect(through.length).toBe(direct.length);
    expect(direct.length).toBe(200);
    expect(shareOf(direct)).toBeGreaterThan(0.9);
    expect(shareOf(through) / shareOf(direct)).toBeGreaterThanOrEqual(0.99);

    // Under layouts: all but the requests that make one, whose prompt is written anew.
    world.simulator.requests.clear();
    world.seen.length = 0;
    await world.switchOn({ contextLimit: 12_000, keepRecent: 10_000, minGain: 1_000 });
    await work(make(world.gateway.url), world.settled);
    const laidOut = countedBy(world.simulator).filter((_one, index) => !world.seen[index]?.made);
    expect(laidOut.length).toBeLessThan(200);
    expect(laidOut.length).toBeGreaterThan(150);
    expect(shareOf(laidOut) / shareOf(direct)).toBeGreaterThanOrEqual(0.99);
    expect(world.refused()).toEqual([]);
    await world.close();
    process.stdout.write(
      `cache: direct ${shareOf(direct).toFixed(4)} through ${shareOf(through).toFixed(4)} under layouts ${shareOf(laidOut).toFixed(4)}\n`,
    );
  },
  300_000,
);

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { ClaudeAgent, CodexAgent, type TestAgent } from './testing/clients.ts';
import { codeWordsModel, run } from './testing/model.ts';
import { startWorld, type World } from './testing/world.ts';

let database: Database;
let world: World;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.stop();
});
beforeEach(async () => {
  world = await startWorld(database);
  world.simulator.script.add(codeWordsModel());
});
afterEach(async () => {
  await world.close();
});

const agents: readonly { readonly name: string; readonly make: (base: string) => TestAgent }[] = [
  {
    name: 'Claude Code',
    make: (base) => new ClaudeAgent({ base, model: 'claude-opus-5-5', run, systemMessages: true }),
  },
  { name: 'Codex', make: (base) => new CodexAgent({ base, model: 'gpt-6.2-sol', run }) },
];

/** From so many bytes on a conversation is long. */
const LONG_BYTES = 128 * 1024;
/** Lines of a result that make a conversation long in a few rounds. */
const LINES = 1_200;
const LIMITS = { contextLimit: 45_000, keepRecent: 20_000, minGain: 1_000 } as const;

const layouts = () => world.seen.map((seen) => seen?.layout ?? null);
const newest = () => world.simulator.requests.entries.at(-1)?.body ?? Buffer.alloc(0);
const size = (agent: TestAgent) => Buffer.byteLength(JSON.stringify(agent.history()));

/** A conversation that is long before it comes to the gateway. */
async function elsewhere(agent: TestAgent): Promise<void> {
  agent.moveTo(world.simulator.url);
  for (let turn = 0; size(agent) <= LONG_BYTES; turn += 1)
    await agent.turn(`elsewhere ${turn} rounds=1 lines=${LINES}`);
  agent.moveTo(world.gateway.url);
}

describe.each(agents)('a long conversation that is new to the process, $name', ({ make }) => {
  test('goes out byte for byte as it came where nothing of ours stands in it, and the next request goes on from it', async () => {
    const agent = make(world.gateway.url);
    await elsewhere(agent);
    await agent.turn('here rounds=0');
    const through = newest();
    await agent.resend(world.simulator.url);
    expect(through.equals(newest())).toBe(true);
    expect(newest().includes('context-mode-search')).toBe(false);
    await world.settled();
    await world.switchOn(LIMITS);
    await agent.turn(`on rounds=1 lines=${LINES}`);
    await world.settled();
    await agent.turn('and on rounds=0');
    expect(layouts().at(-1)).not.toBeNull();
    expect(world.refused()).toEqual([]);
  });

  test('has its layout again after a restart, though it began elsewhere, and so has its fork', async () => {
    const agent = make(world.gateway.url);
    await elsewhere(agent);
    await world.switchOn(LIMITS);
    await agent.turn('here rounds=0');
    await world.settled();
    await agent.turn(`on rounds=1 lines=${LINES}`);
    await world.settled();
    await agent.turn('and on rounds=0');
    const layout = layouts().at(-1);
    expect(layout).not.toBeNull();
    const fork = agent.fork();
    world.restart();
    await agent.turn('after a restart rounds=0');
    expect(layouts().at(-1)).toBe(layout);
    world.restart();
    await fork.turn('in a fork rounds=0');
    expect(layouts().at(-1)).toBe(layout);
    expect(world.refused()).toEqual([]);
  });

  test('has tool and hidden rounds again after a restart where it began here', async () => {
    const agent = make(world.gateway.url);
    for (let turn = 0; size(agent) <= LONG_BYTES; turn += 1)
      await agent.turn(`task ${turn} rounds=1 lines=${LINES}`);
    await world.settled();
    world.restart();
    await agent.turn('after a restart rounds=0');
    expect(newest().includes('context-mode-search')).toBe(true);
    expect(world.refused()).toEqual([]);
  });

  test('that the provider refuses as too large is sent once more under a layout, as soon as it is read', async () => {
    const agent = make(world.gateway.url);
    await elsewhere(agent);
    await agent.turn('here rounds=0');
    await world.settled();
    world.restart();
    world.simulator.settings.windows = { '*': 20_000 };
    await agent.turn('again rounds=0');
    expect(world.refused()).toHaveLength(1);
    expect(newest().length).toBeLessThan(LONG_BYTES);
    expect(newest().includes('context-mode-search')).toBe(true);
    await agent.turn('and on rounds=0');
    expect(layouts().at(-1)).not.toBeNull();
    expect(world.refused()).toHaveLength(1);
  });
});

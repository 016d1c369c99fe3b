import { describe, expect, test } from 'vitest';
import type { TestAgent } from './testing/clients.ts';
import { agentsOfBoth, worldOfFile } from './testing/stage.ts';

const stage = worldOfFile();

const agents = agentsOfBoth();

/** From so many bytes on a conversation is long. */
const LONG_BYTES = 128 * 1024;
/** Lines of a result that make a conversation long in a few rounds. */
const LINES = 1_200;
const LIMITS = { contextLimit: 45_000, keepRecent: 20_000, minGain: 1_000 } as const;

const layouts = () => stage.world.seen.map((seen) => seen?.layout ?? null);
const newest = () => stage.world.simulator.requests.entries.at(-1)?.body ?? Buffer.alloc(0);
const size = (agent: TestAgent) => Buffer.byteLength(JSON.stringify(agent.history()));

/** A conversation that is long before it comes to the gateway. */
async function elsewhere(agent: TestAgent): Promise<void> {
  agent.moveTo(stage.world.simulator.url);
  for (let turn = 0; size(agent) <= LONG_BYTES; turn += 1)
    await agent.turn(`elsewhere ${turn} rounds=1 lines=${LINES}`);
  agent.moveTo(stage.world.gateway.url);
}

describe.each(agents)('a long conversation that is new to the process, $name', ({ make }) => {
  test('goes out byte for byte as it came where nothing of ours stands in it, and the next request goes on from it', async () => {
    const agent = make(stage.world.gateway.url);
    await elsewhere(agent);
    await agent.turn('here rounds=0');
    const through = newest();
    await agent.resend(stage.world.simulator.url);
    expect(through.equals(newest())).toBe(true);
    expect(newest().includes('context-mode-search')).toBe(false);
    await stage.world.settled();
    await stage.world.switchOn(LIMITS);
    await agent.turn(`on rounds=1 lines=${LINES}`);
    await stage.world.settled();
    await agent.turn('and on rounds=0');
    expect(layouts().at(-1)).not.toBeNull();
    expect(stage.world.refused()).toEqual([]);
  });

  test('has its layout again after a restart, though it began elsewhere, and so has its fork', async () => {
    const agent = make(stage.world.gateway.url);
    await elsewhere(agent);
    await stage.world.switchOn(LIMITS);
    await agent.turn('here rounds=0');
    await stage.world.settled();
    await agent.turn(`on rounds=1 lines=${LINES}`);
    await stage.world.settled();
    await agent.turn('and on rounds=0');
    const layout = layouts().at(-1);
    expect(layout).not.toBeNull();
    const fork = agent.fork();
    stage.world.restart();
    await agent.turn('after a restart rounds=0');
    expect(layouts().at(-1)).toBe(layout);
    stage.world.restart();
    await fork.turn('in a fork rounds=0');
    expect(layouts().at(-1)).toBe(layout);
    expect(stage.world.refused()).toEqual([]);
  });

  test('has tool and hidden rounds again after a restart where it began here', async () => {
    const agent = make(stage.world.gateway.url);
    for (let turn = 0; size(agent) <= LONG_BYTES; turn += 1)
      await agent.turn(`task ${turn} rounds=1 lines=${LINES}`);
    await stage.world.settled();
    stage.world.restart();
    await agent.turn('after a restart rounds=0');
    expect(newest().includes('context-mode-search')).toBe(true);
    expect(stage.world.refused()).toEqual([]);
  });

  test('that the provider refuses as too large is sent once more under a layout, as soon as it is read', async () => {
    const agent = make(stage.world.gateway.url);
    await elsewhere(agent);
    await agent.turn('here rounds=0');
    await stage.world.settled();
    stage.world.restart();
    stage.world.simulator.settings.windows = { '*': 20_000 };
    await agent.turn('again rounds=0');
    expect(stage.world.refused()).toHaveLength(1);
    expect(newest().length).toBeLessThan(LONG_BYTES);
    expect(newest().includes('context-mode-search')).toBe(true);
    await agent.turn('and on rounds=0');
    expect(layouts().at(-1)).not.toBeNull();
    expect(stage.world.refused()).toHaveLength(1);
  });
});

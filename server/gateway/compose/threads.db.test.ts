import { describe, expect, test } from 'vitest';
import { ClaudeAgent, type TestAgent } from './testing/clients.ts';
import { run } from './testing/model.ts';
import { agentsOfBoth, worldOfFile } from './testing/stage.ts';

const stage = worldOfFile();

const SMALL = { contextLimit: 12_000, keepRecent: 10_000, minGain: 1_000 } as const;

const agents = agentsOfBoth();

const layouts = () => stage.world.seen.map((seen) => seen?.layout ?? null);
const bodies = () => stage.world.simulator.requests.entries.map(({ body }) => body.toString());

async function underLayout(agent: TestAgent): Promise<void> {
  await stage.world.switchOn(SMALL);
  for (let turn = 0; turn < 4; turn += 1) {
    await agent.turn(`task ${turn} rounds=2 lines=120`);
    await stage.world.settled();
  }
  expect(layouts().at(-1)).not.toBeNull();
}

describe.each(agents)('$name', ({ make }) => {
  test('requests that go to two gateways in turn are one conversation: nothing is begun anew', async () => {
    const agent = make(stage.world.gateway.url);
    const other = await stage.world.another();
    await agent.turn('first rounds=0');
    for (let turn = 0; turn < 3; turn += 1) {
      await agent.turn(`task ${turn} rounds=2 lines=2`, async () => {
        agent.moveTo(turn % 2 === 0 ? other.url : stage.world.gateway.url);
        await stage.world.settled();
      });
      await stage.world.settled();
      agent.moveTo(turn % 2 === 0 ? stage.world.gateway.url : other.url);
    }
    expect(stage.world.refused()).toEqual([]);
    const thread = { agent: agent.agent, session: agent.session, thread: '' } as const;
    const { rows } = await stage.database.pool.query(
      'SELECT reason FROM layout WHERE account_id = $1 AND session = $2',
      [stage.world.accountId, thread.session],
    );
    expect(rows).toEqual([]);
  });

  test('another conversation that began with the same words gives a new one nothing', async () => {
    await stage.world.switchOn({ recall: false });
    await make(stage.world.gateway.url).turn('hello');
    await stage.world.switchOn({ recall: true });
    await make(stage.world.gateway.url).turn('hello');
    expect(bodies().map((body) => body.includes('context-mode-search'))).toEqual([false, true]);
  });

  test('a conversation that began elsewhere with the words of another goes out as it came', async () => {
    await make(stage.world.gateway.url).turn('hello');
    const agent = make(stage.world.simulator.url);
    await agent.turn('hello');
    await agent.turn('what the other never heard');
    agent.moveTo(stage.world.gateway.url);
    await agent.turn('and on');
    expect(bodies().at(-1)).not.toContain('context-mode-search');
    expect(stage.world.refused()).toEqual([]);
  });

  test('a branch that is gone back to has its layout again', async () => {
    const agent = make(stage.world.gateway.url);
    await agent.turn('task first rounds=0');
    await agent.turn('task second rounds=0');
    const branch = agent.history().length;
    await underLayout(agent);
    const far = agent.history().slice(branch);
    agent.rewind(4);
    await agent.turn('task aside rounds=0');
    await stage.world.settled();
    agent.rewind(1);
    (agent.history() as unknown[]).push(...far);
    await agent.turn('task back on the branch rounds=0');
    expect(layouts().at(-1)).not.toBeNull();
    expect(stage.world.refused()).toEqual([]);
  });

  test('a detour past the gateway is noticed after a restart too', async () => {
    const agent = make(stage.world.gateway.url);
    await underLayout(agent);
    agent.moveTo(stage.world.simulator.url);
    await agent.turn('task on a detour rounds=1 lines=2').catch(() => undefined);
    const refusedOnDetour = stage.world.refused().length;
    agent.moveTo(stage.world.gateway.url);
    stage.world.restart();
    await agent.turn('task back again rounds=1 lines=2');
    expect(stage.world.refused().length).toBe(refusedOnDetour);
    expect(layouts().at(-1)).not.toBeNull();
  });

  test('while the store is down and nothing is remembered the client is refused nothing', async () => {
    const agent = make(stage.world.gateway.url);
    await underLayout(agent);
    stage.world.restart();
    stage.world.storeIsDown(true);
    await agent.turn('task in the dark rounds=1 lines=2');
    stage.world.storeIsDown(false);
    await agent.turn('task in the light rounds=1 lines=2');
    expect(layouts().at(-1)).not.toBeNull();
  });
});

describe('an account that never used Recall', () => {
  test('has its requests go out as they came, and its conversation goes on with what is switched on later', async () => {
    await stage.world.switchOn({ recall: false });
    const agent = new ClaudeAgent({ base: stage.world.gateway.url, model: 'claude-opus-5-5', run });
    await agent.turn('task off rounds=1 lines=2');
    await stage.world.settled();
    expect(stage.world.seen.every((seen) => seen === null)).toBe(true);
    const kept = await stage.database.pool.query('SELECT FROM beginning WHERE account_id = $1', [
      stage.world.accountId,
    ]);
    expect(kept.rowCount).toBe(0);
    await stage.world.switchOn({ recall: true });
    await underLayout(agent);
    expect(bodies().at(-1)).toContain('context-mode-search');
    expect(stage.world.refused()).toEqual([]);
  });

  test('that used it once has what stands in its conversations sent again, though it is off', async () => {
    const agent = new ClaudeAgent({ base: stage.world.gateway.url, model: 'claude-opus-5-5', run });
    await underLayout(agent);
    await stage.world.switchOn({ recall: false });
    await agent.turn('task off rounds=1 lines=2');
    expect(layouts().at(-1)).not.toBeNull();
    const fresh = new ClaudeAgent({ base: stage.world.gateway.url, model: 'claude-opus-5-5', run });
    await fresh.turn('hello');
    expect(bodies().at(-1)).not.toContain('context-mode-search');
    expect(stage.world.refused()).toEqual([]);
  });
});

import { describe, expect, test } from 'vitest';
import { ClaudeAgent } from './testing/clients.ts';
import { codeWordsModel, run } from './testing/model.ts';
import { worldOfFile } from './testing/stage.ts';

const stage = worldOfFile(undefined, ({ simulator }) => {
  // The same words are answered by a call whose id is another each time.
  simulator.script.add((turn) =>
    turn.prompt === 'hello' && turn.results.length === 0
      ? { steps: [{ call: 'Bash', input: { command: 'greet' } }] }
      : undefined,
  );
  simulator.script.add(codeWordsModel());
});
const SMALL = { contextLimit: 12_000, keepRecent: 10_000, minGain: 1_000 } as const;
const CODE = 'The code word of the harbour office is HARBOUR-4711.';
const ASKED = 'What is the code word of the harbour office?';

const pi = (base = stage.world.gateway.url, folder = '/home/dev/project') =>
  new ClaudeAgent({ base, model: 'claude-sonnet-4-6', run, speaker: { pi: folder } });

const sent = () => stage.world.simulator.requests.entries.map((entry) => entry.body.toString());

/** The sessions of the archive, oldest first, each as its agent and how many turns it has. */
async function sessions(): Promise<readonly string[]> {
  await stage.world.settled();
  const { rows } = await stage.database.pool.query<{ agent: string; requests: number; sessions: number }>(
    `SELECT s.agent, count(*)::int AS requests FROM session s
     JOIN request r ON r.account_id = s.account_id AND r.session_id = s.id
     WHERE s.account_id = $1 GROUP BY s.id, s.agent ORDER BY s.id`,
    [stage.world.accountId],
  );
  return rows.map(({ agent, requests }) => `${agent} ${requests}`);
}

/** Every request went out as it was meant to, the provider took it, and its client saw nothing of ours. */
function expectTaken(...agents: readonly ClaudeAgent[]): void {
  expect(stage.world.refused()).toEqual([]);
  expect(stage.world.seen.flatMap((seen) => seen?.unedited ?? [])).toEqual([]);
  for (const agent of agents) expect(JSON.stringify(agent.history())).not.toContain('context-mode');
}

async function worked(agent: ClaudeAgent, turns: number, from = 0): Promise<void> {
  for (let turn = from; turn < from + turns; turn += 1) {
    await agent.turn(`task ${turn} rounds=2 lines=120`);
    await stage.world.settled();
  }
}

describe('an agent that names no session', () => {
  test('has our tool from its first request, passes its limit under layouts, and reads back what has left its view', async () => {
    await stage.world.switchOn(SMALL);
    const agent = pi();
    await agent.turn(CODE);
    await worked(agent, 8);
    expect(stage.world.seen.filter((seen) => seen?.made === 'window').length).toBeGreaterThan(1);
    expect(await agent.turn(ASKED)).toContain('HARBOUR-4711');
    for (const body of sent()) expect(body).toContain('context-mode-search');
    expect(await sessions()).toHaveLength(1);
    expectTaken(agent);
  });

  test('goes on under its layout after a restart and through another gateway, in the very same bytes', async () => {
    await stage.world.switchOn(SMALL);
    const agent = pi();
    await agent.turn(CODE);
    await worked(agent, 4);
    await agent.resend();
    const before = sent().at(-1);
    stage.world.restart();
    await agent.resend();
    expect(sent().at(-1)).toBe(before);
    const other = await stage.world.another();
    await agent.resend(other.url);
    expect(sent().at(-1)).toBe(before);
    agent.moveTo(other.url);
    await worked(agent, 2, 4);
    expect(await agent.turn(ASKED)).toContain('HARBOUR-4711');
    expect(await sessions()).toHaveLength(1);
    expectTaken(agent);
  });

  test('the same first words after their answer begin another session, also at once and in another folder', async () => {
    await stage.world.switchOn(SMALL);
    const agents = [pi(), pi(), pi(stage.world.gateway.url, '/home/dev/other')];
    await Promise.all(agents.map((agent) => agent.turn('hello')));
    stage.world.restart();
    for (const [at, agent] of agents.entries()) await worked(agent, 3, 10 * at);
    expect(await sessions()).toEqual(['pi 10', 'pi 10', 'pi 10']);
    expectTaken(...agents);
  });

  test.each([
    ['refused', { kind: 'status', status: 529 }],
    ['broken off', { kind: 'reset', afterEvents: 3, pauseMs: 20 }],
  ] as const)('a first request that was %s is sent again in the same session', async (_how, fault) => {
    const agent = pi();
    stage.world.simulator.faults.add({ fault });
    await expect(agent.turn('again and again')).rejects.toThrow();
    agent.rewind(1);
    await agent.turn('again and again');
    await agent.turn('on');
    expect(await sessions()).toEqual(['pi 3']);
    for (const body of sent()) expect(body).toContain('context-mode-search');
  });

  test('a copy of a conversation has its layout and goes its own way', async () => {
    await stage.world.switchOn(SMALL);
    const agent = pi();
    await agent.turn(CODE);
    await worked(agent, 4);
    const copy = agent.fork();
    await Promise.all([worked(agent, 2, 4), worked(copy, 2, 6)]);
    expect(await copy.turn(ASKED)).toContain('HARBOUR-4711');
    expect(await agent.turn(ASKED)).toContain('HARBOUR-4711');
    expectTaken(agent, copy);
  });

  test('a conversation that began past the gateway goes as it came until its first layout', async () => {
    await stage.world.switchOn(SMALL);
    const agent = pi(stage.world.simulator.url);
    await agent.turn(CODE);
    await agent.turn('task 0 rounds=2 lines=20');
    const past = sent().length;
    agent.moveTo(stage.world.gateway.url);
    await worked(agent, 6, 1);
    const bodies = sent().slice(past);
    expect(bodies[0]).not.toContain('context-mode');
    expect(bodies.at(-1)).toContain('context-mode-search');
    expectTaken(agent);
  });
});

import { describe, expect, test } from 'vitest';
import { ClaudeAgent, CodexAgent, type TestAgent } from './testing/clients.ts';
import { run } from './testing/model.ts';
import { worldOfFile } from './testing/stage.ts';

const stage = worldOfFile();

const agents: readonly { readonly name: string; readonly make: (base: string) => TestAgent }[] = [
  {
    name: 'Claude Code',
    make: (base) => new ClaudeAgent({ base, model: 'claude-opus-5-5', run, systemMessages: true }),
  },
  {
    name: 'Claude Code without streaming, reminders in messages',
    make: (base) => new ClaudeAgent({ base, model: 'claude-opus-5-5', run, stream: false }),
  },
  { name: 'Codex', make: (base) => new CodexAgent({ base, model: 'gpt-6.2-sol', run }) },
];

const SMALL = { contextLimit: 12_000, keepRecent: 10_000, minGain: 1_000 } as const;

/** A person tells a code word, and the agent works on until its window has been passed several times. */
async function longSession(agent: TestAgent, turns = 6): Promise<void> {
  await agent.turn('The code word of the harbour office is HARBOUR-4711.');
  for (let turn = 0; turn < turns; turn += 1) {
    await agent.turn(`task ${turn} rounds=2 lines=120`);
    await stage.world.settled();
  }
}

/** Every request went out as it was meant to, and the provider took it. */
function expectTaken(): void {
  expect(stage.world.refused()).toEqual([]);
  expect(stage.world.seen.flatMap((seen) => seen?.unedited ?? [])).toEqual([]);
}

const asked = 'What is the code word of the harbour office?';

/** What our tool answered last, for the message of a test that fails. */
function lastResults(): string {
  const body = stage.world.simulator.requests.entries.at(-1)?.body.toString() ?? '';
  return body.slice(body.lastIndexOf('context-mode-search","input"') - 200).slice(0, 1500);
}

describe.each(agents)('$name', ({ make }) => {
  test('has our tool from its first request, and its client never sees it', async () => {
    const agent = make(stage.world.gateway.url);
    await agent.turn('hello');
    await agent.turn('again');
    for (const request of stage.world.simulator.requests.entries)
      expect(request.body.toString()).toContain('context-mode-search');
    expect(JSON.stringify(agent.history())).not.toContain('context-mode');
    expectTaken();
  });

  test('past its limit it goes on under a layout, and what has left the view is read back', async () => {
    await stage.world.switchOn(SMALL);
    const agent = make(stage.world.gateway.url);
    await longSession(agent, 8);
    expect(stage.world.seen.filter((seen) => seen?.made === 'window').length).toBeGreaterThan(1);
    expect(await agent.turn(asked), lastResults()).toBe('HARBOUR-4711');
    expect(await agent.turn(asked), lastResults()).toBe('HARBOUR-4711');
    expect(JSON.stringify(agent.history())).not.toContain('context-mode');
    expectTaken();
  });

  test('a restart, another gateway, a rewind and a fork find what was sent before', async () => {
    await stage.world.switchOn(SMALL);
    const agent = make(stage.world.gateway.url);
    await longSession(agent);
    expect(await agent.turn(asked), lastResults()).toBe('HARBOUR-4711');
    stage.world.restart();
    await agent.turn('task after the restart rounds=1 lines=5');
    agent.moveTo((await stage.world.another()).url);
    await agent.turn('task elsewhere rounds=1 lines=5');
    agent.rewind(2);
    await agent.turn('task after the rewind rounds=1 lines=5');
    await stage.world.settled();
    const fork = agent.fork();
    await fork.turn('task of the fork rounds=1 lines=5');
    await stage.world.settled();
    expect(await fork.turn(asked), lastResults()).toBe('HARBOUR-4711');
    expectTaken();
  });

  test('one turn of many rounds passes the limit and goes on', async () => {
    await stage.world.switchOn(SMALL);
    const agent = make(stage.world.gateway.url);
    await agent.turn('The code word of the harbour office is HARBOUR-4711.');
    await stage.world.settled();
    await agent.turn('task rounds=16 lines=120', () => stage.world.settled());
    expect(stage.world.seen.filter((seen) => seen?.made === 'window').length).toBeGreaterThan(0);
    expectTaken();
  });

  test('begun elsewhere it goes out as it came until its first layout', async () => {
    const agent = make(stage.world.simulator.url);
    await agent.turn('The code word of the harbour office is HARBOUR-4711.');
    agent.moveTo(stage.world.gateway.url);
    await agent.turn('task rounds=1 lines=5');
    const before = stage.world.simulator.requests.entries.slice(-1)[0]?.body.toString();
    expect(before).not.toContain('context-mode-search');
    await stage.world.switchOn(SMALL);
    await stage.world.settled();
    for (let turn = 0; turn < 8; turn += 1) {
      await agent.turn(`task ${turn} rounds=2 lines=120`);
      await stage.world.settled();
    }
    expect(await agent.turn(asked), lastResults()).toBe('HARBOUR-4711');
    expectTaken();
  });

  test('a detour past the gateway is noticed, and nothing is refused for it', async () => {
    await stage.world.switchOn(SMALL);
    const agent = make(stage.world.gateway.url);
    await longSession(agent);
    agent.moveTo(stage.world.simulator.url);
    await agent.turn('task on a detour rounds=1 lines=2').catch(() => undefined);
    agent.moveTo(stage.world.gateway.url);
    await agent.turn('task back again rounds=1 lines=2');
    expect(await agent.turn(asked), lastResults()).toBe('HARBOUR-4711');
    expect(stage.world.seen.flatMap((seen) => seen?.unedited ?? [])).toEqual([]);
  });

  test('a layout is looked at before it is made, and taken back', async () => {
    const agent = make(stage.world.gateway.url);
    await longSession(agent, 3);
    await stage.world.switchOn({ keepRecent: 10_000, minGain: 1_000 });
    const thread = { agent: agent.agent, session: agent.session, thread: '' } as const;
    const preview = await stage.world.composer().preview(stage.world.accountId, thread);
    expect(preview).not.toBeNull();
    expect(preview?.tokensThen).toBeLessThan(preview?.tokensNow ?? 0);
    stage.world.clock.advance(24 * 3_600_000);
    await agent.turn('task after a pause rounds=0 lines=1');
    expect(stage.world.seen.at(-1)?.made).toBe('pause');
    expect(await stage.world.composer().undo(stage.world.accountId, thread)).toEqual({ undone: true });
    await agent.turn('task with all of it rounds=0 lines=1');
    expect(stage.world.seen.at(-1)).toMatchObject({ made: 'undo', layout: null });
    expect(stage.world.simulator.requests.entries.at(-1)?.body.toString()).not.toContain(
      'Context Mode, generated',
    );
    expectTaken();
  });

  test('switched off, what a conversation carries is still sent, and new ones carry nothing', async () => {
    const agent = make(stage.world.gateway.url);
    await agent.turn('hello');
    await stage.world.switchOn({ recall: false });
    await agent.turn('again');
    await make(stage.world.gateway.url).turn('another conversation');
    const carries = stage.world.simulator.requests.entries.map((request) =>
      request.body.toString().includes('context-mode-search'),
    );
    expect(carries).toEqual([true, true, false]);
    expectTaken();
  });
});

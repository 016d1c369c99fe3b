import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { ClaudeAgent, CodexAgent, type TestAgent } from './testing/clients.ts';
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
});
afterEach(async () => {
  await world.close();
});

const agents: readonly {
  readonly name: string;
  readonly make: (base: string) => TestAgent;
  readonly model: string;
}[] = [
  {
    name: 'Claude Code',
    model: 'claude-opus-5-5',
    make: (base) => new ClaudeAgent({ base, model: 'claude-opus-5-5', run, systemMessages: true }),
  },
  {
    name: 'Codex',
    model: 'gpt-6.2-sol',
    make: (base) => new CodexAgent({ base, model: 'gpt-6.2-sol', run }),
  },
];

/** What the agents' one tool prints: as many lines as asked for. */
function run(command: string): string {
  const lines = Number(/lines=(\d+)/.exec(command)?.[1] ?? 1);
  return Array.from(
    { length: lines },
    (_, line) => `${command} line ${line} of the output that nobody reads`,
  ).join('\n');
}

/** The model thinks, runs as many commands as the typed words say, then answers. */
function work(): void {
  world.simulator.script.add((turn) => {
    const rounds = Number(/rounds=(\d+)/.exec(turn.prompt)?.[1] ?? 0);
    const size = /lines=(\d+)/.exec(turn.prompt)?.[1] ?? '1';
    if (turn.prompt.startsWith('What')) return undefined;
    if (turn.round >= rounds)
      return { steps: [{ think: 'done' }, { say: `Finished ${turn.prompt.slice(0, 20)}.` }] };
    const name = turn.protocol === 'anthropic' ? 'Bash' : 'exec_command';
    const command = `step ${turn.round} lines=${size}`;
    const input = turn.protocol === 'anthropic' ? { command } : { cmd: command };
    return { steps: [{ think: `round ${turn.round}` }, { call: name, input }] };
  });
}

describe.each(agents)('$name', ({ make }) => {
  test('has our tool from its first request, and its client never sees it', async () => {
    work();
    const agent = make(world.gateway.url);
    await agent.turn('hello');
    const [request] = world.simulator.requests.entries;
    expect(request?.body.toString()).toContain('context-mode-search');
    expect(JSON.stringify(agent.history())).not.toContain('context-mode');
  });

  test('past its limit it goes on under a layout, and what has left the view is read back', async () => {
    await world.switchOn({ contextLimit: 12_000, keepRecent: 10_000, minGain: 1_000 });
    work();
    world.simulator.script.add((turn) =>
      turn.prompt.startsWith('What')
        ? {
            steps: [
              {
                recall: {
                  tool: 'context-mode-search',
                  form: 'HARBOUR-\\d+',
                  by: 'q',
                  shared: 0,
                },
              },
            ],
          }
        : undefined,
    );
    const agent = make(world.gateway.url);
    await agent.turn('The code word of the harbour office is HARBOUR-4711.');
    for (let turn = 0; turn < 8; turn += 1) {
      await agent.turn(`task ${turn} rounds=2 lines=60`);
      await world.settled();
    }
    expect(world.seen.map((seen) => seen?.unedited ?? null)).toEqual(world.seen.map(() => null));
    expect(world.seen.filter((seen) => seen?.made === 'window').length).toBeGreaterThan(0);
    expect(await agent.turn('What is the code word of the harbour office?')).toBe('HARBOUR-4711');
    expect(JSON.stringify(agent.history())).not.toContain('context-mode');
  });
});

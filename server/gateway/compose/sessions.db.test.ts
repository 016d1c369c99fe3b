import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { ClaudeAgent, CodexAgent, type TestAgent } from './testing/clients.ts';
import { type Task, taskModel, wordsOf } from './testing/conversations.ts';
import { callsOfThrownAway, resultsInTwoForms, unseenFiles } from './testing/laws.ts';
import { run } from './testing/model.ts';
import { startWorld, type World } from './testing/world.ts';

/** What happens between two turns. */
type Act = (typeof ACTS)[number];
const ACTS = [
  'nothing',
  'restart',
  'elsewhere',
  'rewind',
  'fork',
  'tidy',
  'break',
  'model',
  'off',
  'on',
  'pause',
  'down',
] as const;

interface Step {
  readonly act: Act;
  readonly task: Task;
}

const contentOf = (path: string) => `1\tThe content of ${path}.\n2\tIts end.`;
const STUB = 'Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead.';

/** What an agent's tools print: a file that was read once in the process is said to be unchanged. */
function tools() {
  const read = new Set<string>();
  return (command: string, path: string): string => {
    if (path === '') return run(command);
    if (read.has(path)) return STUB;
    read.add(path);
    return contentOf(path);
  };
}

const AGENTS = {
  'Claude Code': (base: string) =>
    new ClaudeAgent({ base, model: 'claude-opus-5-5', run: tools(), systemMessages: true }),
  'Claude Code without system messages or streaming': (base: string) =>
    new ClaudeAgent({ base, model: 'claude-opus-5-5', run: tools(), stream: false }),
  Codex: (base: string) => new CodexAgent({ base, model: 'gpt-6.2-sol', run: tools() }),
  Pi: (base: string) =>
    new ClaudeAgent({ base, model: 'claude-sonnet-5-5', run: tools(), speaker: { pi: '/home/dev/project' } }),
} as const;

const MODELS = {
  'claude-code': ['claude-sonnet-5-5', 'claude-opus-5-5'],
  codex: ['gpt-6.2-luna', 'gpt-6.2-sol'],
} as const;

const SMALL = { contextLimit: 12_000, keepRecent: 10_000, minGain: 1_000 } as const;

/** Conversations of this run; more of them with `CONVERSATIONS=200`. */
const { CONVERSATIONS, SEED } = process.env;
const RUNS = Number(CONVERSATIONS ?? 3);

let database: Database;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.stop();
});

const task: fc.Arbitrary<Task> = fc.record({
  rounds: fc.integer({ min: 0, max: 3 }),
  calls: fc.integer({ min: 1, max: 3 }),
  lines: fc.constantFrom(1, 40, 120, 900),
  file: fc.integer({ min: 0, max: 3 }),
  hidden: fc.constantFrom('none' as const, 'none' as const, 'alone' as const, 'mixed' as const),
});
const steps = fc.array(fc.record({ act: fc.constantFrom(...ACTS), task }), { minLength: 5, maxLength: 12 });

/** Behind these the agent itself holds stubs without what they stand for, or nothing could be put in their place. */
const TAKEN_AWAY: ReadonlySet<Act> = new Set(['tidy', 'rewind', 'down', 'off'] as const);

/** A conversation with all that happens to it. */
class Conversation {
  readonly #world: World;
  #agent: TestAgent;
  #isElsewhere = false;
  /** The agent has taken nothing out of its history that its own words refer to, and the store was never away. */
  #isOurs = true;
  #number = 0;
  #models = 0;
  #other: string | null = null;

  constructor(world: World, agent: TestAgent) {
    this.#world = world;
    this.#agent = agent;
  }

  async step({ act, task }: Step): Promise<void> {
    await this.#before(act);
    this.#number += 1;
    // A hidden round that cannot be kept ends as a fault, so that the agent asks again.
    const asked = act === 'down' ? { ...task, hidden: 'none' as const } : task;
    const from = this.#world.simulator.requests.entries.length;
    await this.#agent.turn(wordsOf(this.#number, asked));
    this.#world.storeIsDown(false);
    this.#sees();
    if (act === 'break') expect(callsOfThrownAway(this.#world.simulator, from)).toEqual([]);
    this.#isOurs &&= !TAKEN_AWAY.has(act);
    const newest = this.#world.simulator.requests.entries.at(-1);
    if (this.#isOurs && newest !== undefined) expect(unseenFiles(newest, contentOf)).toEqual([]);
    await this.#world.settled();
  }

  /** The newest request, sent again by a gateway that knows it, by another, and after a restart, is the same. */
  async sentAgain(): Promise<readonly string[]> {
    const other = await this.#elsewhere();
    const bodies: string[] = [];
    for (const base of [undefined, other, this.#world.gateway.url]) {
      if (bodies.length === 2) this.#world.restart();
      const before = this.#world.simulator.requests.entries.length;
      await this.#agent.resend(base);
      bodies.push(this.#world.simulator.requests.entries[before]?.body.toString() ?? '');
      await this.#world.settled();
    }
    return bodies;
  }

  get agent(): TestAgent {
    return this.#agent;
  }

  async #before(act: Act): Promise<void> {
    const { agent } = this.#agent;
    if (act === 'restart') this.#world.restart();
    if (act === 'elsewhere') await this.#move();
    if (act === 'rewind' && this.#agent.typed().length > 2) this.#agent.rewind(1 + (this.#number % 2));
    if (act === 'fork') this.#agent = this.#agent.fork();
    if (act === 'tidy') this.#agent.tidy();
    if (act === 'break') this.#agent.breakOff();
    if (act === 'model') {
      this.#models += 1;
      this.#agent.switchTo(MODELS[agent][(this.#models - 1) % 2] as string);
    }
    if (act === 'off' || act === 'on') await this.#world.switchOn({ ...SMALL, recall: act === 'on' });
    if (act === 'pause') this.#world.clock.advance(24 * 3_600_000);
    if (act === 'down') this.#world.storeIsDown(true);
  }

  async #move(): Promise<void> {
    this.#isElsewhere = !this.#isElsewhere;
    this.#agent.moveTo(this.#isElsewhere ? await this.#elsewhere() : this.#world.gateway.url);
  }

  async #elsewhere(): Promise<string> {
    this.#other ??= (await this.#world.another()).url;
    return this.#other;
  }

  /** Every word that a person typed stands before the model, in view or in the index. */
  #sees(): void {
    const body = this.#world.simulator.requests.entries.at(-1)?.body.toString() ?? '';
    for (const typed of this.#agent.typed()) expect(body).toContain(typed);
  }
}

/** Where two texts part, with what stands around it; null: they are the same. */
function difference(one = '', other = ''): readonly string[] | null {
  if (one === other) return null;
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return [one, other].map((text) => text.slice(Math.max(0, at - 120), at + 240));
}

test.each(Object.entries(AGENTS))(
  '%s: whatever happens to a conversation, nothing is refused, seen by the client, or sent in two forms',
  async (_, make) => {
    const property = fc.asyncProperty(steps, async (all) => {
      const world = await startWorld(database);
      try {
        world.simulator.script.add(taskModel());
        await world.switchOn(SMALL);
        const conversation = new Conversation(world, make(world.gateway.url));
        for (const step of all) await conversation.step(step);
        const [known, other, cold] = await conversation.sentAgain();
        expect(difference(known, other)).toBeNull();
        expect(difference(known, cold)).toBeNull();
        expect(JSON.stringify(conversation.agent.history())).not.toContain('context-mode');
        if (all.some(({ act }) => act === 'down')) return;
        expect(world.refused()).toEqual([]);
        expect(resultsInTwoForms(world.simulator)).toEqual([]);
        expect(world.seen.flatMap((seen) => seen?.unedited ?? [])).toEqual([]);
      } finally {
        await world.close();
      }
    });
    await fc.assert(property, {
      numRuns: RUNS,
      seed: Number(SEED ?? 27),
      endOnFailure: true,
      timeout: 600_000,
    });
  },
  700_000,
);

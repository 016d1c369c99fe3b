import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import type { Preset } from '../../recall/index.ts';
import { ClaudeAgent, CodexAgent, type TestAgent } from './testing/clients.ts';
import { countedBy } from './testing/counted.ts';
import { codeWordsModel, run } from './testing/model.ts';
import { startWorld } from './testing/world.ts';

let database: Database;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.stop();
});

/** Where the agents are known to compact, in tokens of the prompt. */
const AGENTS = {
  'Claude Code': {
    compactsAt: 167_000,
    make: (base: string) => new ClaudeAgent({ base, model: 'claude-sonnet-5', run, systemMessages: true }),
  },
  Codex: {
    compactsAt: 244_800,
    make: (base: string) => new CodexAgent({ base, model: 'gpt-5.3-codex', run }),
  },
} as const;

const DAYS = {
  'thirty turns': async (agent: TestAgent, settled: () => Promise<void>) => {
    for (let turn = 0; turn < 30; turn += 1) {
      await agent.turn(`task ${turn} rounds=4 lines=230`);
      await settled();
    }
  },
  'a turn of three hundred rounds': async (agent: TestAgent, settled: () => Promise<void>) => {
    await agent.turn('hello rounds=0');
    await agent.turn('task rounds=300 lines=100', settled);
  },
} as const;

/** Hundreds of large requests: only with `LONG=1`, some minutes each. */
const { LONG } = process.env;
const cases = (Object.keys(AGENTS) as (keyof typeof AGENTS)[]).flatMap((agent) =>
  (['lean', 'balanced', 'roomy'] satisfies Preset[]).flatMap((preset) =>
    (Object.keys(DAYS) as (keyof typeof DAYS)[]).map((day) => [agent, preset, day] as const),
  ),
);

test.skipIf(LONG === undefined).each(cases)(
  '%s, preset %s, the other settings as they come: in %s the client never has to compact, and no request passes the limit',
  async (agent, preset, day) => {
    const { make, compactsAt } = AGENTS[agent];
    const world = await startWorld(database);
    try {
      world.simulator.script.add(codeWordsModel());
      await world.switchOn({ keepRecent: preset });
      await DAYS[day](make(world.gateway.url), world.settled);
      const prompts = countedBy(world.simulator).map(({ prompt }) => prompt);
      const limits = new Set(world.seen.map((seen) => seen?.tokens.limit));
      const layouts = world.seen.filter((seen) => seen?.made);
      const whole = Math.max(...world.seen.map((seen) => seen?.tokens.client ?? 0));
      process.stdout.write(
        `${agent} ${preset} ${day}: ${prompts.length} requests, largest prompt ${Math.max(...prompts)} of ${[...limits].join('/')}, history ${whole}, layouts ${layouts.map((seen) => seen?.made).join(' ')}\n`,
      );
      const [limit] = limits;
      expect(limits.size).toBe(1);
      expect(whole).toBeGreaterThan(compactsAt);
      expect(layouts.length).toBeGreaterThan(0);
      expect(Math.max(...prompts)).toBeLessThan(compactsAt);
      expect(Math.max(...prompts)).toBeLessThanOrEqual(limit ?? 0);
      expect(world.refused()).toEqual([]);
      expect(world.seen.flatMap((seen) => seen?.unedited ?? [])).toEqual([]);
    } finally {
      await world.close();
    }
  },
  600_000,
);

import { expect, test } from 'vitest';
import { ClaudeAgent, CodexAgent, type TestAgent } from './testing/clients.ts';
import { codeWordsModel, run } from './testing/model.ts';
import { worldOfFile } from './testing/stage.ts';

/** What is put together has so long, and 5 s more where it passes the limit; a commit that comes late comes behind both. */
const DEADLINE_MS = 1_500;
const LATE_MS = 8_000;

const stage = worldOfFile(DEADLINE_MS, async (world) => {
  world.simulator.script.add(codeWordsModel());
  await world.switchOn({ contextLimit: 12_000, keepRecent: 10_000, minGain: 1_000 });
});

const KINDS: readonly (readonly [
  string,
  { before?: number; after?: number },
  (base: string) => TestAgent,
])[] = [
  [
    'whose commit begins late',
    { before: LATE_MS },
    (base) => new ClaudeAgent({ base, model: 'claude-opus-5-5', run }),
  ],
  [
    'whose commit is heard of late',
    { after: LATE_MS },
    (base) => new CodexAgent({ base, model: 'gpt-6.2-sol', run }),
  ],
];

/** Layouts that are in the stage.database. */
async function committed(): Promise<number> {
  const { rows } = await stage.database.pool.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM layout WHERE account_id = $1 AND reason <> 'unseen'",
    [stage.world.accountId],
  );
  return rows[0]?.count ?? 0;
}

async function until(count: number, agent: TestAgent, task: string): Promise<void> {
  for (let turn = 0; turn < 12 && (await committed()) < count; turn += 1) {
    await stage.world.settled();
    await agent.turn(`${task} ${turn} rounds=2 lines=120`);
  }
  expect(await committed()).toBeGreaterThanOrEqual(count);
}

test.each(KINDS)(
  'a layout %s makes the provider refuse nothing: what went out before is not taken for its own',
  async (_, late, make) => {
    const agent = make(stage.world.gateway.url);
    await until(1, agent, 'first');
    stage.world.nextCommitIsLate(late);
    await until(2, agent, 'late');
    for (let turn = 0; turn < 3; turn += 1) await agent.turn(`behind ${turn} rounds=1 lines=2`);
    expect(stage.world.refused()).toEqual([]);
    const sent = stage.world.simulator.requests.entries.map(({ body }) => body.toString());
    expect(sent.at(-1)).toContain('Context Mode, generated');
  },
);

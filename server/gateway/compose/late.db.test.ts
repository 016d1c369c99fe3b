import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../../db/index.ts';
import { testDatabase } from '../../db/testing.ts';
import { ClaudeAgent, CodexAgent, type TestAgent } from './testing/clients.ts';
import { codeWordsModel, run } from './testing/model.ts';
import { startWorld, type World } from './testing/world.ts';

/** What is put together has so long, and 5 s more where it passes the limit; a commit that comes late comes behind both. */
const DEADLINE_MS = 1_500;
const LATE_MS = 8_000;

let database: Database;
let world: World;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.stop();
});
beforeEach(async () => {
  world = await startWorld(database, DEADLINE_MS);
  world.simulator.script.add(codeWordsModel());
  await world.switchOn({ contextLimit: 12_000, keepRecent: 10_000, minGain: 1_000 });
});
afterEach(async () => {
  await world.close();
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

/** Layouts that are in the database. */
async function committed(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    "SELECT count(*)::int AS count FROM layout WHERE account_id = $1 AND reason <> 'unseen'",
    [world.accountId],
  );
  return rows[0]?.count ?? 0;
}

async function until(count: number, agent: TestAgent, task: string): Promise<void> {
  for (let turn = 0; turn < 12 && (await committed()) < count; turn += 1) {
    await world.settled();
    await agent.turn(`${task} ${turn} rounds=2 lines=120`);
  }
  expect(await committed()).toBeGreaterThanOrEqual(count);
}

test.each(KINDS)(
  'a layout %s makes the provider refuse nothing: what went out before is not taken for its own',
  async (_, late, make) => {
    const agent = make(world.gateway.url);
    await until(1, agent, 'first');
    world.nextCommitIsLate(late);
    await until(2, agent, 'late');
    for (let turn = 0; turn < 3; turn += 1) await agent.turn(`behind ${turn} rounds=1 lines=2`);
    expect(world.refused()).toEqual([]);
    const sent = world.simulator.requests.entries.map(({ body }) => body.toString());
    expect(sent.at(-1)).toContain('Context Mode, generated');
  },
);

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
/** No request is put together in time. */
beforeEach(async () => {
  world = await startWorld(database, 0);
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

describe.each(agents)('$name, of whose requests none is put together in time', ({ make }) => {
  test('is not told that its prompt is too large: the request goes once more, under a layout', async () => {
    const agent = make(world.gateway.url);
    for (let turn = 0; turn < 4; turn += 1) {
      await agent.turn(`task ${turn} rounds=1 lines=400`);
      await world.settled();
    }
    world.simulator.settings.windows = { '*': 16_000 };
    await agent.turn('and on rounds=0');
    expect(world.refused()).toHaveLength(1);
    const { rows } = await database.pool.query('SELECT reason FROM layout WHERE account_id = $1', [
      world.accountId,
    ]);
    expect(rows.map(({ reason }) => reason)).toContain('too_large');
  });
});

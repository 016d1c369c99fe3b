import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import type { Database } from '../../../db/index.ts';
import { testDatabase } from '../../../db/testing.ts';
import { ClaudeAgent, CodexAgent, type Run, type TestAgent } from './clients.ts';
import { codeWordsModel, run } from './model.ts';
import { startWorld, type World } from './world.ts';

/** What a file's tests play on. */
export interface WorldStage {
  readonly database: Database;
  /** Of the running test. */
  readonly world: World;
}

/**
 * A world for each test of a file, on one database. Call it once, at the top.
 * @param deadlineMs what is put together has so long
 * @param begin what is done with each world before its test; by default the model of code words works in it
 */
export function worldOfFile(
  deadlineMs?: number,
  begin: (world: World) => unknown = (world) => world.simulator.script.add(codeWordsModel()),
): WorldStage {
  let database: Database;
  let world: World;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.stop());
  beforeEach(async () => {
    world = await startWorld(database, deadlineMs);
    await begin(world);
  });
  afterEach(() => world.close());
  return {
    get database() {
      return database;
    },
    get world() {
      return world;
    },
  };
}

/** An agent of each protocol, for `describe.each`. @param runs what its tool prints */
export function agentsOfBoth(
  runs: Run = run,
): readonly { readonly name: string; readonly make: (base: string) => TestAgent }[] {
  return [
    {
      name: 'Claude Code',
      make: (base) => new ClaudeAgent({ base, model: 'claude-opus-5-5', run: runs, systemMessages: true }),
    },
    { name: 'Codex', make: (base) => new CodexAgent({ base, model: 'gpt-6.2-sol', run: runs }) },
  ];
}

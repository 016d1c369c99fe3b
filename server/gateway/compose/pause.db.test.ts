import { describe, expect, test } from 'vitest';
import { agentsOfBoth, worldOfFile } from './testing/stage.ts';

const stage = worldOfFile();
const SMALL = { contextLimit: 12_000, keepRecent: 10_000, minGain: 1_000 } as const;

const bodies = () => stage.world.simulator.requests.entries.map((entry) => entry.body.toString());
const rowsOf = async (table: string) => {
  const { rows } = await stage.database.pool.query(
    `SELECT count(*)::int AS count FROM ${table} WHERE account_id = $1`,
    [stage.world.accountId],
  );
  return rows[0].count as number;
};
/** Rows of every table that a conversation leaves something in. */
const rowsOfAll = () =>
  Promise.all(['session', 'message', 'item', 'request', 'answer', 'beginning', 'layout'].map(rowsOf));

describe.each(agentsOfBoth())('in a pause, with $name', ({ make }) => {
  test('a conversation that begins passes byte for byte and leaves nothing, whatever its size', async () => {
    await stage.world.switchOn(SMALL);
    stage.world.pause(true);
    const agent = make(stage.world.gateway.url);
    for (let turn = 0; turn < 5; turn += 1) await agent.turn(`task ${turn} rounds=2 lines=120`);
    await stage.world.settled();
    for (const body of bodies()) expect(body).not.toContain('context-mode');
    expect(await rowsOfAll()).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  test('a conversation under a layout is sent as before, and our tool answers; behind it all goes on', async () => {
    const { world } = stage;
    await world.switchOn(SMALL);
    const agent = make(world.gateway.url);
    await agent.turn('The code word of the harbour office is HARBOUR-4711.');
    for (let turn = 0; turn < 6; turn += 1) {
      await agent.turn(`task ${turn} rounds=2 lines=120`);
      await world.settled();
    }
    const layouts = await rowsOf('layout');
    expect(layouts).toBeGreaterThan(0);
    const before = await rowsOfAll();

    world.pause(true);
    expect(await agent.turn('What is the code word of the harbour office?')).toContain('HARBOUR-4711');
    await world.settled();
    expect(await rowsOfAll()).toEqual(before);

    world.pause(false);
    for (let turn = 6; turn < 10; turn += 1) {
      await agent.turn(`task ${turn} rounds=2 lines=120`);
      await world.settled();
    }
    expect(await rowsOf('layout')).toBeGreaterThan(layouts);
    expect(world.refused()).toEqual([]);
    expect(JSON.stringify(agent.history())).not.toContain('context-mode');
  });
});

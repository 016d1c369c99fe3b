import { describe, expect, test } from 'vitest';
import { agentsOfBoth, worldOfFile } from './testing/stage.ts';

/** No request is put together in time. */
const stage = worldOfFile(0);

const agents = agentsOfBoth();

describe.each(agents)('$name, of whose requests none is put together in time', ({ make }) => {
  test('is not told that its prompt is too large: the request goes once more, under a layout', async () => {
    const agent = make(stage.world.gateway.url);
    for (let turn = 0; turn < 4; turn += 1) {
      await agent.turn(`task ${turn} rounds=1 lines=400`);
      await stage.world.settled();
    }
    stage.world.simulator.settings.windows = { '*': 16_000 };
    await agent.turn('and on rounds=0');
    expect(stage.world.refused()).toHaveLength(1);
    const { rows } = await stage.database.pool.query('SELECT reason FROM layout WHERE account_id = $1', [
      stage.world.accountId,
    ]);
    expect(rows.map(({ reason }) => reason)).toContain('too_large');
  });
});

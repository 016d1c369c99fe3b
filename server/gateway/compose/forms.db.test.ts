import { describe, expect, test } from 'vitest';
import type { RequestView } from '../../archive/index.ts';
import { agentsOfBoth, worldOfFile } from './testing/stage.ts';

const stage = worldOfFile();

/** What the archive holds of how the requests went out, oldest first. */
async function views(): Promise<readonly (RequestView | null)[]> {
  await stage.world.settled();
  const { rows } = await stage.database.pool.query<{ view: RequestView | null }>(
    'SELECT view FROM request WHERE account_id = $1 ORDER BY received_at, id',
    [stage.world.accountId],
  );
  return rows.map(({ view }) => view);
}

const sent = () => stage.world.simulator.requests.entries.at(-1)?.body.byteLength;

describe.each(agentsOfBoth())('with $name, the archive shows', ({ make }) => {
  test('both forms of a request that was too large, each with what the model saw', async () => {
    const { world } = stage;
    const agent = make(world.gateway.url);
    for (let turn = 0; turn < 6; turn += 1) await agent.turn(`task ${turn} rounds=2 lines=80`);
    await world.settled();
    world.clock.advance(1_000);
    world.simulator.settings.windows = { '*': 10_000 };
    await agent.turn('again');
    expect(world.refused()).toHaveLength(1);
    const bytes = sent();
    const view = (await views()).at(-1);
    expect(view).toMatchObject({
      layout: null,
      again: { refused: 'too_large', view: { made: 'too_large' } },
    });
    expect(view?.again?.view.runs.some((run) => run.is === 'left_out')).toBe(true);
    expect(view?.again?.view.sentBytes).toBe(bytes);
    expect(view?.sentBytes).toBeGreaterThan(bytes ?? 0);
  });

  test('of a request that was sent once, one form', async () => {
    const agent = make(stage.world.gateway.url);
    await agent.turn('hello');
    for (const view of await views()) expect(view).not.toHaveProperty('again');
  });
});

test('the archive shows the form without reasoning that went out once ours was refused', async () => {
  const { world } = stage;
  await world.switchOn({ contextLimit: 12_000, keepRecent: 10_000, minGain: 1_000 });
  const [claude] = agentsOfBoth();
  if (claude === undefined) throw new Error('no agent');
  const agent = claude.make(world.gateway.url);
  for (let turn = 0; turn < 4; turn += 1) {
    await agent.turn(`task ${turn} rounds=2 lines=80`);
    await world.settled();
  }
  world.clock.advance(1_000);
  const message =
    'messages.3: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.';
  world.simulator.faults.add({
    fault: { kind: 'status', status: 400, type: 'invalid_request_error', message },
  });
  await agent.turn('refused once');
  const view = (await views()).at(-1);
  expect(view?.again?.refused).toBe('pairing');
  expect(view?.again?.view.sentBytes).toBe(sent());
  expect(view?.runs.length).toBeGreaterThan(0);
});

import { describe, expect, test } from 'vitest';
import { agentsOfBoth, worldOfFile } from './testing/stage.ts';

const stage = worldOfFile();
const SMALL = { contextLimit: 12_000, keepRecent: 10_000, minGain: 1_000 } as const;
const MINUTES = 60_000;

const seen = () => stage.world.seen.at(-1);
const tokens = () => seen()?.tokens ?? { client: Number.NaN, sent: Number.NaN };

describe.each(agentsOfBoth())('with $name, a process that starts and another gateway', ({ make }) => {
  test('estimate a prompt as the one that was there before, from the provider’s own counts', async () => {
    const { world } = stage;
    const agent = make(world.gateway.url);
    await agent.turn('hello');
    for (let turn = 0; turn < 2; turn += 1) await agent.turn(`task ${turn} rounds=2 lines=60`);
    await world.settled();
    await agent.resend();
    const before = tokens();
    const expectAlike = () => {
      // What the provider counted is the same; the factor of the rest learns from each answer.
      expect(tokens().sent).toBe(before.sent);
      expect(tokens().client / before.client).toBeCloseTo(1, 1);
    };
    world.restart();
    await agent.resend();
    expectAlike();
    await agent.resend((await world.another()).url);
    expectAlike();
  });

  test('know how long ago the newest request was, and lay out after a pause', async () => {
    const { world } = stage;
    await world.switchOn({ keepRecent: 10_000, minGain: 1_000 });
    const agent = make(world.gateway.url);
    for (let turn = 0; turn < 8; turn += 1) {
      await agent.turn(`task ${turn} rounds=2 lines=80`);
      await world.settled();
    }
    expect(world.seen.filter((one) => one?.made != null)).toEqual([]);
    world.restart();
    await agent.turn('quick');
    expect(seen()?.made).toBeNull();
    await world.settled();
    world.clock.advance(26 * 60 * MINUTES);
    agent.moveTo((await world.another()).url);
    await agent.turn('after a night');
    expect(world.seen.filter((one) => one?.made != null).map((one) => one?.made)).toEqual(['pause']);
  });
});

test('a conversation whose edits the provider refused rests in a process that starts and in another gateway too', async () => {
  const { world } = stage;
  await world.switchOn(SMALL);
  const [claude] = agentsOfBoth();
  if (claude === undefined) throw new Error('no agent');
  const agent = claude.make(world.gateway.url);
  await agent.turn('hello');
  const message =
    'messages.3.content.0: `thinking` blocks cannot be modified. These blocks must remain as they were in the original response.';
  world.simulator.faults.add({
    fault: { kind: 'status', status: 400, type: 'invalid_request_error', message },
  });
  await agent.turn('refused once').catch(() => undefined);
  await world.settled();
  const rests = async (words: string) => {
    await agent.turn(words);
    return seen()?.because;
  };
  expect(await rests('here')).toBe('resting');
  world.restart();
  expect(await rests('behind a restart')).toBe('resting');
  agent.moveTo((await world.another()).url);
  expect(await rests('elsewhere')).toBe('resting');
});

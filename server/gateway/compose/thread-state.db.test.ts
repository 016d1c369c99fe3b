import { describe, expect, test } from 'vitest';
import { agentsOfBoth, worldOfFile } from './testing/stage.ts';

const stage = worldOfFile();
const SMALL = { contextLimit: 12_000, keepRecent: 10_000, minGain: 1_000 } as const;
const MINUTES = 60_000;

const body = () => stage.world.simulator.requests.entries.at(-1)?.body.toString() ?? '';
const seen = () => stage.world.seen.at(-1);

describe.each(agentsOfBoth())('with $name, a process that starts and another gateway', ({ make }) => {
  test('estimate a prompt as the one that was there before, from the provider’s own counts', async () => {
    const { world } = stage;
    const agent = make(world.gateway.url);
    await agent.turn('hello');
    for (let turn = 0; turn < 2; turn += 1) await agent.turn(`task ${turn} rounds=2 lines=60`);
    await world.settled();
    await agent.resend();
    const before = seen()?.tokens;
    world.restart();
    await agent.resend();
    expect(seen()?.tokens).toEqual(before);
    await agent.resend((await world.another()).url);
    expect(seen()?.tokens).toEqual(before);
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

  test('make nothing new in a conversation whose edits the provider refused', async () => {
    const { world } = stage;
    await world.switchOn(SMALL);
    const agent = make(world.gateway.url);
    await agent.turn('hello');
    const message =
      'messages.3.content.0: `thinking` blocks cannot be modified. These blocks must remain as they were in the original response.';
    world.simulator.faults.add({
      fault: { kind: 'status', status: 400, type: 'invalid_request_error', message },
    });
    await agent.turn('refused once').catch(() => undefined);
    await world.settled();
    const rests = () => seen()?.because;
    await agent.turn('here');
    const here = rests();
    world.restart();
    await agent.turn('behind a restart');
    expect(rests()).toBe(here);
    agent.moveTo((await world.another()).url);
    await agent.turn('elsewhere');
    expect(rests()).toBe(here);
    expect(body()).not.toBe('');
  });
});

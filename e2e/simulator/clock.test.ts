import { describe, expect, it } from 'vitest';
import { SimulatorClock } from './clock.ts';

describe('the clock', () => {
  it('shows the time it was started with when it is frozen, and moves by hand alone', () => {
    const clock = new SimulatorClock({ startMs: 1000, frozen: true });
    expect(clock.now()).toBe(1000);
    clock.advance(7_200_000);
    expect(clock.now()).toBe(7_201_000);
  });

  it('ends a pause of two hours as soon as two hours are advanced, in order of their ends', async () => {
    const clock = new SimulatorClock({ startMs: 0, frozen: true });
    const ended: string[] = [];
    const long = clock.sleep(7_200_000).then(() => ended.push('long'));
    const short = clock.sleep(1000).then(() => ended.push('short'));
    clock.advance(1000);
    await short;
    expect(ended).toEqual(['short']);
    clock.advance(7_199_000);
    await long;
    expect(ended).toEqual(['short', 'long']);
  });

  it('ends a pause when its signal fires', async () => {
    const clock = new SimulatorClock({ startMs: 0, frozen: true });
    const controller = new AbortController();
    const pause = clock.sleep(1000, controller.signal);
    controller.abort();
    await expect(pause).resolves.toBeUndefined();
  });

  it('never moves backwards', () => {
    expect(() => new SimulatorClock().advance(-1)).toThrow(RangeError);
  });
});

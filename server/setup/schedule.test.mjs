import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { outputsInOrder, runStages } from './schedule.mjs';
import { stages as ofTheTests } from './stages.mjs';

/** Runs stages that take so many milliseconds; gives what began and ended, and which ran at the same time. */
async function observed(stages, atOnce) {
  const log = [];
  const running = new Set();
  const together = new Set();
  const results = await runStages(stages, atOnce, async ({ name, ms = 5 }) => {
    log.push(`+${name}`);
    for (const other of running) together.add([name, other].sort().join(' '));
    running.add(name);
    await delay(ms);
    running.delete(name);
    log.push(`-${name}`);
    return name.toUpperCase();
  });
  return { log, together: [...together], results };
}

describe('stages', () => {
  test('run one after another, in their order, where none may run beside another', async () => {
    const { log, together } = await observed([{ name: 'a' }, { name: 'b' }, { name: 'c' }], 3);
    expect(log).toEqual(['+a', '-a', '+b', '-b', '+c', '-c']);
    expect(together).toEqual([]);
  });

  test('that may run beside each other do, no more at once than allowed, and results keep the order', async () => {
    const stages = [
      { name: 'a', ms: 40, beside: ['b', 'c'] },
      { name: 'b', ms: 10, beside: ['c'] },
      { name: 'c', ms: 10 },
    ];
    const { log, together, results } = await observed(stages, 2);
    expect(log).toEqual(['+a', '+b', '-b', '+c', '-c', '-a']);
    expect(together.sort()).toEqual(['a b', 'a c']);
    expect(results).toEqual(['A', 'B', 'C']);
    expect((await observed(stages, 1)).together).toEqual([]);
    expect((await observed(stages, 3)).together.sort()).toEqual(['a b', 'a c', 'b c']);
  });

  test('wait for those that they need, wherever those stand, and not for what is no stage', async () => {
    const stages = [{ name: 'a', needs: ['b', 'chromium'], beside: ['b'] }, { name: 'b' }];
    expect((await observed(stages, 2)).log).toEqual(['+b', '-b', '+a', '-a']);
    const circle = [
      { name: 'a', needs: ['b'] },
      { name: 'b', needs: ['a'] },
    ];
    await expect(observed(circle, 2)).rejects.toThrow('wait for each other');
  });

  test('of the tests run each once, and what they may run beside are stages', async () => {
    const stages = ofTheTests.map(({ name, needs, beside }) => ({ name, needs, beside }));
    for (const atOnce of [1, 2, 8])
      expect((await observed(stages, atOnce)).log.filter((line) => line[0] === '-').sort()).toEqual(
        stages.map(({ name }) => `-${name}`).sort(),
      );
    const names = stages.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    for (const { beside = [] } of stages) expect(names).toEqual(expect.arrayContaining(beside));
  });
});

describe('outputs', () => {
  test('come out one behind another, the first at once', () => {
    const out = [];
    const [a, b, c] = outputsInOrder(3, (text) => out.push(text));
    b.write('b1');
    a.write('a1');
    expect(out).toEqual(['a1']);
    c.write('c1');
    b.write('b2');
    a.write('a2');
    b.end();
    expect(out).toEqual(['a1', 'a2']);
    a.end();
    expect(out).toEqual(['a1', 'a2', 'b1', 'b2', 'c1']);
    c.write('c2');
    expect(out.at(-1)).toBe('c2');
  });
});

import { expect, it } from 'vitest';
import type { Millis } from '../kernel/clock.ts';
import { PendingDeletions, UNDO_MS } from './pending-deletions.ts';

function setUp() {
  const timers = new Map<number, () => void>();
  let next = 0;
  const pending = new PendingDeletions({
    start(run) {
      next += 1;
      timers.set(next, run);
      return next;
    },
    stop: (timer) => void timers.delete(timer as number),
  });
  const ring = () => {
    for (const run of [...timers.values()]) run();
  };
  return { pending, ring };
}

const now = 1_000 as Millis;

it('an undo is possible for at least ten seconds', () => {
  expect(UNDO_MS).toBeGreaterThanOrEqual(10_000);
});

it('what is not undone is carried out once, at the time that was told', () => {
  const { pending, ring } = setUp();
  let carried = 0;
  const carryOut = () => {
    carried += 1;
  };
  expect(pending.plan('a', now, carryOut)).toBe(now + UNDO_MS);
  expect(pending.plan('a', (now + 5000) as Millis, carryOut)).toBe(now + UNDO_MS);
  expect(pending.dueOf('a')).toBe(now + UNDO_MS);
  ring();
  expect(carried).toBe(1);
  expect(pending.dueOf('a')).toBeNull();
  expect(pending.undo('a')).toBe(false);
});

it('what is undone is never carried out, and can be planned anew', () => {
  const { pending, ring } = setUp();
  const carried: string[] = [];
  pending.plan('a', now, () => carried.push('first'));
  expect(pending.undo('a')).toBe(true);
  ring();
  expect(carried).toEqual([]);
  pending.plan('a', now, () => carried.push('second'));
  ring();
  expect(carried).toEqual(['second']);
});

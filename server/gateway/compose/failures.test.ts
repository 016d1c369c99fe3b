import { expect, test } from 'vitest';
import { manualClock } from '../../kernel/clock.ts';
import { Failures } from './failures.ts';

test('more than five failures in five minutes are told, and forgotten once five minutes have passed', () => {
  const clock = manualClock(0);
  const failures = new Failures(clock);
  for (let count = 0; count < 5; count += 1) failures.add();
  expect(failures.note()).toBeNull();
  clock.advance(299_000);
  failures.add();
  expect(failures.note()).toMatch(/^6 requests of the last five minutes went out without/);
  clock.advance(1_000);
  expect(failures.note()).toBeNull();
});

test('however many there are, what is kept of them is bounded', () => {
  const failures = new Failures(manualClock(0));
  for (let count = 0; count < 5_000; count += 1) failures.add();
  expect(failures.note()).toMatch(/^1000 or more requests/);
});

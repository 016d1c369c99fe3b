import { expect, test } from 'vitest';
import { bounded } from './bounded.ts';

test('work that ends in time is waited for, and what it throws is thrown', async () => {
  expect(await bounded(Promise.resolve(), 10_000)).toBe(true);
  await expect(bounded(Promise.reject(new Error('in time')), 10_000)).rejects.toThrow('in time');
});

test('work that never ends, or fails later, holds nobody up', async () => {
  let failLate = () => {};
  const late = new Promise((_, reject) => {
    failLate = () => reject(new Error('too late'));
  });
  expect(await bounded(late, 1)).toBe(false);
  failLate();
});

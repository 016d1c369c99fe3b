import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { manualClock } from './clock.ts';
import { watchFreeSpace } from './free-space.ts';

test('is read at most every five seconds, once for all that ask together', async () => {
  const clock = manualClock(0);
  const readings = [10, 20, 30];
  let reads = 0;
  const space = watchFreeSpace('/x', clock, async () => readings[reads++] ?? 0);
  expect(await Promise.all([space.read(), space.read()])).toEqual([10, 10]);
  clock.advance(4_999);
  expect(await space.read()).toBe(10);
  expect(reads).toBe(1);
  clock.advance(1);
  expect(await space.read()).toBe(20);
  expect(reads).toBe(2);
});

test('is not known where the system does not tell, and that is no fault', async () => {
  const space = watchFreeSpace('/x', manualClock(0), () => Promise.reject(new Error('no such call')));
  expect(await space.read()).toBeNull();
});

test('of a real folder is a number of bytes', async () => {
  expect(await watchFreeSpace(tmpdir(), manualClock(0)).read()).toBeGreaterThan(0);
});

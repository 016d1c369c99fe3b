import { expect, test } from 'vitest';
import { manualClock } from '../../kernel/clock.ts';
import { Fresh } from './fresh.ts';

test('where reading fails or never ends, the last value known is given; what was never known is waited for', async () => {
  const clock = manualClock(0);
  const fresh = new Fresh<string>(clock, 1_000);
  const never = () => new Promise<string>(() => undefined);
  const fails = () => Promise.reject(new Error('no database'));
  await expect(fresh.get('a', fails)).rejects.toThrow('no database');
  expect(await fresh.get('a', async () => 'first')).toBe('first');
  clock.advance(2_000);
  expect(await fresh.get('a', never)).toBe('first');
  expect(await fresh.get('a', fails)).toBe('first');
  expect(await fresh.get('a', async () => 'second')).toBe('second');
});

test('what was read late does not take the place of what was read after it', async () => {
  const clock = manualClock(0);
  const fresh = new Fresh<string>(clock, 0);
  await fresh.get('a', async () => 'first');
  let answer: (value: string) => void = () => undefined;
  clock.advance(1);
  const late = fresh.get('a', () => new Promise<string>((resolve) => (answer = resolve)));
  clock.advance(1);
  expect(await fresh.get('a', async () => 'third')).toBe('third');
  answer('second');
  expect(await late).toBe('second');
  clock.advance(1);
  expect(await fresh.get('a', () => Promise.reject(new Error('down')))).toBe('third');
});

test('where only this process changes a value, nobody waits while it is read again, and what was forgotten is read anew', async () => {
  const clock = manualClock(0);
  const fresh = new Fresh<string>(clock, 1_000, true);
  expect(await fresh.get('a', async () => 'first')).toBe('first');
  clock.advance(2_000);
  let answer: (value: string) => void = () => undefined;
  let reads = 0;
  const slow = () => {
    reads += 1;
    return new Promise<string>((resolve) => (answer = resolve));
  };
  expect(await Promise.all([fresh.get('a', slow), fresh.get('a', slow)])).toEqual(['first', 'first']);
  expect(reads).toBe(1);
  answer('second');
  await Promise.resolve();
  expect(await fresh.get('a', slow)).toBe('second');
  fresh.clear();
  expect(await fresh.get('a', async () => 'third')).toBe('third');
});

test('what was being read when it was forgotten is not known by that', async () => {
  const fresh = new Fresh<string>(manualClock(0), 1_000, true);
  let answer: (value: string) => void = () => undefined;
  const reading = fresh.get('a', () => new Promise<string>((resolve) => (answer = resolve)));
  fresh.clear();
  answer('before it was changed');
  await reading;
  expect(await fresh.get('a', async () => 'as it is now')).toBe('as it is now');
});

test('who asks for what is known at once waits for nothing, reads once at a time, and is told nothing that others change', async () => {
  const clock = manualClock(0);
  const fresh = new Fresh<string>(clock, 1_000, true);
  let answer: (value: string) => void = () => undefined;
  let reads = 0;
  const slow = () => {
    reads += 1;
    return new Promise<string>((resolve) => (answer = resolve));
  };
  expect(fresh.peek('a', slow)).toBeUndefined();
  expect(fresh.peek('a', slow)).toBeUndefined();
  expect(reads).toBe(1);
  answer('first');
  await new Promise((resolve) => setImmediate(resolve));
  expect(fresh.peek('a', slow)).toBe('first');
  expect(reads).toBe(1);
  await Promise.resolve();
  clock.advance(2_000);
  expect(fresh.peek('a', slow)).toBe('first');
  expect(reads).toBe(2);
  const shared = new Fresh<string>(clock, 1_000);
  expect(await shared.get('a', async () => 'first')).toBe('first');
  expect(shared.peek('a', slow)).toBeUndefined();
});

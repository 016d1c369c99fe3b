import { expect, test } from 'vitest';
import type { Uuid } from '../../kernel/ids.ts';
import { PostingCache } from './search-cache.ts';

const one = '00000000-0000-7000-8000-000000000001' as Uuid;
const other = '00000000-0000-7000-8000-000000000002' as Uuid;
const listOf = (bytes: number) => ({ chunks: bytes / 8, rows: [new Uint8Array(bytes)], cut: false });

/** A cache in which an account's index was seen in a state, with these terms read in it. */
function filled(limit: number, account: Uuid, state: string, terms: readonly string[]): PostingCache {
  const cache = new PostingCache(limit);
  for (const term of terms) {
    cache.get(account, state, [term], 'newest');
    cache.put(account, state, new Map([[term, listOf(800)]]), 'newest');
  }
  return cache;
}

test('what was read is known again, to its own account and in its own way of reading alone', () => {
  const cache = filled(100_000, one, 'first', ['refund', 'window']);
  expect([...cache.get(one, 'first', ['window', 'other', 'refund'], 'newest').keys()]).toEqual([
    'window',
    'refund',
  ]);
  expect(cache.get(one, 'first', ['refund'], 'whole').size).toBe(0);
  expect(cache.get(other, 'first', ['refund'], 'newest').size).toBe(0);
});

test('nothing of an account is known or kept once its index is seen in another state', () => {
  const cache = filled(100_000, one, 'first', ['refund', 'window']);
  cache.get(other, 'any', ['refund'], 'newest');
  cache.put(other, 'any', new Map([['refund', listOf(8)]]), 'newest');
  expect(cache.get(one, 'second', ['refund'], 'newest').size).toBe(0);
  expect(cache.get(one, 'first', ['refund'], 'newest').size).toBe(0);
  expect(cache.bytes).toBeLessThan(800);
  expect(cache.get(other, 'any', ['refund'], 'newest').size).toBe(1);
});

test('what was read before a change and comes after it is not kept', () => {
  const cache = new PostingCache();
  cache.get(one, 'first', ['refund'], 'newest');
  cache.get(one, 'second', ['refund'], 'newest');
  cache.put(one, 'first', new Map([['refund', listOf(8)]]), 'newest');
  expect(cache.bytes).toBe(0);
});

test('no more is kept than the limit, and what was used last stays', () => {
  const terms = Array.from({ length: 50 }, (_, at) => `term${at}`);
  const cache = filled(8_000, one, 'first', ['kept', ...terms.slice(0, 5)]);
  for (const term of terms) {
    expect(cache.get(one, 'first', ['kept'], 'newest').size).toBe(1);
    cache.put(one, 'first', new Map([[term, listOf(800)]]), 'newest');
    expect(cache.bytes).toBeLessThanOrEqual(8_000);
  }
  expect(cache.get(one, 'first', ['term0', 'term49'], 'newest').has('term49')).toBe(true);
  expect(cache.get(one, 'first', ['term0'], 'newest').size).toBe(0);
});

test('a term that alone would fill much of it is not kept', () => {
  const cache = filled(2_000, one, 'first', ['refund']);
  expect(cache.bytes).toBe(0);
});

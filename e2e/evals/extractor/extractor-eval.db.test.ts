import { expect, test } from 'vitest';
import { randomFrom } from '../search/random.ts';
import { agreementOf, byRules } from './judge.ts';
import { turnsOf } from './turns.ts';

test('the rules name slot and value of 60% of what is stated outright, and invent a fact in 1% of the other turns at most', () => {
  const { value, invented, misses } = agreementOf(byRules, turnsOf(randomFrom(4_711), 250));
  expect(value, misses.join('\n')).toBeGreaterThanOrEqual(0.6);
  expect(invented, misses.join('\n')).toBeLessThanOrEqual(0.01);
});

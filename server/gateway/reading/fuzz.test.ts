import { describe, expect, it } from 'vitest';
import { fuzzAnswers, fuzzNames, fuzzRequests } from './testing/fuzz.ts';

describe.each(['anthropic', 'openai'] as const)(
  '2,000 made-up bodies of %s',
  { timeout: 120_000 },
  (protocol) => {
    const run = { protocol, count: 2_000, seed: 20261130 };

    it('are read: nothing throws, every slice lies inside, in order and apart from the others', () => {
      expect(fuzzRequests(run)).toBeGreaterThan(run.count);
    });

    it('are read as answers: nothing throws, and none with an error is complete', () => {
      expect(fuzzAnswers(run)).toBeGreaterThan(run.count / 10);
    });

    it('name their messages the same whatever the order of keys, whitespace and escapes', () => {
      expect(fuzzNames({ ...run, count: 500 })).toBeGreaterThan(500);
    });
  },
);

import { expect, it } from 'vitest';
import { inputTokens, outcomeOf, outputTokens } from './words.ts';

const nothing = {
  input: null,
  cacheRead: null,
  cacheWrite5m: null,
  cacheWrite1h: null,
  cacheWriteOther: null,
  output: null,
  reasoning: null,
};

it('tokens that the provider did not count are not shown as zero', () => {
  expect(inputTokens({ usage: null })).toBeNull();
  expect(inputTokens({ usage: nothing })).toBeNull();
  expect(outputTokens({ usage: { ...nothing, reasoning: 0 } })).toBe(0);
});

it('everything that went in is counted once', () => {
  const usage = {
    ...nothing,
    input: 1,
    cacheRead: 10,
    cacheWrite5m: 100,
    cacheWrite1h: 1000,
    cacheWriteOther: 10_000,
  };
  expect(inputTokens({ usage })).toBe(11_111);
});

it('a request that has no ending yet is running', () => {
  expect(outcomeOf({ status: null, ending: null })).toEqual({ words: 'running', tone: 'accent' });
});

it('a refused key is a failure and an overloaded minute is one too', () => {
  expect(outcomeOf({ status: 401, ending: 'complete' }).tone).toBe('bad');
  expect(outcomeOf({ status: 529, ending: 'complete' }).tone).toBe('bad');
  expect(outcomeOf({ status: 429, ending: 'complete' }).tone).toBe('warn');
  expect(outcomeOf({ status: 200, ending: 'upstream_fault' })).toEqual({
    words: '200 broke off',
    tone: 'bad',
  });
});

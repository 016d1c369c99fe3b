import { describe, expect, it } from 'vitest';
import { RateBuckets } from './limits.ts';

describe('rate buckets', () => {
  it('take so many requests a minute and refill evenly', () => {
    const buckets = new RateBuckets();
    const limits = { requestsPerMinute: 2 };
    expect(buckets.take('k', limits, 0)).toBeUndefined();
    expect(buckets.take('k', limits, 0)).toBeUndefined();
    expect(buckets.take('k', limits, 0)).toEqual({ kind: 'requests', limit: 2, retryMs: 30_000 });
    expect(buckets.take('other', limits, 0)).toBeUndefined();
    expect(buckets.take('k', limits, 30_000)).toBeUndefined();
    expect(buckets.take('k', limits, 30_000)).toMatchObject({ retryMs: 30_000 });
  });

  it('let a request pass while tokens are left, then wait for what it used beyond', () => {
    const buckets = new RateBuckets();
    const limits = { inputTokensPerMinute: 600 };
    expect(buckets.take('k', limits, 0)).toBeUndefined();
    buckets.spend('k', 1200, 0);
    expect(buckets.left('k', limits, 'input-tokens', 0)).toBe(0);
    expect(buckets.take('k', limits, 0)).toMatchObject({ kind: 'input-tokens', retryMs: 60_100 });
    expect(buckets.take('k', limits, 60_100)).toBeUndefined();
    expect(buckets.left('k', limits, 'requests', 0)).toBeUndefined();
  });
});

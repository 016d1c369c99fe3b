import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PRICE_ROWS } from '../prices/rows.ts';
import { addTokens, bookCall, promptOf } from './book-call.ts';
import type { CallUsage, Sampling } from './types.ts';

const DAY = Date.UTC(2026, 10, 30);
const count = fc.nat(2_000_000);
const models = [...new Set(PRICE_ROWS.map(({ model }) => model))];
const sampling = (model: fc.Arbitrary<string | null>): fc.Arbitrary<Sampling> =>
  fc.record({
    model,
    input: count,
    write: count,
    writeLong: count,
    read: count,
    output: count,
    reasoning: count,
  });
const usage = fc.record({
  samplings: fc.array(sampling(fc.constantFrom(null, ...models)), { maxLength: 4 }),
  searches: fc.nat(20),
  speed: fc.constant(null),
  regional: fc.boolean(),
  batch: fc.boolean(),
});
const NONE = { input: 0, write: 0, writeLong: 0, read: 0, output: 0, reasoning: 0 };
const plain = { searches: 0, speed: null, regional: false, batch: false };

describe('a booked call', () => {
  test('costs what each bucket of each sampling costs, rounded once for each, and nothing else', () => {
    fc.assert(
      fc.property(fc.constantFrom(...models), usage, (model, used) => {
        const booked = bookCall({ model, at: DAY, usage: used, state: 'reported' });
        const apart = bookCall({ model, at: DAY, usage: { ...used, samplings: [] }, state: 'reported' });
        expect(apart.amount).toBe(BigInt(used.searches) * 10_000_000n);
        const buckets = ['input', 'write', 'writeLong', 'read', 'output'] as const;
        let sum = apart.amount ?? 0n;
        for (const one of used.samplings) {
          for (const bucket of buckets) {
            const row = booked.prices.find((price) => price.model === (one.model ?? model));
            const rate = BigInt(row?.rates[bucket] ?? 0);
            const [up, down] = (row?.factor ?? ['1', '1']).map(BigInt) as [bigint, bigint];
            const tokens = bucket === 'output' ? one.output + one.reasoning : one[bucket];
            sum += (BigInt(tokens) * rate * up + down / 2n) / down;
          }
        }
        expect(booked.amount).toBe(sum);
        expect(booked.tokens).toEqual(used.samplings.reduce(addTokens, NONE));
      }),
    );
  });

  test('has no amount where one of its models has no price, and names that model', () => {
    const used: CallUsage = {
      ...plain,
      samplings: [
        { ...NONE, model: null, output: 5 },
        { ...NONE, model: 'a-model-of-theirs', input: 7 },
      ],
    };
    const booked = bookCall({ model: 'claude-opus-5', at: DAY, usage: used, state: 'reported' });
    expect(booked).toMatchObject({
      amount: null,
      unpriced: ['a-model-of-theirs'],
      tokens: { input: 7, output: 5 },
    });
    expect(booked.prices.map(({ model }) => model)).toEqual(['claude-opus-5']);
  });

  test('is priced by the step of its largest prompt, cached tokens counted', () => {
    const of = (read: number) =>
      bookCall({
        model: 'claude-haiku-5-5',
        at: DAY,
        usage: {
          ...plain,
          samplings: [
            { ...NONE, model: null, read, output: 1 },
            { ...NONE, model: null, input: 1 },
          ],
        },
        state: 'reported',
      });
    expect(of(100_000).prices[0]).toMatchObject({ aboveTokens: 0 });
    expect(of(100_001).prices[0]).toMatchObject({ aboveTokens: 100_000 });
    expect(of(100_001).amount).toBe(100_001n * 50n + 2_500n + 500n);
  });

  test('keeps the price that was in force, so that a later one changes nothing of it', () => {
    const call = (at: number) =>
      bookCall({
        model: 'claude-sonnet-5-5',
        at,
        usage: { ...plain, samplings: [{ ...NONE, model: null, read: 1_000 }] },
        state: 'reported',
      });
    expect(call(Date.UTC(2026, 9, 6)).amount).toBe(200_000n);
    expect(call(Date.UTC(2026, 9, 7)).amount).toBe(100_000n);
    expect(call(Date.UTC(2026, 9, 6)).prices[0]).toMatchObject({
      from: '2025-01-01',
      rates: { read: '200' },
    });
  });
});

test('a prompt is its four disjoint buckets', () => {
  fc.assert(
    fc.property(sampling(fc.constant(null)), (one) => {
      expect(promptOf(one)).toBe(one.input + one.write + one.writeLong + one.read);
    }),
  );
});

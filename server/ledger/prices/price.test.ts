import { calcPrice } from '@pydantic/genai-prices';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costOf, priceOf } from './price.ts';
import { PRICE_ROWS } from './rows.ts';
import type { PriceRow } from './types.ts';

const DAY = Date.UTC(2026, 10, 30);

/** Where the public list is known to be wrong or behind, and why we keep ours. */
const KNOWN_DIFFERENCES: Readonly<Record<string, string>> = {
  'claude-sonnet-5-5':
    'The list matches it by prefix as claude-sonnet-5, whose cache reads cost twice as much.',
};

describe('the price file', () => {
  test('says of every row whose it is, since when, from where and when it was checked', () => {
    for (const row of PRICE_ROWS) {
      expect(row.model).toMatch(/^[a-z0-9.-]+$/);
      expect(row.from).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(row.checked).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(row.source.length).toBeGreaterThan(10);
      expect(row.rates.input).toBeGreaterThan(0n);
      expect(row.rates.read).toBeLessThan(row.rates.input);
      expect(row.rates.output).toBeGreaterThan(row.rates.input);
    }
  });

  test('has one row for a model, a day and a size of prompt', () => {
    const keys = PRICE_ROWS.map((row) => `${row.model} ${row.from} ${row.aboveTokens}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test('agrees with the public list wherever that knows the exact model', () => {
    const compared: string[] = [];
    for (const row of PRICE_ROWS) {
      const promptTokens = row.aboveTokens + 1;
      if (priceOf({ model: row.model, at: DAY, promptTokens })?.row !== row) continue;
      const listed = listedRates(row, promptTokens);
      if (listed === null || row.model in KNOWN_DIFFERENCES) continue;
      compared.push(row.model);
      expect({ model: row.model, above: row.aboveTokens, ...listed }).toEqual({
        model: row.model,
        above: row.aboveTokens,
        ...Object.fromEntries(Object.keys(listed).map((key) => [key, Number(row.rates[key as 'input'])])),
      });
    }
    expect(new Set(compared).size).toBeGreaterThan(20);
  });
});

/** What the public list says, in nano-dollars per token; null where it does not know the exact model. */
function listedRates(row: PriceRow, promptTokens: number): Record<string, number> | null {
  const found = calcPrice({ input_tokens: 1 }, row.model, {
    providerId: row.vendor,
    timestamp: new Date(DAY),
  });
  if (found === null) return null;
  const names = {
    input: 'input_mtok',
    write: 'cache_write_mtok',
    writeLong: 'cache_write_1h_mtok',
    read: 'cache_read_mtok',
    output: 'output_mtok',
  };
  const rates: Record<string, number> = {};
  for (const [ours, theirs] of Object.entries(names)) {
    const price = found.model_price[theirs];
    if (price === undefined) continue;
    const tier =
      typeof price === 'number' ? undefined : price.tiers.findLast((one) => promptTokens > one.start);
    const dollars = typeof price === 'number' ? price : (tier?.price ?? price.base);
    rates[ours] = Math.round(dollars * 1000);
  }
  return rates;
}

describe('a price', () => {
  test('changes with the day, and the old one stays what it was', () => {
    const read = (at: number) =>
      priceOf({ model: 'claude-sonnet-5-5', at, promptTokens: 10 })?.row.rates.read;
    expect(read(Date.UTC(2026, 9, 6, 23, 59))).toBe(200n);
    expect(read(Date.UTC(2026, 9, 7))).toBe(100n);
  });

  test('changes with the size of the prompt, for the whole request', () => {
    const price = (promptTokens: number) => priceOf({ model: 'gpt-6-sol', at: DAY, promptTokens })?.row.rates;
    expect(price(272_000)).toMatchObject({ input: 2_000n, output: 10_000n });
    expect(price(272_001)).toMatchObject({ input: 4_000n, read: 400n, output: 15_000n });
  });

  test('is unknown for a model, a day or a speed that has none, whatever it resembles', () => {
    expect(priceOf({ model: 'claude-sonnet-5-5-20270101', at: DAY, promptTokens: 1 })).toBeNull();
    expect(priceOf({ model: 'gpt-5.6-luna', at: Date.UTC(2026, 6, 29), promptTokens: 1 })).toBeNull();
    expect(priceOf({ model: 'gpt-6.2-sol', at: DAY, promptTokens: 1, speed: 'flex' })).toBeNull();
    expect(priceOf({ model: 'claude-sonnet-5', at: DAY, promptTokens: 1, speed: 'fast' })).toBeNull();
  });

  test('takes speed, region and batch together', () => {
    const at = { model: 'claude-opus-5', at: DAY, promptTokens: 1 };
    const tokens = { input: 10, write: 0, writeLong: 0, read: 0, output: 0 };
    const total = (more: object) => {
      const price = priceOf({ ...at, ...more });
      return price === null ? null : costOf(price, tokens).total;
    };
    expect(total({})).toBe(50_000n);
    expect(total({ speed: 'fast' })).toBe(100_000n);
    expect(total({ regional: true })).toBe(55_000n);
    expect(total({ regional: true, batch: true })).toBe(27_500n);
  });
});

test('the buckets of a cost add up to its total, for every row and any tokens', () => {
  const count = fc.nat(2_000_000);
  const tokens = fc.record({ input: count, write: count, writeLong: count, read: count, output: count });
  fc.assert(
    fc.property(
      fc.constantFrom(...PRICE_ROWS),
      tokens,
      fc.boolean(),
      fc.boolean(),
      (row, used, regional, batch) => {
        const price = priceOf({
          model: row.model,
          at: DAY,
          promptTokens: row.aboveTokens + 1,
          regional,
          batch,
        });
        if (price === null) throw new Error(`${row.model} has no price on the day of the test.`);
        const { total, ...buckets } = costOf(price, used);
        expect(Object.values(buckets).reduce((sum: bigint, one) => sum + one, 0n)).toBe(total);
      },
    ),
  );
});

import { expect, test } from 'vitest';
import { overridesIn, withOverrides } from './overrides.ts';
import { priceOf } from './price.ts';
import { PRICE_ROWS } from './rows.ts';

const at = Date.UTC(2026, 10, 30);

test('a person’s rows stand for all of ours for their models, and bring models that we do not know', () => {
  const read = overridesIn({
    prices: [
      { model: 'claude-opus-5', input: 2.5, output: 12.5, read: 0.25, write: 3.125 },
      { model: 'a-model-of-theirs', input: 1, output: 4 },
    ],
    other: true,
  });
  expect('problems' in read).toBe(false);
  const rows = withOverrides(PRICE_ROWS, read.rows);
  const price = (model: string) => priceOf({ model, at, promptTokens: 1 }, rows)?.row.rates;
  expect(price('claude-opus-5')).toEqual({
    input: 2500n,
    output: 12500n,
    read: 250n,
    write: 3125n,
    writeLong: 3125n,
  });
  expect(price('a-model-of-theirs')).toEqual({
    input: 1000n,
    output: 4000n,
    read: 1000n,
    write: 1000n,
    writeLong: 1000n,
  });
  expect(price('gpt-6-sol')).toEqual(priceOf({ model: 'gpt-6-sol', at, promptTokens: 1 })?.row.rates);
});

test('what cannot be a price is named with its place, and then none of the rows is taken', () => {
  const read = overridesIn({
    prices: [
      { model: 'm', input: 0.0001, output: 4 },
      { model: 'n', output: 'much' },
    ],
  });
  expect(read.rows).toEqual([]);
  expect('problems' in read && read.problems).toEqual(
    expect.arrayContaining([
      expect.stringContaining('prices.0.input'),
      expect.stringContaining('prices.1.input'),
    ]),
  );
});

test('no file is no override', () => {
  expect(overridesIn(null)).toEqual({ rows: [] });
});

import { type NanoDollars, nanoDollars, scaled } from '../../kernel/money.ts';
import { PRICE_ROWS } from './rows.ts';
import type { Factor, Price, PriceQuestion, PriceRow, Rates } from './types.ts';

const STANDARD = new Set(['standard', 'standard_only', 'default', 'auto']);
const REGIONAL: Factor = [11n, 10n];
const BATCH: Factor = [1n, 2n];

/**
 * The price of a request; null where the model, its day or its speed has none. Exact ids only: a model is never priced
 * by the name it resembles.
 */
export function priceOf(question: PriceQuestion, rows: readonly PriceRow[] = PRICE_ROWS): Price | null {
  const day = new Date(question.at).toISOString().slice(0, 10);
  const held = rows.filter((row) => row.model === question.model && row.from <= day);
  const newest = held
    .map((row) => row.from)
    .sort()
    .at(-1);
  const row = held
    .filter(
      (one) => one.from === newest && (one.aboveTokens === 0 || question.promptTokens > one.aboveTokens),
    )
    .sort((a, b) => b.aboveTokens - a.aboveTokens)[0];
  if (row === undefined) return null;
  const speed = question.speed ?? 'standard';
  const ofSpeed: Factor | undefined = STANDARD.has(speed) ? [1n, 1n] : row.speeds[speed];
  if (ofSpeed === undefined) return null;
  const factors = [ofSpeed, ...(question.regional ? [REGIONAL] : []), ...(question.batch ? [BATCH] : [])];
  return { row, factor: factors.reduce(([n, d], [up, down]): Factor => [n * up, d * down], [1n, 1n]) };
}

/** Tokens of a call in disjoint buckets; those that the provider did not report count as none. */
export interface PricedTokens {
  readonly input: number;
  readonly write: number;
  readonly writeLong: number;
  readonly read: number;
  readonly output: number;
}

/** What tokens cost, by bucket and together. Each bucket is rounded by itself, so that the buckets add up to the total. */
export function costOf(
  price: Price,
  tokens: PricedTokens,
): { readonly [K in keyof Rates | 'total']: NanoDollars } {
  const part = (bucket: keyof Rates) =>
    scaled(BigInt(tokens[bucket]) * price.row.rates[bucket], ...price.factor);
  const parts = {
    input: part('input'),
    write: part('write'),
    writeLong: part('writeLong'),
    read: part('read'),
    output: part('output'),
  };
  return { ...parts, total: nanoDollars(Object.values(parts).reduce((sum, one) => sum + one, 0n)) };
}

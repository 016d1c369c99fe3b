import type { NanoDollars } from '../../kernel/money.ts';
import { nanoDollars } from '../../kernel/money.ts';
import { costOf, type PricedTokens, priceOf } from '../prices/price.ts';
import type { Price, PriceRow } from '../prices/types.ts';
import type { BookedCall, CallUsage, PriceInForce, Sampling, UsageState, UsedTokens } from './types.ts';

/** A web search in nano-dollars: 10 dollars for a thousand (Anthropic pricing page, November 2026). */
const SEARCH = 10_000_000n;

/** No tokens at all. */
export const NO_TOKENS: UsedTokens = { input: 0, write: 0, writeLong: 0, read: 0, output: 0, reasoning: 0 };

/** What a call is booked with. */
export interface CallToBook {
  /** The model that the request asked for; null: it named none, so that nothing has a price. */
  readonly model: string | null;
  /** Milliseconds since 1970 at which the request was received. */
  readonly at: number;
  readonly usage: CallUsage;
  readonly state: UsageState;
}

/**
 * Books a call: tokens by bucket, and money at the prices in force. Money is rounded once for each bucket of each sampling.
 * Samplings of one model are one request to the provider: the size of the largest prompt decides the step of all of them.
 * Where one model has no price the call has no amount: a part of the cost is never shown as the whole.
 */
export function bookCall(call: CallToBook, rows?: readonly PriceRow[]): BookedCall {
  const { usage, state } = call;
  const byModel = new Map<string, Sampling[]>();
  for (const sampling of usage.samplings) {
    const model = sampling.model ?? call.model ?? '';
    byModel.set(model, [...(byModel.get(model) ?? []), sampling]);
  }
  let amount = BigInt(usage.searches) * SEARCH;
  const prices: PriceInForce[] = [];
  const unpriced: string[] = [];
  for (const [model, samplings] of byModel) {
    const price = priceOfCall(call, model, Math.max(...samplings.map(promptOf)), rows);
    if (price === null) {
      unpriced.push(model);
      continue;
    }
    prices.push(inForce(model, price));
    for (const sampling of samplings) amount += costOf(price, pricedTokens(sampling)).total;
  }
  return {
    state,
    tokens: usage.samplings.reduce(addTokens, NO_TOKENS),
    searches: usage.searches,
    amount: unpriced.length > 0 ? null : nanoDollars(amount),
    prices,
    unpriced,
  };
}

/** The price of a call's model for a prompt of this size; null: there is none. */
export function priceOfCall(
  { at, usage }: Pick<CallToBook, 'at' | 'usage'>,
  model: string,
  promptTokens: number,
  rows?: readonly PriceRow[],
): Price | null {
  const { speed, regional, batch } = usage;
  return priceOf({ model, at, promptTokens, speed, regional, batch }, rows);
}

/** What tokens cost at a price. */
export function amountOf(price: Price, tokens: UsedTokens): NanoDollars {
  return costOf(price, pricedTokens(tokens)).total;
}

/** The whole prompt of a sampling, cached tokens counted. */
export function promptOf({ input, write, writeLong, read }: UsedTokens): number {
  return input + write + writeLong + read;
}

/** The sum of two, bucket by bucket. */
export function addTokens(one: UsedTokens, other: UsedTokens): UsedTokens {
  return {
    input: one.input + other.input,
    write: one.write + other.write,
    writeLong: one.writeLong + other.writeLong,
    read: one.read + other.read,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
  };
}

/** Reasoning costs what other output costs. */
function pricedTokens({ input, write, writeLong, read, output, reasoning }: UsedTokens): PricedTokens {
  return { input, write, writeLong, read, output: output + reasoning };
}

function inForce(model: string, { row, factor }: Price): PriceInForce {
  const { input, write, writeLong, read, output } = row.rates;
  return {
    model,
    from: row.from,
    source: row.source,
    aboveTokens: row.aboveTokens,
    rates: {
      input: `${input}`,
      write: `${write}`,
      writeLong: `${writeLong}`,
      read: `${read}`,
      output: `${output}`,
    },
    factor: [`${factor[0]}`, `${factor[1]}`],
  };
}

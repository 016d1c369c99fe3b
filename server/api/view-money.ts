import type { Usage } from '../conversation/index.ts';
import type { Millis } from '../kernel/clock.ts';
import { dollarsText, type NanoDollars, nanoDollars, scaled } from '../kernel/money.ts';
import { costOf, type Price, priceOf } from '../ledger/index.ts';

/** What a request cost by list prices, and what its left-out tokens would have. Dollars with nine places. */
export interface ViewMoney {
  /** By the tokens that the provider counted; null: it counted none. */
  readonly cost: string | null;
  /** Tokens that were left out (an estimate), had they been read from the cache, or sent anew. Null: none were. */
  readonly leftOut: { readonly tokens: number; readonly asRead: string; readonly asInput: string } | null;
  /** Day on which the price was last compared with its source. */
  readonly checked: string;
}

interface MoneyQuestion {
  readonly model: string | null;
  readonly at: Millis;
  readonly usage: Usage | null;
  /** Estimated tokens of the prompt as the client sent it and as it went out; null: not known. */
  readonly tokens: { readonly client: number; readonly sent: number } | null;
}

/** The money of a request at its standard list price; null for a model that has none. */
export function viewMoney({ model, at, usage, tokens }: MoneyQuestion): ViewMoney | null {
  const prompt = usage === null ? (tokens?.sent ?? 0) : promptOf(usage);
  const price = model === null ? null : priceOf({ model, at, promptTokens: prompt });
  if (price === null) return null;
  const left = tokens === null ? 0 : tokens.client - tokens.sent;
  return {
    cost: usage === null ? null : dollarsText(costOfUsage(price, usage)),
    leftOut:
      left <= 0
        ? null
        : {
            tokens: left,
            asRead: dollarsText(costAt(price, 'read', left)),
            asInput: dollarsText(costAt(price, 'input', left)),
          },
    checked: price.row.checked,
  };
}

/** What a layout would change, by list prices. Dollars with nine places. */
export interface PreviewMoney {
  /** The prompt of one request, read from the cache: as it is, and under the new layout. */
  readonly readNow: string;
  readonly readThen: string;
  /** Writing the new prompt to the cache, once; all of it, which is the most that it can be. */
  readonly write: string;
  /** Requests after which the cheaper reads have paid the writing; null: they never do. */
  readonly breakEven: number | null;
  readonly checked: string;
}

/** The money of a layout that is not made yet; null for a model without a price. */
export function previewMoney(question: {
  readonly model: string;
  readonly at: Millis;
  readonly tokensNow: number;
  readonly tokensThen: number;
  readonly cacheMark: '5m' | '1h' | null;
}): PreviewMoney | null {
  const { model, at, tokensNow, tokensThen, cacheMark } = question;
  const long = priceOf({ model, at, promptTokens: tokensNow });
  const short = priceOf({ model, at, promptTokens: tokensThen });
  if (long === null || short === null) return null;
  const readNow = costAt(long, 'read', tokensNow);
  const readThen = costAt(short, 'read', tokensThen);
  const write = costAt(short, cacheMark === '1h' ? 'writeLong' : 'write', tokensThen);
  return {
    readNow: dollarsText(readNow),
    readThen: dollarsText(readThen),
    write: dollarsText(write),
    breakEven: breakEvenOf(readNow, readThen, write),
    checked: short.row.checked,
  };
}

/** The fewest requests whose cheaper reads together reach what writing costs; null where they are not cheaper. */
export function breakEvenOf(readNow: NanoDollars, readThen: NanoDollars, write: NanoDollars): number | null {
  const gain = readNow - readThen;
  if (gain <= 0n) return null;
  return Number((write + gain - 1n) / gain);
}

function costAt(price: Price, bucket: 'input' | 'read' | 'write' | 'writeLong', tokens: number): NanoDollars {
  return scaled(BigInt(Math.max(0, Math.round(tokens))) * price.row.rates[bucket], ...price.factor);
}

function costOfUsage(price: Price, usage: Usage): NanoDollars {
  return nanoDollars(
    costOf(price, {
      input: usage.input ?? 0,
      write: (usage.cacheWrite5m ?? 0) + (usage.cacheWriteOther ?? 0),
      writeLong: usage.cacheWrite1h ?? 0,
      read: usage.cacheRead ?? 0,
      output: (usage.output ?? 0) + (usage.reasoning ?? 0),
    }).total,
  );
}

function promptOf(usage: Usage): number {
  return (
    (usage.input ?? 0) +
    (usage.cacheRead ?? 0) +
    (usage.cacheWrite5m ?? 0) +
    (usage.cacheWrite1h ?? 0) +
    (usage.cacheWriteOther ?? 0)
  );
}

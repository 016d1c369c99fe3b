import type { JsonObject } from '../json.ts';
import type { Charge } from '../wire/log.ts';
import type { CacheSplit } from './cache.ts';
import type { AnthropicModel, Price } from './models.ts';

/** A web search in nano-dollars: 10 USD for a thousand. */
const SEARCH_NANO_DOLLARS = 10_000_000;

/**
 * A request's cost at list price of that day; `undefined` for a model without a price. `splits` are the prompts that
 * were read: a compaction reads one of its own. The dearer tier goes by the largest.
 */
export function chargeOf(
  model: AnthropicModel,
  splits: readonly CacheSplit[],
  outputTokens: number,
  body: JsonObject,
  nowMs: number,
  searches = 0,
): Charge | undefined {
  const sizes = splits.map(
    (part) => part.inputTokens + part.readTokens + part.write5mTokens + part.write1hTokens,
  );
  const prompt = Math.max(0, ...sizes);
  const sum = (pick: (part: CacheSplit) => number) => splits.reduce((all, part) => all + pick(part), 0);
  const price = priceOn(model.prices, nowMs, prompt);
  if (price === undefined) return undefined;
  const counts = [
    ['input', sum((part) => part.inputTokens), price.input],
    ['cache_write_5m', sum((part) => part.write5mTokens), price.write5m],
    ['cache_write_1h', sum((part) => part.write1hTokens), price.write1h],
    ['cache_read', sum((part) => part.readTokens), price.read],
    ['output', outputTokens, price.output],
  ] as const;
  const isFast = body.speed === 'fast' && model.fast;
  const isRegional = body.inference_geo === 'us';
  const lines: { part: string; tokens: number; nanoDollars: number }[] = counts.map(
    ([part, tokens, each]) => {
      const plain = tokens * each * (isFast ? 2 : 1);
      // Regional inference costs a tenth more on everything.
      return { part, tokens, nanoDollars: isRegional ? Math.round((plain * 11) / 10) : plain };
    },
  );
  if (searches > 0) {
    lines.push({ part: 'web_search', tokens: searches, nanoDollars: searches * SEARCH_NANO_DOLLARS });
  }
  return { model: model.id, lines, nanoDollars: lines.reduce((sum, line) => sum + line.nanoDollars, 0) };
}

function priceOn(prices: readonly Price[], nowMs: number, promptTokens: number): Price | undefined {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  return prices
    .filter((price) => price.from <= day && (price.aboveTokens === 0 || promptTokens > price.aboveTokens))
    .reduce<Price | undefined>((best, price) => {
      if (best === undefined || price.aboveTokens > best.aboveTokens) return price;
      return price.aboveTokens === best.aboveTokens && price.from >= best.from ? price : best;
    }, undefined);
}

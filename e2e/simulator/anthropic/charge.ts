import type { JsonObject } from '../json.ts';
import type { Charge } from '../wire/log.ts';
import type { CacheSplit } from './cache.ts';
import type { AnthropicModel, Price } from './models.ts';

/** A request's cost at list price of that day; `undefined` for a model without a price. */
export function chargeOf(
  model: AnthropicModel,
  split: CacheSplit,
  outputTokens: number,
  body: JsonObject,
  nowMs: number,
): Charge | undefined {
  const prompt = split.inputTokens + split.readTokens + split.write5mTokens + split.write1hTokens;
  const price = priceOn(model.prices, nowMs, prompt);
  if (price === undefined) return undefined;
  const counts = [
    ['input', split.inputTokens, price.input],
    ['cache_write_5m', split.write5mTokens, price.write5m],
    ['cache_write_1h', split.write1hTokens, price.write1h],
    ['cache_read', split.readTokens, price.read],
    ['output', outputTokens, price.output],
  ] as const;
  const isRegional = body.inference_geo === 'us';
  const lines = counts.map(([part, tokens, each]) => {
    const plain = tokens * each;
    // Regional inference costs a tenth more on everything.
    return { part, tokens, nanoDollars: isRegional ? Math.round((plain * 11) / 10) : plain };
  });
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

import type { Charge } from '../wire/log.ts';
import type { InputSplit } from './cache.ts';
import type { OpenAiModel } from './models.ts';

/** Above so many input tokens the whole request costs double on input and half as much again on output. */
const STEP_TOKENS = 272_000;

/** A request's cost at list price; `undefined` for a model without a price. `tier` is the request's service tier. */
export function chargeOfResponse(
  model: OpenAiModel,
  split: InputSplit,
  outputTokens: number,
  tier: string | undefined,
): Charge | undefined {
  const { price } = model;
  if (price === undefined) return undefined;
  const isLong = price.steps && split.totalTokens > STEP_TOKENS;
  const ordinary = split.totalTokens - split.cachedTokens - split.writtenTokens;
  const counts = [
    ['input', ordinary, price.input, isLong ? 2 : 1],
    ['cached_input', split.cachedTokens, price.cached, isLong ? 2 : 1],
    ['cache_write', split.writtenTokens - split.written12hTokens, price.write ?? price.input, isLong ? 2 : 1],
    // Twelve hours cost twice what half an hour costs.
    ['cache_write_12h', split.written12hTokens, (price.write ?? price.input) * 2, isLong ? 2 : 1],
    ['output', outputTokens, price.output, isLong ? 1.5 : 1],
  ] as const;
  const factor =
    tier === 'flex' ? 0.5 : tier === 'priority' || tier === 'fast' ? 2 : tier === 'ultrafast' ? 3 : 1;
  const lines = counts
    .filter(([part, tokens]) => part !== 'cache_write_12h' || tokens > 0)
    .map(([part, tokens, each, step]) => ({
      part,
      tokens,
      nanoDollars: Math.round(tokens * each * step * factor),
    }));
  return { model: model.id, lines, nanoDollars: lines.reduce((sum, line) => sum + line.nanoDollars, 0) };
}

import { nanoDollars } from '../../kernel/money.ts';
import type { PriceRow, Rates } from './types.ts';

/** Day on which every row was last compared with its source. */
const CHECKED = '2026-11-30';
/** A price that held before we began to book: rows that never changed since. */
const ALWAYS = '2025-01-01';
const ANTHROPIC_DOCS = 'Anthropic pricing page, November 2026';
const CATALOGUE = 'pi-ai model catalogue, 2026-11-20';

/** USD per million tokens, at most three places, as nano-dollars per token. */
function rate(dollarsPerMillion: number) {
  return nanoDollars(Math.round(dollarsPerMillion * 1000));
}

function anthropic(
  models: readonly string[],
  [input, write5m, write1h, read, output]: readonly [number, number, number, number, number],
  more: {
    readonly from?: string;
    readonly aboveTokens?: number;
    readonly fast?: boolean;
    readonly source?: string;
  } = {},
): PriceRow[] {
  const rates: Rates = {
    input: rate(input),
    write: rate(write5m),
    writeLong: rate(write1h),
    read: rate(read),
    output: rate(output),
  };
  return models.map((model) => ({
    vendor: 'anthropic',
    model,
    from: more.from ?? ALWAYS,
    aboveTokens: more.aboveTokens ?? 0,
    rates,
    speeds: more.fast ? FAST_TWICE : {},
    source: more.source ?? ANTHROPIC_DOCS,
    checked: CHECKED,
  }));
}

/** Fast mode of Claude Opus costs twice the standard price, cache prices included. */
const FAST_TWICE = { fast: [2n, 1n] } as const;
const OPENAI_SPEEDS = { flex: [1n, 2n], priority: [2n, 1n], fast: [2n, 1n], ultrafast: [3n, 1n] } as const;
/** GPT-6.2 is not sold as Flex. */
const OPENAI_SPEEDS_6_2 = { priority: [2n, 1n], fast: [2n, 1n], ultrafast: [3n, 1n] } as const;

/** Above this many input tokens the whole request costs twice on input and cache, half again on output. */
const OPENAI_STEP_TOKENS = 272_000;

function openai(
  models: readonly string[],
  [input, cached, write, output]: readonly [number, number, number | null, number],
  step: boolean,
  from: string = ALWAYS,
): PriceRow[] {
  const tier = (aboveTokens: number, onInput: number, onOutput: number): PriceRow[] =>
    models.map((model) => ({
      vendor: 'openai',
      model,
      from,
      aboveTokens,
      rates: {
        input: rate(input * onInput),
        // Before GPT-5.6 a write costs what the tokens cost as input; since then 1.25 times, 2.5 times for twelve hours.
        write: rate((write ?? input) * onInput),
        writeLong: rate((write === null ? input : input * 2.5) * onInput),
        read: rate(cached * onInput),
        output: rate(output * onOutput),
      },
      speeds: model.startsWith('gpt-6.2') ? OPENAI_SPEEDS_6_2 : OPENAI_SPEEDS,
      source: CATALOGUE,
      checked: CHECKED,
    }));
  return step ? [...tier(0, 1, 1), ...tier(OPENAI_STEP_TOKENS, 2, 1.5)] : tier(0, 1, 1);
}

/**
 * List prices, one row for each model, day from which it holds, and size of prompt. Ids are exact: a model that is not
 * here has no price, and no other model's price is taken for it.
 */
export const PRICE_ROWS: readonly PriceRow[] = [
  ...anthropic(['claude-fable-5-2', 'claude-mythos-5-2'], [8, 10, 16, 0.2, 40], {
    source: `${CATALOGUE}; the one-hour write is inferred as twice the input`,
  }),
  ...anthropic(['claude-fable-5-1', 'claude-mythos-5-1'], [10, 12.5, 20, 0.25, 50]),
  ...anthropic(['claude-fable-5', 'claude-mythos-5'], [10, 12.5, 20, 1, 50]),
  ...anthropic(['claude-opus-5-5'], [4, 5, 8, 0.2, 20], { fast: true }),
  ...anthropic(['claude-opus-5', 'claude-opus-4-8'], [5, 6.25, 10, 0.5, 25], { fast: true }),
  ...anthropic(
    ['claude-opus-4-7', 'claude-opus-4-6', 'claude-opus-4-5', 'claude-opus-4-5-20251101'],
    [5, 6.25, 10, 0.5, 25],
  ),
  ...anthropic(['claude-sonnet-5-5'], [2, 2.5, 4, 0.2, 10]),
  ...anthropic(['claude-sonnet-5-5'], [2, 2.5, 4, 0.1, 10], {
    from: '2026-10-07',
    source: `${CATALOGUE}; reports of the lower price for cache reads`,
  }),
  ...anthropic(['claude-sonnet-5'], [2, 2.5, 4, 0.2, 10]),
  ...anthropic(
    ['claude-sonnet-4-6', 'claude-sonnet-4-5', 'claude-sonnet-4-5-20250929', 'claude-sonnet-4-20250514'],
    [3, 3.75, 6, 0.3, 15],
  ),
  ...anthropic(['claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'], [6, 7.5, 12, 0.6, 22.5], {
    aboveTokens: 200_000,
    source: 'genai-prices 0.1.8 (long context of this model alone)',
  }),
  ...anthropic(['claude-haiku-5-5'], [0.1, 0.125, 0.2, 0.01, 0.5]),
  ...anthropic(['claude-haiku-5-5'], [0.5, 0.625, 1, 0.05, 2.5], { aboveTokens: 100_000 }),
  ...anthropic(['claude-haiku-4-5', 'claude-haiku-4-5-20251001'], [1, 1.25, 2, 0.1, 5]),
  ...openai(['gpt-6.2-astra'], [8, 0.4, 10, 40], true),
  ...openai(['gpt-6.2-sol', 'gpt-6.1-sol'], [2, 0.1, 2.5, 10], true),
  ...openai(['gpt-6.1-terra'], [1, 0.05, 1.25, 5], true),
  ...openai(['gpt-6-astra'], [10, 1, 12.5, 50], true),
  ...openai(['gpt-6-sol'], [2, 0.2, 2.5, 10], true),
  ...openai(['gpt-6-luna'], [0.1, 0.01, 0.125, 0.5], true),
  ...openai(['gpt-5.6-sol'], [4, 0.4, 5, 20], true),
  ...openai(['gpt-5.6-terra'], [2, 0.2, 2.5, 12], true, '2026-07-30'),
  ...openai(['gpt-5.6-luna'], [0.2, 0.02, 0.25, 1.2], true, '2026-07-30'),
  ...openai(['gpt-5.5'], [5, 0.5, null, 30], true),
  ...openai(['gpt-5.4'], [2.5, 0.25, null, 15], true),
  ...openai(['gpt-5.4-mini'], [0.75, 0.075, null, 4.5], false),
  ...openai(['gpt-5.3-codex', 'gpt-5.2'], [1.75, 0.175, null, 14], false),
  ...openai(['gpt-5', 'gpt-5.1'], [1.25, 0.125, null, 10], false),
  ...openai(['gpt-5-mini'], [0.25, 0.025, null, 2], false),
  ...openai(['gpt-5-nano'], [0.05, 0.005, null, 0.4], false),
];

/**
 * Prices of a model in nano-dollars (10^-9 USD) per token: 1 USD per million tokens is 1,000 nano-dollars per token.
 * `aboveTokens` starts a dearer tier for the whole request, counted on the whole prompt, cache tokens too.
 */
export type Price = {
  readonly from: string;
  readonly aboveTokens: number;
  readonly input: number;
  readonly write5m: number;
  readonly write1h: number;
  readonly read: number;
  readonly output: number;
};

/** What the simulator knows of a model of the Messages API. */
export type AnthropicModel = {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly windowTokens: number;
  readonly maxOutputTokens: number;
  readonly cacheMinimumTokens: number;
  /** Thinking types that are accepted. */
  readonly thinking: readonly ('adaptive' | 'enabled' | 'disabled' | 'between_tools')[];
  /** Thinks also when the request does not ask for it. */
  readonly alwaysThinks: boolean;
  readonly systemRole: boolean;
  readonly prefill: boolean;
  readonly sampling: boolean;
  readonly forcedToolChoice: boolean;
  /** Input plus max_tokens above the window is refused (old models) or stops at the window (new models). */
  readonly refusesOverlongOutput: boolean;
  /** Fast mode exists, at twice the price (reported). */
  readonly fast: boolean;
  /** Whether thinking is bound to the exact conversation before it, and what a mismatch does by default. */
  readonly binding: 'none' | 'recorded' | 'enforced-new-accounts' | 'enforced';
  readonly prices: readonly Price[];
};

const usd = (
  from: string,
  input: number,
  write5m: number,
  write1h: number,
  read: number,
  output: number,
): Price => ({
  from,
  aboveTokens: 0,
  input: Math.round(input * 1000),
  write5m: Math.round(write5m * 1000),
  write1h: Math.round(write1h * 1000),
  read: Math.round(read * 1000),
  output: Math.round(output * 1000),
});

const START = '2025-01-01';
const FABLE_5_2 = [usd(START, 8, 10, 16, 0.2, 40)];
const FABLE_5_1 = [usd(START, 10, 12.5, 20, 0.25, 50)];
const FABLE_5 = [usd(START, 10, 12.5, 20, 1, 50)];
const OPUS_5_5 = [usd(START, 4, 5, 8, 0.2, 20)];
const OPUS = [usd(START, 5, 6.25, 10, 0.5, 25)];
const SONNET_5_5 = [usd(START, 2, 2.5, 4, 0.2, 10), usd('2026-10-07', 2, 2.5, 4, 0.1, 10)];
const SONNET_5 = [usd(START, 2, 2.5, 4, 0.2, 10)];
const SONNET_4 = [usd(START, 3, 3.75, 6, 0.3, 15)];
const HAIKU_5_5 = [
  usd(START, 0.1, 0.125, 0.2, 0.01, 0.5),
  { ...usd(START, 0.5, 0.625, 1, 0.05, 2.5), aboveTokens: 100_000 },
];
const HAIKU_4_5 = [usd(START, 1, 1.25, 2, 0.1, 5)];

const MODERN: Omit<AnthropicModel, 'id' | 'prices'> = {
  aliases: [],
  windowTokens: 1_000_000,
  maxOutputTokens: 128_000,
  cacheMinimumTokens: 512,
  thinking: ['adaptive', 'disabled', 'between_tools'],
  alwaysThinks: false,
  systemRole: true,
  prefill: false,
  sampling: false,
  forcedToolChoice: true,
  refusesOverlongOutput: false,
  fast: false,
  binding: 'none',
};

const SMALL: Omit<AnthropicModel, 'id' | 'prices'> = {
  ...MODERN,
  windowTokens: 200_000,
  maxOutputTokens: 64_000,
  cacheMinimumTokens: 1_024,
  thinking: ['enabled', 'disabled'],
  systemRole: false,
  prefill: true,
  sampling: true,
};

const ALWAYS: Omit<AnthropicModel, 'id' | 'prices'> = {
  ...MODERN,
  thinking: ['adaptive', 'between_tools'],
  alwaysThinks: true,
};

/** The models, as of 2026-11-30. Cache minimums of the 5.5 family and of Fable 5.2 are not known: 512 is assumed. */
export const ANTHROPIC_MODELS: readonly AnthropicModel[] = [
  ...(['fable', 'mythos'] as const).flatMap((family): AnthropicModel[] => [
    {
      ...ALWAYS,
      id: `claude-${family}-5-2`,
      forcedToolChoice: false,
      binding: 'enforced',
      prices: FABLE_5_2,
    },
    {
      ...ALWAYS,
      id: `claude-${family}-5-1`,
      forcedToolChoice: false,
      binding: family === 'fable' ? 'enforced-new-accounts' : 'recorded',
      prices: FABLE_5_1,
    },
    { ...ALWAYS, id: `claude-${family}-5`, prices: FABLE_5 },
  ]),
  {
    ...ALWAYS,
    id: 'claude-opus-5-5',
    fast: true,
    forcedToolChoice: false,
    binding: 'enforced-new-accounts',
    prices: OPUS_5_5,
  },
  { ...MODERN, id: 'claude-opus-5', fast: true, prices: OPUS },
  { ...MODERN, id: 'claude-opus-4-8', fast: true, cacheMinimumTokens: 1_024, prices: OPUS },
  { ...MODERN, id: 'claude-opus-4-7', cacheMinimumTokens: 2_048, systemRole: false, prices: OPUS },
  {
    ...MODERN,
    id: 'claude-opus-4-6',
    cacheMinimumTokens: 4_096,
    systemRole: false,
    thinking: ['adaptive', 'enabled', 'disabled'],
    sampling: true,
    prices: OPUS,
  },
  {
    ...SMALL,
    id: 'claude-opus-4-5-20251101',
    aliases: ['claude-opus-4-5'],
    cacheMinimumTokens: 4_096,
    prices: OPUS,
  },
  { ...MODERN, id: 'claude-sonnet-5-5', forcedToolChoice: false, binding: 'recorded', prices: SONNET_5_5 },
  { ...MODERN, id: 'claude-sonnet-5', cacheMinimumTokens: 1_024, prices: SONNET_5 },
  {
    ...MODERN,
    id: 'claude-sonnet-4-6',
    cacheMinimumTokens: 1_024,
    systemRole: false,
    thinking: ['adaptive', 'enabled', 'disabled'],
    sampling: true,
    prices: SONNET_4,
  },
  { ...SMALL, id: 'claude-sonnet-4-5-20250929', aliases: ['claude-sonnet-4-5'], prices: SONNET_4 },
  {
    ...SMALL,
    id: 'claude-sonnet-4-20250514',
    aliases: ['claude-sonnet-4'],
    refusesOverlongOutput: true,
    prices: SONNET_4,
  },
  { ...MODERN, id: 'claude-haiku-5-5', binding: 'recorded', prices: HAIKU_5_5 },
  {
    ...SMALL,
    id: 'claude-haiku-4-5-20251001',
    aliases: ['claude-haiku-4-5'],
    cacheMinimumTokens: 4_096,
    prices: HAIKU_4_5,
  },
];

/** The model of that id or alias. */
export function findAnthropicModel(name: string): AnthropicModel | undefined {
  return ANTHROPIC_MODELS.find((model) => model.id === name || model.aliases.includes(name));
}

/** A stand-in for a model that the table does not hold, for tests that switch the refusal of unknown models off. */
export function unknownAnthropicModel(name: string): AnthropicModel {
  return {
    ...MODERN,
    id: name,
    thinking: ['adaptive', 'enabled', 'disabled', 'between_tools'],
    sampling: true,
    prices: [],
  };
}

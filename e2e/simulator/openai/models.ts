/** Prices in nano-dollars per token; `steps` says whether the dearer tier above 272,000 input tokens exists. */
export type OpenAiPrice = {
  readonly input: number;
  readonly cached: number;
  /** `undefined`: cache writes cost nothing extra and are not counted. */
  readonly write: number | undefined;
  readonly output: number;
  readonly steps: boolean;
};

/** What the simulator knows of a model of the Responses API. */
export type OpenAiModel = {
  readonly id: string;
  readonly windowTokens: number;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  /** Minutes that a cached prefix lives after its last use. */
  readonly cacheMinutes: number;
  readonly cacheMinimumTokens: number;
  readonly effortNone: boolean;
  readonly sampling: boolean;
  /** Reasoning after an edited prefix is dropped and reported. */
  readonly dropsOnPrefixMismatch: boolean;
  /** `instructions` are rendered behind the input. */
  readonly instructionsLast: boolean;
  /** Tools are refused on Chat Completions. */
  readonly toolsNeedResponses: boolean;
  readonly price: OpenAiPrice | undefined;
};

const usd = (
  input: number,
  cached: number,
  write: number | undefined,
  output: number,
  steps: boolean,
): OpenAiPrice => ({
  input: Math.round(input * 1000),
  cached: Math.round(cached * 1000),
  write: write === undefined ? undefined : Math.round(write * 1000),
  output: Math.round(output * 1000),
  steps,
});

const LARGE: Omit<OpenAiModel, 'id' | 'price'> = {
  windowTokens: 1_050_000,
  maxInputTokens: 922_000,
  maxOutputTokens: 128_000,
  cacheMinutes: 30,
  cacheMinimumTokens: 1_024,
  effortNone: true,
  sampling: true,
  dropsOnPrefixMismatch: false,
  instructionsLast: false,
  toolsNeedResponses: false,
};
const OLD: Omit<OpenAiModel, 'id' | 'price'> = {
  ...LARGE,
  windowTokens: 400_000,
  maxInputTokens: 272_000,
  cacheMinutes: 10,
};
const GPT_6_1 = { ...LARGE, effortNone: false, sampling: false, toolsNeedResponses: true };
const GPT_6_2 = { ...GPT_6_1, dropsOnPrefixMismatch: true, instructionsLast: true };
const BEFORE_5_6 = { ...LARGE, cacheMinutes: 10 };

/** The models, list prices as of 2026-11-30. */
export const OPENAI_MODELS: readonly OpenAiModel[] = [
  { ...GPT_6_2, id: 'gpt-6.2-astra', price: usd(8, 0.4, 10, 40, true) },
  { ...GPT_6_2, id: 'gpt-6.2-sol', price: usd(2, 0.1, 2.5, 10, true) },
  { ...GPT_6_1, id: 'gpt-6.1-sol', price: usd(2, 0.1, 2.5, 10, true) },
  { ...GPT_6_1, id: 'gpt-6.1-terra', price: usd(1, 0.05, 1.25, 5, true) },
  { ...LARGE, id: 'gpt-6-astra', price: usd(10, 1, 12.5, 50, true) },
  { ...LARGE, id: 'gpt-6-sol', price: usd(2, 0.2, 2.5, 10, true) },
  { ...LARGE, id: 'gpt-6-luna', price: usd(0.1, 0.01, 0.125, 0.5, true) },
  { ...LARGE, id: 'gpt-5.6-sol', price: usd(4, 0.4, 5, 20, true) },
  { ...LARGE, id: 'gpt-5.6-terra', price: usd(2, 0.2, 2.5, 12, true) },
  { ...LARGE, id: 'gpt-5.6-luna', price: usd(0.2, 0.02, 0.25, 1.2, true) },
  { ...BEFORE_5_6, id: 'gpt-5.5', price: usd(5, 0.5, undefined, 30, true) },
  { ...BEFORE_5_6, id: 'gpt-5.4', price: usd(2.5, 0.25, undefined, 15, true) },
  { ...BEFORE_5_6, id: 'gpt-5.4-mini', price: usd(0.75, 0.075, undefined, 4.5, true) },
  { ...OLD, id: 'gpt-5.3-codex', price: usd(1.75, 0.175, undefined, 14, false) },
  { ...OLD, id: 'gpt-5.2', price: usd(1.75, 0.175, undefined, 14, false) },
  { ...OLD, id: 'gpt-5.1', price: usd(1.25, 0.125, undefined, 10, false) },
  { ...OLD, id: 'gpt-5', price: usd(1.25, 0.125, undefined, 10, false) },
  { ...OLD, id: 'gpt-5-mini', price: usd(0.25, 0.025, undefined, 2, false) },
  { ...OLD, id: 'gpt-5-nano', price: usd(0.05, 0.005, undefined, 0.4, false) },
];

/** The model of that id. */
export function findOpenAiModel(name: string): OpenAiModel | undefined {
  return OPENAI_MODELS.find((model) => model.id === name);
}

/** A stand-in for a model that the table does not hold: its cost is unknown. */
export function unknownOpenAiModel(name: string): OpenAiModel {
  return { ...LARGE, id: name, price: undefined };
}

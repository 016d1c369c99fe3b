import type { NanoDollars } from '../../kernel/money.ts';

/**
 * Tokens of one sampling by one model, in disjoint buckets: their sum is what the provider read and wrote. A call has
 * several where the provider ran several (a compaction before the answer, an advisor, a fallback model).
 */
export interface UsedTokens {
  readonly input: number;
  /** Written to the prompt cache for the shorter lifetime, or for one that was not named. */
  readonly write: number;
  readonly writeLong: number;
  readonly read: number;
  /** Output without reasoning. */
  readonly output: number;
  readonly reasoning: number;
}

/** A sampling as the provider billed it. */
export interface Sampling extends UsedTokens {
  /** Null: the model of the request. */
  readonly model: string | null;
}

/** What the provider said of a call's use. */
export interface CallUsage {
  readonly samplings: readonly Sampling[];
  /** Web searches of the provider's own. */
  readonly searches: number;
  /** Speed or service tier, as the provider named it; null: it named none. */
  readonly speed: string | null;
  /** Processed in a named region at a surcharge. */
  readonly regional: boolean;
  readonly batch: boolean;
}

/**
 * Where the tokens of a call come from. `reported`: the provider's numbers, whole. `partial`: what it had reported when the
 * answer broke off. `estimated`: it reported none.
 */
export type UsageState = 'reported' | 'partial' | 'estimated';

/** The price that a call was booked at, as it is kept with the call. Nano-dollars per token before the factor. */
export interface PriceInForce {
  readonly model: string;
  /** The price row's day, source and lowest size of prompt. */
  readonly from: string;
  readonly source: string;
  readonly aboveTokens: number;
  readonly rates: {
    readonly input: string;
    readonly write: string;
    readonly writeLong: string;
    readonly read: string;
    readonly output: string;
  };
  /** Speed, region and batch together, as a fraction. */
  readonly factor: readonly [string, string];
}

/** A call in the ledger: its tokens and what they cost. */
export interface BookedCall {
  readonly state: UsageState;
  readonly tokens: UsedTokens;
  readonly searches: number;
  /** Null: a model, or its speed, has no price. */
  readonly amount: NanoDollars | null;
  /** One for each model that the call ran. */
  readonly prices: readonly PriceInForce[];
  /** Models of the call without a price. */
  readonly unpriced: readonly string[];
}

import type { NanoDollars } from '../../kernel/money.ts';

/** Prices of one token, in nano-dollars. */
export interface Rates {
  readonly input: NanoDollars;
  /** Written to the prompt cache for the shorter lifetime: 5 minutes at Anthropic, 30 minutes at OpenAI. */
  readonly write: NanoDollars;
  /** Written for the longer lifetime: one hour at Anthropic, twelve hours at OpenAI. */
  readonly writeLong: NanoDollars;
  readonly read: NanoDollars;
  /** Output, reasoning included. */
  readonly output: NanoDollars;
}

/** A factor as a fraction, so that money stays whole. */
export type Factor = readonly [numerator: bigint, denominator: bigint];

/** One row of the price file. */
export interface PriceRow {
  readonly vendor: 'anthropic' | 'openai';
  /** The model's exact id. */
  readonly model: string;
  /** First day (UTC) on which the row holds, `YYYY-MM-DD`; until a later row of the same model. */
  readonly from: string;
  /** The row is for prompts of more than so many tokens, cached ones counted; the highest that fits holds for the whole request. */
  readonly aboveTokens: number;
  readonly rates: Rates;
  /** What other speeds cost beside the standard one; a speed that is not named has no price. */
  readonly speeds: Readonly<Record<string, Factor>>;
  readonly source: string;
  /** Day on which it was compared with its source. */
  readonly checked: string;
}

/** What decides a request's price. */
export interface PriceQuestion {
  readonly model: string;
  /** Milliseconds since 1970 at which the request was received. */
  readonly at: number;
  /** The whole prompt, cached tokens counted. */
  readonly promptTokens: number;
  /** As the provider names it (`speed`, `service_tier`); null or `standard`, `default`, `auto`: the standard one. */
  readonly speed?: string | null;
  /** Processed in a named region at a surcharge of a tenth (`inference_geo: us`, regional endpoints). */
  readonly regional?: boolean;
  /** Sent through the batch interface at half the price. */
  readonly batch?: boolean;
}

/** A price in force. */
export interface Price {
  readonly row: PriceRow;
  /** On every rate: speed, region and batch together. */
  readonly factor: Factor;
}

import { type NanoDollars, nanoDollars } from '../../kernel/money.ts';

/**
 * Features that make a request cost something else than its client's own would have. `estimate` is none of them: it is what
 * the cache model does not explain.
 */
export const FEATURES = ['trimming', 'recall', 'eviction', 'retrieval', 'memory', 'estimate'] as const;

/** A line of the ledger. */
export type Feature = (typeof FEATURES)[number];

/** What a body would have cost, or the sum of several upstream calls. */
export interface PricedBody {
  readonly amount: NanoDollars;
  /** Prompts and output together. */
  readonly tokens: number;
}

/**
 * The fixed row of bodies: the client's bytes, with trims, with layout or eviction, with our tool and hidden rounds, with
 * the memory part (what was sent).
 */
export interface PricedRow {
  readonly client: PricedBody;
  readonly trimmed: PricedBody;
  readonly laidOut: PricedBody;
  readonly withTool: PricedBody;
  readonly sent: PricedBody;
}

/** A line of one request: what a feature cost more (above zero) or saved (below). */
export interface Line {
  readonly amount: NanoDollars;
  readonly tokens: number;
}

/** Every feature's line. */
export type Lines = { readonly [K in Feature]: Line };

const NOTHING: Line = { amount: nanoDollars(0), tokens: 0 };

/**
 * The lines of a request: each the price of its body less that of the one before, `estimate` the actual cost less the price
 * of what was sent. So `client + all lines = actual` holds exactly, and no feature's line is made of the actual cost.
 * @param evicts the layout is an eviction's
 */
export function linesOf(row: PricedRow, actual: PricedBody, evicts: boolean): Lines {
  const layout = difference(row.trimmed, row.laidOut);
  return {
    trimming: difference(row.client, row.trimmed),
    recall: evicts ? NOTHING : layout,
    eviction: evicts ? layout : NOTHING,
    retrieval: difference(row.laidOut, row.withTool),
    memory: difference(row.withTool, row.sent),
    estimate: difference(row.sent, actual),
  };
}

/** The sum of two requests' lines. */
export function addLines(one: Lines, other: Lines): Lines {
  const sum = (feature: Feature): Line => ({
    amount: nanoDollars(one[feature].amount + other[feature].amount),
    tokens: one[feature].tokens + other[feature].tokens,
  });
  return {
    trimming: sum('trimming'),
    recall: sum('recall'),
    eviction: sum('eviction'),
    retrieval: sum('retrieval'),
    memory: sum('memory'),
    estimate: sum('estimate'),
  };
}

function difference(before: PricedBody, after: PricedBody): Line {
  return { amount: nanoDollars(after.amount - before.amount), tokens: after.tokens - before.tokens };
}

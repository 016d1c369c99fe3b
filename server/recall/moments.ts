import { type NanoDollars, nanoDollars } from '../kernel/money.ts';

/** What a thread remembers between its requests for the decision. */
export interface MomentState {
  /** What the reads of the long prompt have cost more than those of the short layout, since the last layout. */
  readonly rented: NanoDollars;
  /** A pause has passed inside a turn: the next turn begins with a layout if it gains enough. */
  readonly pauseDue: boolean;
}

/** A thread at its first request, and after every layout. */
export const NOTHING_DUE: MomentState = { rented: nanoDollars(0), pauseDue: false };

/** What is known when a request of a thread has arrived and nothing has been sent. */
export interface MomentQuestion {
  /** Milliseconds since the thread's request before this one; null for its first. */
  readonly sinceLast: number | null;
  /** Milliseconds that the provider keeps the prompt cached, by the client's own markers. */
  readonly cacheLifetime: number;
  /** Estimated tokens of this request under the layout in force (or none). */
  readonly current: number;
  /** Estimated tokens of this request under the layout that would be made now; null where none can be made. */
  readonly next: number | null;
  /** The context limit in tokens; null under a window that nobody knows. */
  readonly limit: number | null;
  readonly minGain: number;
  /** The newest message is one that a person typed. */
  readonly turnBegins: boolean;
  /** Prices of a token read from and written to the cache; null for a model without a price: then no cost rule. */
  readonly prices: { readonly read: NanoDollars; readonly write: NanoDollars } | null;
}

/** Why a layout is made. */
export type LayoutReason = 'pause' | 'window' | 'cost';

/** What a request is done with. */
export type Moment =
  | { readonly act: 'layout'; readonly reason: LayoutReason; readonly state: MomentState }
  | { readonly act: 'none'; readonly because: Because; readonly state: MomentState };

/** Why nothing is done, in the words that the console shows a text for. */
export type Because =
  | 'nothing_due'
  | 'pause_waits_for_turn'
  | 'cost_waits_for_turn'
  | 'gain_too_small'
  | 'no_layout_possible';

/**
 * Decides whether a request gets a new layout. Between these moments nothing happens.
 *
 * - **At the window**: this request would pass the context limit. It does not wait for a turn and asks for no least gain.
 * - **After a pause**: the cache has expired, so that the provider writes the prompt again anyway. Waits for a turn to
 *   begin.
 * - **By the cost rule**: rent or buy. Each request adds what its reads cost more than under the short layout; when the
 *   sum reaches what writing the short layout costs, it is made. Inside a turn it waits, at most until the sum is twice
 *   that cost.
 */
export function decideMoment(question: MomentQuestion, before: MomentState): Moment {
  const { current, next, limit, minGain, turnBegins } = question;
  const paused = question.sinceLast !== null && question.sinceLast > question.cacheLifetime;
  const pauseDue = before.pauseDue || paused;
  const waiting: MomentState = { rented: rentAfter(question, before, paused), pauseDue };
  const none = (because: Because): Moment => ({ act: 'none', because, state: waiting });
  const make = (reason: LayoutReason): Moment => ({ act: 'layout', reason, state: NOTHING_DUE });

  const overLimit = limit !== null && current > limit;
  if (next === null || next >= current)
    return none(overLimit || pauseDue ? 'no_layout_possible' : 'nothing_due');
  if (overLimit) return make('window');
  const enough = current - next >= minGain;
  if (pauseDue && turnBegins && enough) return make('pause');
  const cost = question.prices === null ? null : BigInt(next) * question.prices.write;
  const costDue = cost !== null && cost > 0n && waiting.rented >= cost;
  if (costDue && enough && cost !== null && (turnBegins || waiting.rented >= 2n * cost)) return make('cost');
  if (!enough) return none(pauseDue || costDue ? 'gain_too_small' : 'nothing_due');
  if (costDue) return none('cost_waits_for_turn');
  return none(pauseDue ? 'pause_waits_for_turn' : 'nothing_due');
}

/** The rent with this request's part. A request behind a pause reads nothing: the provider writes it whole. */
function rentAfter(question: MomentQuestion, before: MomentState, paused: boolean): NanoDollars {
  const { current, next, prices, sinceLast } = question;
  if (prices === null || next === null || paused || sinceLast === null || next >= current)
    return before.rented;
  return nanoDollars(before.rented + BigInt(current - next) * prices.read);
}

import type { Millis } from '../../kernel/clock.ts';
import { nanoDollars } from '../../kernel/money.ts';
import { priceOf } from '../../ledger/index.ts';
import { decideMoment, type Moment, type MomentState, type RecallSwitches } from '../../recall/index.ts';
import type { Conversation } from './conversation.ts';
import { roughlyLaidOut } from './new-layout.ts';
import type { Sizes } from './types.ts';

/** What the decision whether a layout is made now needs. */
export interface DecisionQuestion {
  /** What the thread remembers of the moments before. */
  readonly memory: { readonly moment: MomentState; readonly lastAt: number | null };
  /** What the thread's estimates are multiplied with to be the provider's counts. */
  readonly factor: number;
  readonly conversation: Conversation;
  readonly switches: RecallSwitches;
  readonly sizes: Sizes;
  readonly model: string | null;
  readonly at: Millis;
  /** How long the provider keeps the prompt, by the client's own markers, in milliseconds. */
  readonly cacheLifetime: number;
}

/** Decides whether a request gets a new layout, by what is cheap to know. */
export function decide(question: DecisionQuestion): Moment {
  const { memory, conversation, switches, sizes, at } = question;
  const next = roughlyLaidOut(conversation, switches, {
    limit: sizes.limit,
    fixed: sizes.fixed,
    factor: question.factor,
  });
  return decideMoment(
    {
      sinceLast: memory.lastAt === null ? null : Math.max(0, at - memory.lastAt),
      cacheLifetime: question.cacheLifetime,
      current: sizes.current,
      next,
      limit: sizes.limit === null ? null : sizes.limit - roomFor(switches, sizes.limit),
      minGain: switches.minGain,
      turnBegins: conversation.facts.findLast((facts) => facts.side !== 'system')?.typed ?? false,
      prices: pricesOf(question.model, at, sizes.current, question.cacheLifetime),
    },
    memory.moment,
  );
}

/** Tokens under the limit that are kept free for an answer of our tool: at most so many, and this part of the limit. */
const ANSWER_TOKENS = 4_000;
const ANSWER_PART = 0.05;

/** What is kept free under the limit: a model that may ask must have room for what it is answered. */
function roomFor({ tool }: RecallSwitches, limit: number): number {
  return tool ? Math.min(ANSWER_TOKENS, Math.floor(limit * ANSWER_PART)) : 0;
}

const HOUR_MS = 3_600_000;

/** Prices of a token read from and written to the cache; null for a model without a price. */
function pricesOf(model: string | null, at: Millis, promptTokens: number, cacheLifetime: number) {
  const price = model === null ? null : priceOf({ model, at, promptTokens });
  if (price === null) return null;
  const { read, write, writeLong } = price.row.rates;
  return { read: nanoDollars(read), write: nanoDollars(cacheLifetime >= HOUR_MS ? writeLong : write) };
}

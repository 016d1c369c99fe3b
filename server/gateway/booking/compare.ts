import { nanoDollars } from '../../kernel/money.ts';
import {
  amountOf,
  bookCall,
  type CachedPrompt,
  type CacheEntry,
  type CallToBook,
  type CallUsage,
  NO_TOKENS,
  type PlaceEntries,
  type PricedBody,
  type PriceRow,
  type PromptSplit,
  placesLookedAt,
  priceOfCall,
  promptOf,
  takePrompt,
  type UsedTokens,
} from '../../ledger/index.ts';

/** What a call came to beside its prompt, whatever the prompt was. */
export interface AnswerCost extends Pick<UsedTokens, 'output' | 'reasoning'> {
  /** Searches, and samplings before the answer's own (a compaction, an advisor). */
  readonly beside: PricedBody;
}

/** A body of the fixed row as it went, or would have gone, to the provider: a prompt for each upstream call. */
export interface ComparedBody {
  readonly prompts: readonly CachedPrompt[];
  /** What each call came to beside its prompt. */
  readonly answers: readonly AnswerCost[];
  /** It did not go out, and its prompt may not be longer than this; null: no window is known, or it did. */
  readonly window: number | null;
}

/** Moments of a request. */
export interface Moments {
  readonly at: number;
  /** When the first bytes of the answer came. */
  readonly answeredAt: number;
}

/** What the bodies cost, and what their caches hold behind the request. */
export interface ComparedBodies {
  readonly bodies: readonly PricedBody[];
  /** The split of each prompt of the last body, which was sent. */
  readonly sent: readonly PromptSplit[];
  readonly isCapped: boolean;
  readonly places: ReadonlyMap<string, PlaceEntries>;
}

/** All places of some bodies that their caches are asked for. */
export function placesOfBodies(bodies: readonly ComparedBody[]): readonly string[] {
  return [...new Set(bodies.flatMap(({ prompts }) => prompts.flatMap(placesLookedAt)))];
}

/**
 * Prices the bodies of a request, each by a cache of its own that was fed with the same body of the requests before. Null
 * where the model has no price.
 * @param known what the caches hold, one entry for each body
 */
export function compareBodies(
  bodies: readonly ComparedBody[],
  known: ReadonlyMap<string, PlaceEntries>,
  moments: Moments,
  call: Pick<CallToBook, 'model' | 'at' | 'usage'>,
  rows?: readonly PriceRow[],
): ComparedBodies | null {
  const places = new Map<string, (CacheEntry | null)[]>();
  const priced: PricedBody[] = [];
  let sent: readonly PromptSplit[] = [];
  let isCapped = false;
  for (const [index, body] of bodies.entries()) {
    const used = takeBody(body, index, known, moments);
    const total = priceOfBody(body, used.splits, call, rows);
    if (total === null) return null;
    for (const [place, entry] of used.entries) {
      const held = places.get(place) ?? [...(known.get(place) ?? bodies.map(() => null))];
      held[index] = entry;
      places.set(place, held);
    }
    priced.push(total.priced);
    isCapped ||= index === 0 && total.isCapped;
    sent = used.splits;
  }
  return { bodies: priced, sent, isCapped, places };
}

/** The calls of a body one behind the other: each finds what the one before wrote. */
function takeBody(
  { prompts }: ComparedBody,
  index: number,
  known: ReadonlyMap<string, PlaceEntries>,
  { at, answeredAt }: Moments,
) {
  const entries = new Map<string, CacheEntry>();
  for (const [place, held] of known) {
    const entry = held[index];
    if (entry != null) entries.set(place, entry);
  }
  const changed = new Map<string, CacheEntry>();
  const splits = prompts.map((prompt, round) => {
    const began = round === 0 ? at : Math.max(at, answeredAt) + round;
    const used = takePrompt(prompt, { entries, at: began, answeredAt: round === 0 ? answeredAt : began });
    for (const [place, entry] of used.entries) {
      entries.set(place, entry);
      changed.set(place, entry);
    }
    return used.split;
  });
  return { splits, entries: changed };
}

function priceOfBody(
  { answers, window }: ComparedBody,
  splits: readonly PromptSplit[],
  call: Pick<CallToBook, 'model' | 'at' | 'usage'>,
  rows: readonly PriceRow[] | undefined,
): { readonly priced: PricedBody; readonly isCapped: boolean } | null {
  let amount = 0n;
  let tokens = 0;
  let isCapped = false;
  for (const [round, whole] of splits.entries()) {
    const split = window === null ? whole : withinWindow(whole, window);
    isCapped ||= split !== whole;
    const { output = 0, reasoning = 0, beside } = answers[round] ?? {};
    const used: UsedTokens = { ...NO_TOKENS, ...split, output, reasoning };
    const price = priceOfCall(call, call.model ?? '', promptOf(used), rows);
    if (price === null) return null;
    amount += amountOf(price, used) + (beside?.amount ?? 0n);
    tokens += promptOf(used) + output + reasoning + (beside?.tokens ?? 0);
  }
  return { priced: { amount: amount as PricedBody['amount'], tokens }, isCapped };
}

/** A prompt cut to a window: what is dearest goes first, so that it is never priced too high. */
function withinWindow(split: PromptSplit, window: number): PromptSplit {
  let over = split.input + split.write + split.writeLong + split.read - window;
  if (over <= 0) return split;
  const cut = (tokens: number) => {
    const less = Math.min(tokens, over);
    over -= less;
    return tokens - less;
  };
  const writeLong = cut(split.writeLong);
  const write = cut(split.write);
  const input = cut(split.input);
  return { writeLong, write, input, read: cut(split.read) };
}

/** A prompt in the provider's measure. */
export function scaledPrompt(prompt: CachedPrompt, factor: number): CachedPrompt {
  if (factor === 1) return prompt;
  const positions = prompt.positions.map((place) => ({ ...place, tokens: place.tokens * factor }));
  return { ...prompt, positions };
}

/** All tokens of a prompt. */
export function tokensOfPrompt({ positions }: Pick<CachedPrompt, 'positions'>): number {
  return positions.at(-1)?.tokens ?? 0;
}

/** What a call came to beside the prompt of its answer, as the provider billed it. */
export function answerCostOf(
  { model, at, usage }: Pick<CallToBook, 'model' | 'at'> & { readonly usage: CallUsage },
  rows?: readonly PriceRow[],
): AnswerCost {
  const last = usage.samplings.at(-1);
  const before = { ...usage, samplings: usage.samplings.slice(0, -1) };
  const { amount, tokens } = bookCall({ model, at, usage: before, state: 'reported' }, rows);
  const all = promptOf(tokens) + tokens.output + tokens.reasoning;
  return {
    output: last?.output ?? 0,
    reasoning: last?.reasoning ?? 0,
    beside: { amount: nanoDollars(amount ?? 0n), tokens: all },
  };
}

import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { nanoDollars } from '../../kernel/money.ts';
import {
  addTokens,
  bookCall,
  type CachedPrompt,
  type CallRow,
  type CallUsage,
  type Comparison,
  type LedgerWriter,
  linesOf,
  NO_TOKENS,
  type PricedBody,
  type PriceRow,
  promptOf,
  type RequestRow,
  type Sampling,
  type UsageState,
} from '../../ledger/index.ts';
import { modelWindow } from '../../recall/index.ts';
import { maskName } from '../../redaction/index.ts';
import type { ProtocolAdapter, ReadAnswer } from '../adapter.ts';
import { bodiesOf, createPromptReader, withElements } from './bodies.ts';
import {
  answerCostOf,
  type ComparedBodies,
  type ComparedBody,
  compareBodies,
  placesOfBodies,
  scaledPrompt,
  tokensOfPrompt,
} from './compare.ts';
import type { CountTokens } from './read-blocks.ts';
import type { SentBooking, UpstreamRound } from './types.ts';

/** A request whose answer has ended, as the ledger takes it. */
export interface AnsweredRequest {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly adapter: ProtocolAdapter;
  readonly agent: string;
  readonly model: string | null;
  /** Names its own caches and calibration. */
  readonly thread: string;
  /** As its client sent it, decoded; null: it is not there any more. */
  readonly body: Uint8Array | null;
  /** Its client signed in with a subscription. */
  readonly subscription: boolean;
  readonly at: Millis;
  readonly firstByteMs: number | null;
  /** The answer as its client got it; null: it could not be read. */
  readonly answer: ReadAnswer | null;
  /** The protocol's end came, and the connection's. */
  readonly isWhole: boolean;
  /** What of the request was put together; null: it went out as it came. */
  readonly booking: SentBooking | null;
}

/** What a booker is made of. */
export interface BookerParts {
  readonly ledger: LedgerWriter;
  readonly accountKey: (accountId: Uuid) => Promise<Uint8Array>;
  /** Estimated tokens of a part of a prompt. */
  readonly count: CountTokens;
  /** Estimated tokens are the provider's own: nothing is calibrated. */
  readonly isExact?: boolean;
  readonly prices: readonly PriceRow[];
  /** Told why a request could not be compared; its tokens and money are booked all the same. */
  readonly failed: (cause: unknown) => void;
}

/** Books what requests cost. */
export interface Booker {
  /** Books a request that the provider answered. Called again for the same it books nothing. */
  book(request: AnsweredRequest): Promise<void>;
}

/** Threads whose calibration is remembered. */
const MOST_THREADS = 5_000;
/** Bounds of what the provider's count may be of an estimate. */
const [LEAST, MOST] = [0.2, 5];

/** Makes a booker. */
export function createBooker(parts: BookerParts): Booker {
  const { ledger, accountKey, prices } = parts;
  const reader = createPromptReader(parts.count);
  const factors = new Map<string, number>();

  async function book(request: AnsweredRequest): Promise<void> {
    const rounds = roundsOf(request);
    if (rounds.length === 0) return;
    const key = await accountKey(request.accountId);
    for (const body of new Set(tried(() => bodiesToRead(request)) ?? []))
      await reader.readParts(request.adapter.protocol, body);
    const prompts = tried(() => promptsOf(request, rounds, key));
    const factor = prompts === null ? 1 : factorOf(request, prompts, rounds);
    const booked = rounds.map((round, n) => withUsage(request, round, prompts?.at(-1)?.[n], factor));
    const bodies = prompts === null ? null : comparedBodies(request, prompts, booked, factor);
    const compared = bodies === null ? null : await compare(request, bodies, booked);
    const calls = booked.map((round, n) => callRow(request, round, n, compared));
    await ledger.book(await masked(rowOf(request, calls, compared), key));
    if (compared !== null) await ledger.keepPlaces(request.accountId, compared.places, request.at);
  }

  /** What a comparison gives; null where it fails. */
  function tried<Result>(work: () => Result): Result | null {
    try {
      return work();
    } catch (cause) {
      parts.failed(cause);
      return null;
    }
  }

  /** The prompts of each body, one for each of its upstream calls; null where one cannot be read. */
  function promptsOf(
    { body, booking, adapter, model }: AnsweredRequest,
    rounds: readonly UpstreamRound[],
    key: Uint8Array,
  ): readonly (readonly CachedPrompt[])[] | null {
    if (body === null || model === null || booking?.forms === null) return null;
    const bodies = bodiesOf(body, booking?.forms ?? null);
    const read = new Map<Uint8Array, CachedPrompt | null>();
    const reasoning = booking?.forms?.readsReasoningOf ?? null;
    const promptOf = (one: Uint8Array, readsReasoningOf: number | null) => {
      if (!read.has(one)) read.set(one, reader.read(adapter.protocol, model, key, one, readsReasoningOf));
      return read.get(one) ?? null;
    };
    const prompts = bodies.map((one, index) =>
      // Before our tool stands in a body its model can call nothing of ours.
      (index < FIRST_WITH_TOOL ? rounds.slice(0, 1) : rounds).map(({ appended }) => {
        const whole = withElements(adapter.protocol, one, appended);
        if (whole === null) return null;
        const isLaidOut = index >= FIRST_LAID_OUT && reasoning !== null;
        return promptOf(whole, isLaidOut ? reasoning + appended.length : null);
      }),
    );
    return prompts.every((all) => all.every((one) => one !== null))
      ? (prompts as readonly (readonly CachedPrompt[])[])
      : null;
  }

  /** What the provider counts for each estimated token, by this request's own count or the thread's last. */
  function factorOf(
    { thread, model }: AnsweredRequest,
    prompts: readonly (readonly CachedPrompt[])[],
    rounds: readonly UpstreamRound[],
  ): number {
    if (parts.isExact === true) return 1;
    const names = [`${thread} ${model}`, `${model}`];
    const [sampling, ...others] = rounds[0]?.usage?.samplings ?? [];
    const estimated = tokensOfPrompt(prompts.at(-1)?.[0] ?? NO_PROMPT);
    if (sampling !== undefined && others.length === 0 && promptOf(sampling) > 0 && estimated > 0) {
      const factor = Math.min(MOST, Math.max(LEAST, promptOf(sampling) / estimated));
      if (factors.size > MOST_THREADS) factors.clear();
      for (const name of names) factors.set(name, factor);
      return factor;
    }
    return names.map((name) => factors.get(name)).find((one) => one !== undefined) ?? 1;
  }

  async function compare(
    request: AnsweredRequest,
    bodies: readonly ComparedBody[],
    rounds: readonly BilledRound[],
  ): Promise<ComparedBodies | null> {
    const known = await ledger.placesOf(request.accountId, placesOfBodies(bodies));
    const { at, firstByteMs, model } = request;
    const usage = rounds.at(-1)?.usage ?? NO_USAGE;
    const moments = { at, answeredAt: at + (firstByteMs ?? 0) };
    return tried(() => compareBodies(bodies, known, moments, { model, at, usage }, prices));
  }

  /** A round with what it came to where the provider did not say: its prompt and answer, estimated. */
  function withUsage(
    { answer }: AnsweredRequest,
    round: UpstreamRound,
    prompt: CachedPrompt | undefined,
    factor: number,
  ): BilledRound {
    if (round.usage !== null) return { ...round, usage: round.usage, isEstimated: false };
    const said = answer?.messages.map(({ items }) => items.map(({ text }) => text)) ?? '';
    const sampling: Sampling = {
      ...NO_TOKENS,
      model: null,
      input: Math.round(tokensOfPrompt(prompt ?? NO_PROMPT) * factor),
      output: Math.round(parts.count(said) * factor),
    };
    return { ...round, usage: { ...NO_USAGE, samplings: [sampling] }, isEstimated: true };
  }

  /** An estimated prompt is split as its cache would have it. */
  function callRow(
    { model, at, isWhole }: AnsweredRequest,
    { usage, isEstimated, isWhole: ended }: BilledRound,
    n: number,
    compared: ComparedBodies | null,
  ): CallRow {
    const split = isEstimated ? compared?.sent[n] : undefined;
    const samplings =
      split === undefined ? usage.samplings : usage.samplings.map((one) => ({ ...one, ...split }));
    const state: UsageState = isEstimated ? 'estimated' : ended && isWhole ? 'reported' : 'partial';
    const booked = bookCall({ model, at, usage: { ...usage, samplings }, state }, prices);
    return { ...booked, model: model ?? '', feature: n === 0 ? null : 'retrieval' };
  }

  function comparedBodies(
    { model, at }: AnsweredRequest,
    prompts: readonly (readonly CachedPrompt[])[],
    rounds: readonly BilledRound[],
    factor: number,
  ): readonly ComparedBody[] {
    const window = modelWindow(model ?? '')?.maxInput ?? null;
    const sent = prompts.at(-1)?.[0];
    const answers = rounds.map(({ usage }) => answerCostOf({ model, at, usage }, prices));
    return prompts.map((calls, index) => ({
      prompts: calls.map((prompt) => scaledPrompt(prompt, factor)),
      // Before our tool stands in a body, its one call ended with the answer that the client has.
      answers: index < FIRST_WITH_TOOL ? answers.slice(-1) : answers,
      window: calls[0] === sent ? null : window,
    }));
  }

  return { book };
}

/** A round with what the provider billed, or an estimate of it. */
interface BilledRound extends UpstreamRound {
  readonly usage: CallUsage;
  readonly isEstimated: boolean;
}

/** Of the five bodies. */
const FIRST_LAID_OUT = 2;
const FIRST_WITH_TOOL = 3;
const NO_PROMPT: Pick<CachedPrompt, 'positions'> = { positions: [] };
const NO_USAGE: CallUsage = { samplings: [], searches: 0, speed: null, regional: false, batch: false };

/** The bodies of a request as far as they are compared. */
function bodiesToRead({ body, booking }: AnsweredRequest): readonly Uint8Array[] {
  return body === null || booking?.forms === null ? [] : bodiesOf(body, booking?.forms ?? null);
}

/** The upstream calls that were answered; none: the provider refused the request, and billed nothing. */
function roundsOf({ booking, answer, isWhole }: AnsweredRequest): readonly UpstreamRound[] {
  if (booking !== null && booking.rounds.length > 0) return booking.rounds;
  return answer === null ? [] : [{ appended: [], usage: answer.billed, isWhole }];
}

/** A row without a secret in its names: any client can put one there. */
async function masked(row: RequestRow, key: Uint8Array): Promise<RequestRow> {
  const model = await maskName(row.model, key);
  const calls = row.calls.map(async (call) => {
    const unpriced = await Promise.all(call.unpriced.map((name) => maskName(name, key)));
    return { ...call, model, unpriced };
  });
  return { ...row, model, calls: await Promise.all(calls) };
}

function rowOf(
  request: AnsweredRequest,
  calls: readonly CallRow[],
  compared: ComparedBodies | null,
): RequestRow {
  const { accountId, id, at, model, agent, subscription } = request;
  const tokens = calls.map((call) => call.tokens).reduce(addTokens, NO_TOKENS);
  const isPriced = calls.every(({ amount }) => amount !== null);
  const actual = isPriced ? calls.reduce((sum, { amount }) => sum + (amount ?? 0n), 0n) : 0n;
  const all = promptOf(tokens) + tokens.output + tokens.reasoning;
  return {
    accountId,
    requestId: id,
    at,
    model: model ?? '',
    agent,
    subscription,
    state: worstOf(calls),
    tokens,
    searches: calls.reduce((sum, call) => sum + call.searches, 0),
    actual,
    calls,
    comparison: isPriced
      ? comparisonOf(
          compared,
          { amount: nanoDollars(actual), tokens: all },
          request.booking?.forms?.evicts ?? false,
        )
      : ({ kind: 'unpriced' } as const),
  };
}

function comparisonOf(compared: ComparedBodies | null, actual: PricedBody, evicts: boolean): Comparison {
  const [client, trimmed, laidOut, withTool, sent] = compared?.bodies ?? [];
  if (compared === null || !client || !trimmed || !laidOut || !withTool || !sent)
    return { kind: 'uncompared' };
  return {
    kind: compared.isCapped ? 'capped' : 'compared',
    direct: client.amount,
    directTokens: client.tokens,
    lines: linesOf({ client, trimmed, laidOut, withTool, sent }, actual, evicts),
  };
}

function worstOf(calls: readonly CallRow[]): UsageState {
  const states = calls.map(({ state }) => state);
  return states.includes('estimated') ? 'estimated' : states.includes('partial') ? 'partial' : 'reported';
}

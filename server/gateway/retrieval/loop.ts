import type { Clock, Millis } from '../../kernel/clock.ts';
import { faultOf } from '../../kernel/errors.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import type { HiddenRecord, RecallStore } from '../../recall/index.ts';
import { RETRIEVAL_TOOL } from '../../recall/index.ts';
import { messagesAnswer } from '../anthropic/hidden-rounds.ts';
import { hiddenMessages } from '../anthropic/hidden-stream.ts';
import { wholeMessages } from '../anthropic/hidden-whole.ts';
import type { RawHeaders } from '../headers.ts';
import type { HiddenLoop } from '../hidden/hidden-call.ts';
import type { AnsweredCall, AnswerSoFar } from '../hidden/rounds.ts';
import type { HiddenCall, HiddenRound, HiddenStream, HiddenWhole } from '../hidden/types.ts';
import type { Timers } from '../keep-alive.ts';
import { itemsAnswer } from '../openai/hidden-rounds.ts';
import { hiddenResponses } from '../openai/hidden-stream.ts';
import { wholeResponses } from '../openai/hidden-whole.ts';
import type { UpstreamRequest } from '../upstream.ts';
import { type FirstRequest, followUp } from './follow-up.ts';
import { IMAGE_TOKENS } from './images.ts';
import { resultContent } from './result-content.ts';
import { TOO_OFTEN } from './texts.ts';
import type { Asking, Retrieval } from './types.ts';
import { within } from './within.ts';

/** Hidden rounds of one turn that are answered. */
const MOST_ROUNDS = 8;
/** Further ones in which the tool says that the bound is reached; after them the answer breaks off. */
const MOST_REFUSED = 8;
/** Longest that a round waits to be kept, in milliseconds. */
const KEEP_MS = 300;

/** What a hidden loop is made of. */
export interface LoopParts {
  readonly retrieval: Retrieval;
  readonly store: Pick<RecallStore, 'keepHidden'>;
  readonly asking: Asking;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Masks a call's input (JSON text) as the archive would. */
  readonly mask: (json: string) => Promise<string>;
  readonly first: FirstRequest;
  /** The chain of the assistant's messages before the answer, in the client's view; '' on Responses. */
  readonly chain: string;
  /** Hidden rounds that the running turn has already. */
  readonly rounds: number;
  /** Tokens that are left under the limit, estimated; null: the limit is unknown. */
  readonly room: number | null;
  readonly estimate: (text: string) => number;
  /** False for a side request: what is hidden in it comes back in no later one, so nothing is kept of it. */
  readonly keeps: boolean;
  /** Told what is kept, in place of what was told under the same id: for requests that come before the store is read again. */
  readonly remember: (records: readonly HiddenRecord[]) => void;
  /** Told which elements a further upstream call carries behind the conversation. */
  readonly goesOnWith?: (elements: readonly string[]) => void;
  /** Told why a round did not go on. */
  readonly failed: (reason: 'not_valid' | 'not_kept' | 'too_often' | 'fault', detail: string) => void;
}

/** The hidden loop of one answer: calls of our tool are answered from the archive, kept, and only then sent on. */
export function retrievalLoop(parts: LoopParts): HiddenLoop {
  return new RetrievalLoop(parts);
}

class RetrievalLoop implements HiddenLoop {
  readonly stream: HiddenStream;
  readonly whole: HiddenWhole;
  readonly #parts: LoopParts;
  /** Null until something is hidden: most answers never need it. */
  #soFar: AnswerSoFar | null = null;
  #rounds: number;
  #room: number;
  /** The client has left, or has the answer's end. */
  #over = false;
  /** Writes go one behind the other, so that the last one holds. */
  #writes: Promise<void> = Promise.resolve();
  /** JSON of each record as it was written last. */
  readonly #written = new Map<Uuid, string>();
  /** When each record was made: one behind the other, since rounds that stand at one place are put back in that order. */
  readonly #times = new Map<Uuid, Millis>();

  constructor(parts: LoopParts) {
    const { first, rounds, room } = parts;
    const isMessages = first.protocol === 'anthropic';
    this.stream = isMessages ? hiddenMessages(RETRIEVAL_TOOL) : hiddenResponses(RETRIEVAL_TOOL);
    this.whole = isMessages ? wholeMessages(RETRIEVAL_TOOL) : wholeResponses(RETRIEVAL_TOOL);
    this.#parts = parts;
    this.#rounds = rounds;
    this.#room = room ?? Number.MAX_SAFE_INTEGER;
  }

  get #answer(): AnswerSoFar {
    const { first, asking, clock, chain } = this.#parts;
    this.#soFar ??=
      first.protocol === 'anthropic'
        ? messagesAnswer(newId(clock), chain)
        : itemsAnswer(() => newId(clock), asking.thread.agent);
    return this.#soFar;
  }

  set #answer(answer: AnswerSoFar) {
    this.#soFar = answer;
  }

  async next(round: HiddenRound, headers: RawHeaders): Promise<UpstreamRequest | null> {
    try {
      return await this.#goOn(round, headers);
    } catch (error) {
      this.#parts.failed('fault', faultOf(error));
      return null;
    }
  }

  ended(round: HiddenRound): Promise<void> | null {
    if (this.#over) return null;
    this.#over = true;
    if (round.outcome === 'mixed' && this.#parts.keeps) return this.#endMixed(round);
    if (this.#soFar !== null) this.#settle(this.#soFar.withEnd(round.parts), round.outcome === 'broken');
    return null;
  }

  async #goOn(round: HiddenRound, headers: RawHeaders): Promise<UpstreamRequest | null> {
    if (this.#rounds >= MOST_ROUNDS + MOST_REFUSED) return this.#fail('too_often', `${this.#rounds} rounds`);
    const { calls, tokens } = await this.#answered(round.calls);
    if (this.#over) return null;
    const answer = this.#answer.withRound({ parts: round.parts, calls, mixed: false });
    if (answer === null) return this.#fail('not_valid', 'The parts of the round do not fit its calls.');
    const follow = followUp(this.#parts.first, answer, headers);
    if ('refused' in follow) return this.#fail('not_valid', follow.refused);
    if (!(await this.#kept(answer))) return null;
    this.#room -= tokens + this.#parts.estimate(round.parts.join(''));
    this.#answer = answer;
    this.#rounds += 1;
    this.#parts.goesOnWith?.(answer.sent);
    return follow.request;
  }

  #fail(reason: Parameters<LoopParts['failed']>[0], detail: string): null {
    this.#parts.failed(reason, detail);
    return null;
  }

  /** Masks and answers the calls of a round, side by side; with the estimated tokens of the answers. */
  async #answered(
    calls: readonly HiddenCall[],
  ): Promise<{ readonly calls: readonly AnsweredCall[]; readonly tokens: number }> {
    const { retrieval, asking, mask, first, estimate } = this.#parts;
    const share = Math.floor(this.#room / Math.max(1, calls.length));
    const isBound = this.#rounds >= MOST_ROUNDS;
    let tokens = 0;
    const answered = calls.map(async ({ id, input: produced }): Promise<AnsweredCall> => {
      const input = await mask(produced);
      const answer = isBound
        ? { text: TOO_OFTEN, images: [], documents: [] }
        : await retrieval.answer({ id, input }, asking, share);
      tokens += estimate(answer.text) + answer.images.length * IMAGE_TOKENS;
      return { id, input, result: resultContent(first.protocol, answer), documents: answer.documents };
    });
    return { calls: await Promise.all(answered), tokens };
  }

  /** True once the store has committed what the follow-up carries; where it has not in time, or the client has left, that is taken back. */
  async #kept(answer: AnswerSoFar): Promise<boolean> {
    if (!this.#parts.keeps) return !this.#over;
    const outcome = await within(this.#write(answer, true), KEEP_MS, this.#parts.timers);
    const isKept = outcome.is === 'done' && !this.#over;
    if (isKept) this.#remember(answer, true);
    else this.#takeBack(answer);
    if (outcome.is !== 'done') this.#parts.failed('not_kept', outcome.is);
    return isKept;
  }

  /** A round beside the client's own calls: answered and kept before the client has the end and can come back. */
  async #endMixed(round: HiddenRound): Promise<void> {
    const without = this.#answer.withEnd(round.parts);
    try {
      const { calls } = await this.#answered(round.calls);
      const answer = this.#answer.withRound({ parts: round.parts, calls, mixed: true });
      if (answer === null) return this.#settle(without, false);
      const outcome = await within(this.#write(answer, false), KEEP_MS, this.#parts.timers);
      if (outcome.is === 'done') return this.#remember(answer, false);
      this.#parts.failed('not_kept', outcome.is);
      this.#takeBack(answer);
    } catch (error) {
      this.#parts.failed('fault', faultOf(error));
    }
    this.#settle(without, false);
  }

  /** What is over is known at once and written behind all else; without that it is still found as one that is open. */
  #settle(answer: AnswerSoFar, open: boolean): void {
    if (!this.#parts.keeps) return;
    this.#remember(answer, open);
    this.#write(answer, open).catch((error: unknown) => this.#parts.failed('not_kept', faultOf(error)));
  }

  /** What came too late may still be written: records that the answer has no more get no content. */
  #takeBack(answer: AnswerSoFar): void {
    const held = new Set(this.#answer.records(true).map((record) => record.id));
    const gone = answer.records(true).filter((record) => !held.has(record.id));
    const emptied = gone.map((record) => this.#record({ ...record, documents: [], data: null }));
    const before = this.#answer.records(true).map((record) => this.#record(record));
    this.#queue([...emptied, ...before]).catch(() => undefined);
  }

  #remember(answer: AnswerSoFar, open: boolean): void {
    const records = answer.records(open).map((record) => this.#record(record));
    if (records.length > 0) this.#parts.remember(records);
  }

  #write(answer: AnswerSoFar, open: boolean): Promise<void> {
    return this.#queue(answer.records(open).map((record) => this.#record(record)));
  }

  /** Writes records behind those before, less those that were written like that. */
  #queue(records: readonly HiddenRecord[]): Promise<void> {
    const { store, asking } = this.#parts;
    const changed = records.filter((record) => this.#written.get(record.id) !== contentOf(record));
    for (const record of changed) this.#written.set(record.id, contentOf(record));
    const write = async () => {
      for (const record of changed) await store.keepHidden(asking.accountId, record);
    };
    const done = this.#writes.then(write);
    this.#writes = done.catch(() => undefined);
    return done;
  }

  #record(draft: Pick<HiddenRecord, 'id' | 'anchors' | 'documents' | 'data'>): HiddenRecord {
    const { first, asking, clock } = this.#parts;
    const last = Math.max(0, ...this.#times.values());
    const at = this.#times.get(draft.id) ?? (Math.max(clock.now(), last + 1) as Millis);
    this.#times.set(draft.id, at);
    return { ...draft, protocol: first.protocol, thread: asking.thread, at };
  }
}

function contentOf({ anchors, documents, data }: HiddenRecord): string {
  return JSON.stringify([anchors, documents, data]);
}

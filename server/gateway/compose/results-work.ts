import type { Uuid } from '../../kernel/ids.ts';
import type { HiddenRecord, RecallStore } from '../../recall/index.ts';
import { hintsFor } from '../reading/hints.ts';
import type { Conversation } from './conversation.ts';
import {
  filledResult,
  type KeptResult,
  keptResultIn,
  resultId,
  type SentResult,
  trimmedResult,
} from './kept-results.ts';
import type { PlannedResult } from './plan.ts';
import type { Composed, Deadline, RequestToCompose } from './types.ts';

/** A result that is decided on. */
export interface DecidedResult {
  readonly element: number;
  readonly id: Uuid;
  readonly data: KeptResult;
}

/** The part of the work on a request that is about results which are sent with another text. */
export class ResultsWork {
  readonly #key: Uint8Array;
  readonly #store: RecallStore;
  readonly #request: RequestToCompose;
  readonly #conversation: Conversation;
  readonly #deadline: Deadline;
  /** What was committed for this request. */
  readonly #keptNow: HiddenRecord[] = [];
  /** What is decided and not committed yet. */
  readonly #open: HiddenRecord[] = [];

  constructor(
    store: RecallStore,
    request: RequestToCompose,
    conversation: Conversation,
    known: { readonly deadline: Deadline; readonly key: Uint8Array },
  ) {
    this.#store = store;
    this.#request = request;
    this.#conversation = conversation;
    this.#deadline = known.deadline;
    this.#key = known.key;
  }

  /** Results of the request that are sent with another text, and the estimated tokens that each is shorter by. */
  sent(): readonly { readonly planned: PlannedResult; readonly saves: number }[] {
    const { memory } = this.#request;
    if (memory.hidden.size === 0) return [];
    return this.#conversation.results.flatMap((results, element) =>
      results.flatMap(({ id, part }) => {
        const kept = keptResultIn(memory.hidden.get(id)?.data);
        if (kept === null) return [];
        let sent = memory.sentResults.get(id);
        if (sent === undefined) {
          sent = this.#made(kept, element, part);
          memory.sentResults.set(id, sent);
        }
        if (sent === null) return [];
        const { kind, text, saves } = sent;
        return [{ planned: { element, part, kind, text }, saves }];
      }),
    );
  }

  /** What the request is shorter by, in estimated tokens. */
  saved(): number {
    return this.sent().reduce((sum, { saves }) => sum + saves, 0);
  }

  /** The conversation with the tokens of what is sent. */
  sized(): Conversation {
    const sent = this.sent();
    if (sent.length === 0) return this.#conversation;
    const facts = [...this.#conversation.facts];
    for (const { planned, saves } of sent) {
      const { element } = planned;
      const known = facts[element];
      if (known !== undefined) facts[element] = { ...known, tokens: Math.max(0, known.tokens - saves) };
    }
    return { ...this.#conversation, facts };
  }

  #made(kept: KeptResult, element: number, part: number | null): SentResult | null {
    const text = this.textOf(element, part);
    if (text === null) return null;
    if (kept.result === 'trimmed') return trimmedResult(kept, text);
    if (kept.call === null) return filledResult(text, null);
    const source = this.textOfCall(kept.call, element);
    const isSame = source !== null && resultId(this.#key, '', kept.call, source) === kept.print;
    return isSame ? filledResult(text, source) : null;
  }

  /** The text of the newest result of a call up to an element; null: it has none of plain text. */
  textOfCall(callId: string, upTo: number): string | null {
    const { facts } = this.#conversation;
    const at = facts.findLastIndex(({ closes }, index) => index <= upTo && closes.includes(callId));
    const item = this.#itemsOf(at).find(
      ({ kind, tool }) => kind === 'tool_result' && tool?.callId === callId,
    );
    return item === undefined || item.body !== null || item.media.length > 0 ? null : item.text;
  }

  /** The text of a result as its client sends it; null: there is none at that place. */
  textOf(element: number, part: number | null): string | null {
    const item = this.#itemsOf(element)[part ?? 0];
    return item?.kind === 'tool_result' ? item.text : null;
  }

  /** The call that a result is of, its input as JSON; null: it does not stand before it. */
  callOf(callId: string, element: number): { readonly name: string; readonly input: string } | null {
    const at = this.#conversation.facts.findLastIndex(
      ({ opens }, index) => index < element && opens.includes(callId),
    );
    const call = this.#itemsOf(at).find((item) => item.kind === 'tool_call' && item.tool?.callId === callId);
    const name = call?.tool?.name ?? null;
    return call === undefined || name === null ? null : { name, input: call.text };
  }

  /** Commits what was decided. Where there is no time left nothing is. @throws where the store does not answer */
  async keep(decided: readonly DecidedResult[]): Promise<void> {
    if (this.#deadline.isOver) return;
    this.decide(decided);
    await this.commit();
  }

  /** Puts what was decided into the request; it is to be committed before the request is sent. */
  decide(decided: readonly DecidedResult[]): void {
    const { memory, adapter, at, id: request } = this.#request;
    const records = decided.map(({ element, id, data }): HiddenRecord => {
      const anchors = [this.#conversation.states[element]?.chain ?? ''];
      const { protocol } = adapter;
      return { id, request, protocol, thread: memory.name, anchors, documents: [], data, at };
    });
    for (const record of records) memory.hidden.set(record.id, record);
    this.#open.push(...records);
  }

  /** Commits what was put into the request. @throws where the store does not answer */
  async commit(): Promise<void> {
    const records = this.#open.splice(0);
    this.#keptNow.push(...records);
    await Promise.all(records.map((record) => this.#store.keepHidden(this.#request.accountId, record)));
  }

  /** Takes out of the request what is not committed. */
  withdraw(): void {
    for (const { id } of this.#open.splice(0)) this.#request.memory.hidden.delete(id);
  }

  /**
   * Where the request does not go out as it was put together, what was committed for it is taken back: the results went
   * whole, and stay so.
   */
  async orTakenBack(compose: () => Promise<Composed>): Promise<Composed> {
    try {
      const composed = await compose();
      if (composed.unedited !== null || this.#wentAsItCame()) await this.#takeBack();
      return composed;
    } catch (thrown) {
      this.withdraw();
      if (this.#deadline.standing === null) await this.#takeBack();
      throw thrown;
    }
  }

  #wentAsItCame(): boolean {
    return this.#deadline.isOver && this.#deadline.standing === null;
  }

  async #takeBack(): Promise<void> {
    const { accountId, memory } = this.#request;
    const taken = this.#keptNow.splice(0).map((record) => ({ ...record, data: null }));
    for (const { id } of taken) memory.hidden.delete(id);
    await Promise.all(taken.map((record) => this.#store.keepHidden(accountId, record)));
  }

  #itemsOf(element: number) {
    const { adapter, read, body } = this.#request;
    const slice = this.#conversation.elements[element];
    if (slice === undefined) return [];
    return adapter.parseMessage(body.subarray(slice.start, slice.end), hintsFor(adapter, read, slice.start))
      .items;
  }
}

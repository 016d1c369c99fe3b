import type { Uuid } from '../../kernel/ids.ts';
import type { HiddenRecord, RecallStore } from '../../recall/index.ts';
import { hintsFor } from '../reading/hints.ts';
import type { Conversation } from './conversation.ts';
import { type KeptResult, keptResultIn, sentResult } from './kept-results.ts';
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
  readonly #store: RecallStore;
  readonly #request: RequestToCompose;
  readonly #conversation: Conversation;
  readonly #deadline: Deadline;
  /** What was committed for this request. */
  readonly #keptNow: HiddenRecord[] = [];

  constructor(store: RecallStore, request: RequestToCompose, conversation: Conversation, deadline: Deadline) {
    this.#store = store;
    this.#request = request;
    this.#conversation = conversation;
    this.#deadline = deadline;
  }

  /** Results of the request that are sent with another text, and the estimated tokens that each is shorter by. */
  sent(): readonly { readonly planned: PlannedResult; readonly saves: number }[] {
    const { memory } = this.#request;
    return this.#conversation.results.flatMap((results, element) =>
      results.flatMap(({ id, part }) => {
        const kept = keptResultIn(memory.hidden.get(id)?.data);
        if (kept === null) return [];
        let sent = memory.sentResults.get(id);
        if (sent === undefined) {
          const text = this.textOf(element, part);
          sent = text === null ? null : sentResult(kept, text);
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

  /** The text of a result as its client sends it; null: there is none at that place. */
  textOf(element: number, part: number | null): string | null {
    const item = this.#itemsOf(element)[part ?? 0];
    return item?.kind === 'tool_result' ? item.text : null;
  }

  /** The name of the tool that a result is of; null: its call does not stand before it. */
  toolOf(callId: string, element: number): string | null {
    const at = this.#conversation.facts.findLastIndex(
      ({ opens }, index) => index < element && opens.includes(callId),
    );
    const call = this.#itemsOf(at).find((item) => item.kind === 'tool_call' && item.tool?.callId === callId);
    return call?.tool?.name ?? null;
  }

  /** Commits what was decided. Where there is no time left nothing is. @throws where the store does not answer */
  async keep(decided: readonly DecidedResult[]): Promise<void> {
    if (decided.length === 0 || this.#deadline.isOver) return;
    const { accountId, memory, adapter, at, id: request } = this.#request;
    const records = decided.map(({ element, id, data }): HiddenRecord => {
      const anchors = [this.#conversation.states[element]?.chain ?? ''];
      const { protocol } = adapter;
      return { id, request, protocol, thread: memory.name, anchors, documents: [], data, at };
    });
    this.#keptNow.push(...records);
    await Promise.all(records.map((record) => this.#store.keepHidden(accountId, record)));
    for (const record of records) memory.hidden.set(record.id, record);
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

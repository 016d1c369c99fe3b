import type { Scan, Slice } from '../../conversation/index.ts';
import {
  addTo,
  type Change,
  type Changes,
  keptChange,
  leftOutChange,
  type Piece,
} from '../compose/changed.ts';
import type { Anchors, BodyPlan, NotComposed, OlderPart, PlannedResult } from '../compose/plan.ts';
import { answerOf, type HiddenAnswer, isWhole } from '../hidden/answers.ts';
import { Draft } from './draft.ts';
import { type Front, freeMark, frontOf, frontPiece, frontRuns, memoryFront } from './lay-out.ts';
import { isThinking, isUsers, type MessageParts, readParts } from './message-parts.ts';
import { anchorsIn, answerPutBack, echoedParts, hiddenAnswerIn, hiddenEdits } from './put-back.ts';

/** An echoed answer, and the record of its hidden rounds. */
interface Echo {
  readonly message: MessageParts;
  readonly answer: HiddenAnswer;
}

/** Results of ours that stand behind the client's own. */
interface OwnResults {
  readonly element: number;
  readonly record: string;
  readonly results: readonly string[];
}

/** What becomes of each element of `messages` under a plan, element by element. */
export class MessageChanges {
  readonly #body: Buffer;
  readonly #elements: readonly Slice[];
  readonly #plan: BodyPlan;
  readonly #stays: ReadonlySet<number>;
  readonly #at: number;
  /** The element that something of ours is put in front of, and what that is: the first in view under a layout. */
  readonly #first: number;
  readonly #front: Front | null;
  readonly #records = new Map<string, HiddenAnswer[]>();
  readonly #anchors: Anchors;
  readonly #results = new Map<number, PlannedResult[]>();
  #own: OwnResults | null = null;
  #fault: string | null = null;

  constructor(body: Buffer, scan: Scan, elements: readonly Slice[], plan: BodyPlan, older: OlderPart | null) {
    this.#body = body;
    this.#elements = elements;
    this.#plan = plan;
    const { layout, memory } = plan;
    this.#stays = new Set(older?.stays);
    this.#at = layout?.at ?? memory?.at ?? 0;
    this.#first = Math.min(...this.#stays, layout?.runningTyped ?? this.#at, this.#at);
    const alone = memory === undefined ? null : memoryFront(memory.text);
    this.#front =
      layout === null || older === null
        ? alone
        : frontOf(layout, older, freeMark(body, scan, elements, layout));
    const hidden = plan.fallBack === true ? [] : plan.hidden;
    for (const data of hidden) {
      const answer = hiddenAnswerIn(data);
      if (answer !== null) addTo(this.#records, answer.chain, answer);
    }
    this.#anchors = this.#records.size === 0 ? [] : (plan.anchors ?? anchorsIn(body, elements).anchors);
    for (const result of plan.results) addTo(this.#results, result.element, result);
  }

  /** The changes, or why there can be none. */
  all(): Changes | NotComposed {
    const changes = new Map<number, Change>();
    const gone: number[] = [];
    for (let index = 0; index < this.#elements.length; index += 1) {
      const from = index;
      while (this.#isOut(index)) index += 1;
      if (index > from) changes.set(from, leftOutChange(from, index));
      if (index >= this.#elements.length) break;
      const change = this.#changeOf(index);
      if (change !== null) changes.set(index, change);
      if (change?.pieces.length === 0) gone.push(index);
    }
    if (this.#fault !== null) return { unknown: this.#fault };
    return this.#withoutLoneSystemMessages(changes, gone);
  }

  #isOut(index: number): boolean {
    if (this.#plan.layout === null) return false;
    return index < this.#at && !this.#stays.has(index) && index !== (this.#plan.layout?.runningTyped ?? null);
  }

  #element(index: number): Buffer {
    const slice = this.#elements[index];
    return this.#body.subarray(slice?.start ?? 0, slice?.end ?? 0);
  }

  #changeOf(index: number): Change | null {
    const front = index === this.#first ? this.#front : null;
    const own = this.#own?.element === index ? this.#own : null;
    const element = this.#element(index);
    const leaves = this.#plan.leavesReasoning(index) && !isUsers(element) && element.includes('thinking');
    const echo = this.#echoAt(index, element);
    const back = echo === null ? null : this.#putBack(index, element, echo, leaves);
    if (back !== null) return withFront(back, front);
    const results = this.#results.get(index) ?? [];
    const orphans = index === this.#plan.layout?.runningTyped && !this.#stays.has(index);
    if (front === null && own === null && !leaves && !orphans && results.length === 0) return null;
    const draft = Draft.of(element, index);
    if (draft === null) {
      this.#fault = 'a message that cannot be read';
      return null;
    }
    if (leaves) draft.leaveThinkingOut();
    if (orphans) draft.leaveResultsOut();
    for (const result of results) {
      if (!draft.replaceResult(result)) this.#fault = 'a result that is not where it was planned';
    }
    if (own !== null) draft.addResults(own.results, own.record);
    const joins = front !== null && this.#joins(index, draft);
    if (joins && front !== null) draft.join(front);
    const change = draft.change();
    if (change === null && front === null) return null;
    return withFront(change ?? keptChange(index, element), joins ? null : front);
  }

  /** The front is joined with the typed message that is the first in view. */
  #joins(index: number, { role }: Draft): boolean {
    return role === 'user' && (index === this.#at || index === this.#plan.layout?.runningTyped);
  }

  #echoAt(index: number, element: Buffer): Echo | null {
    const chain = this.#anchors[index]?.[0];
    const records = chain === undefined ? undefined : this.#records.get(chain);
    const message = records === undefined ? null : readParts(element);
    if (records === undefined || message?.role !== 'assistant') return null;
    const answer = answerOf(echoedParts(message), records, NONE_USED);
    return answer === null ? null : { message, answer };
  }

  #putBack(index: number, element: Buffer, { message, answer }: Echo, leaves: boolean): Change | null {
    const parts = echoedParts(message);
    const mixed = answer.mixed !== null && isWhole(parts, answer) && this.#hasResults(index + 1);
    const back = answerPutBack(element, message, parts, answer, mixed);
    if (back === null) return null;
    if (mixed && answer.mixed !== null)
      this.#own = { element: index + 1, record: answer.id, results: answer.mixed.results };
    const thinks = leaves && message.parts.some(isThinking);
    const pieces = back.messages.flatMap(({ json, isHidden }): Piece[] => {
      const less = leaves ? withoutThinking(json) : json;
      return less === null ? [] : [{ json: less, edits: isHidden ? hiddenEdits(less, answer) : [] }];
    });
    const bytes = back.messages.reduce((sum, { json, isHidden }) => sum + (isHidden ? json.length : 0), 0);
    return {
      span: 1,
      pieces,
      leftOut: [
        ...(thinks ? [{ kind: 'left-out-thinking', from: index, to: index + 1 } as const] : []),
        ...back.leftOut.map(
          (part) => ({ kind: 'left-out-parts', element: index, from: part, to: part + 1 }) as const,
        ),
      ],
      runs: [
        { is: 'ours', what: 'hidden_round', bytes, record: answer.id },
        thinks
          ? { is: 'changed', element: index, what: 'reasoning_left_out' }
          : { is: 'kept', from: index, to: index + 1 },
      ],
    };
  }

  #hasResults(index: number): boolean {
    const message = index < this.#elements.length ? readParts(this.#element(index)) : null;
    return message?.role === 'user' && message.parts.some(({ type }) => type === 'tool_result');
  }

  /**
   * An answer of thinking alone may have stood between a system message and a user's; without it the system message, which
   * stands only before an answer or at the end, goes too.
   */
  #withoutLoneSystemMessages(changes: Map<number, Change>, gone: readonly number[]): Changes {
    const isGone = new Set(gone);
    const roleAt = (index: number) => readParts(this.#element(index))?.role ?? null;
    const lone: number[] = [];
    for (const index of gone) {
      if (isGone.has(index - 1)) continue;
      let behind = index + 1;
      while (isGone.has(behind)) behind += 1;
      const before = index - 1;
      if (before < this.#at || behind >= this.#elements.length || changes.has(before)) continue;
      if (roleAt(before) === 'system' && roleAt(behind) !== 'assistant') lone.push(before);
    }
    if (lone.length === 0) return changes;
    for (const index of lone) changes.set(index, leftOutChange(index, index + 1));
    return new Map([...changes].sort(([a], [b]) => a - b));
  }
}

const NONE_USED: ReadonlySet<string> = new Set();

/** A message that was sent, less its thinking; null: nothing else is in it. */
function withoutThinking(json: Uint8Array): Uint8Array | null {
  const draft = Draft.of(json, 0);
  if (draft === null) return json;
  draft.leaveThinkingOut();
  return draft.change()?.pieces[0]?.json ?? json;
}

/** A change with a layout's front as a message before it. */
function withFront(change: Change, front: Front | null): Change {
  if (front === null) return change;
  return {
    ...change,
    pieces: [frontPiece(front), ...change.pieces],
    runs: [...frontRuns(front), ...change.runs],
  };
}

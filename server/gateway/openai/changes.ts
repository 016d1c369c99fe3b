import { fieldsOf, type Slice, stringIn } from '../../conversation/index.ts';
import {
  addTo,
  type Change,
  type Changes,
  keptChange,
  leftOutChange,
  type Piece,
} from '../compose/changed.ts';
import type { Anchors, BodyPlan, NotComposed, OlderPart, PlannedResult, ViewRun } from '../compose/plan.ts';
import { addToolToItem } from './add-tool.ts';
import { itemFront } from './lay-out.ts';
import { anchorsIn, type HiddenItems, type HiddenPlaces, hiddenItemsIn, hiddenPlaces } from './put-back.ts';

/** What becomes of each item of `input` under a plan, item by item. */
export class ItemChanges {
  readonly #body: Buffer;
  readonly #elements: readonly Slice[];
  readonly #plan: BodyPlan;
  readonly #stays: ReadonlySet<number>;
  readonly #hidden: HiddenPlaces;
  readonly #results = new Map<number, PlannedResult[]>();
  /** Our tool's definition where it is to stand in an item; null once it does. */
  #tool: string | null;
  #hasTool = false;
  #fault: string | null = null;

  constructor(
    body: Buffer,
    elements: readonly Slice[],
    plan: BodyPlan,
    older: OlderPart | null,
    tool: string | null,
  ) {
    this.#body = body;
    this.#elements = elements;
    this.#plan = plan;
    this.#stays = new Set(older?.stays);
    this.#tool = tool;
    const records = plan.hidden.flatMap((data) => hiddenItemsIn(data) ?? []);
    const anchors: Anchors = records.length === 0 ? [] : (plan.anchors ?? anchorsIn(body, elements));
    this.#hidden = hiddenPlaces(anchors, records, (index) => !this.#isOut(index));
    for (const result of plan.results) addTo(this.#results, result.element, result);
  }

  /** True once our tool stands in an item. */
  get hasTool(): boolean {
    return this.#hasTool;
  }

  /** The changes, or why there can be none. */
  all(): Changes | NotComposed {
    const changes = new Map<number, Change>();
    const orphans = this.#plan.fallBack === true ? this.#orphans() : new Set<number>();
    const { layout, memory } = this.#plan;
    const front = layout?.runningTyped ?? layout?.at ?? memory?.at ?? null;
    for (let index = 0; index < this.#elements.length; index += 1) {
      const from = index;
      while (this.#isOut(index)) index += 1;
      if (index > from) changes.set(from, leftOutChange(from, index));
      if (index >= this.#elements.length) break;
      const own = this.#ownChange(index, orphans.has(index));
      const change = this.#withHidden(index, own);
      const whole = index === front ? this.#withFront(change ?? this.#kept(index)) : change;
      if (whole !== null) changes.set(index, whole);
    }
    return this.#fault === null ? changes : { unknown: this.#fault };
  }

  #isOut(index: number): boolean {
    const { layout } = this.#plan;
    if (layout === null || index >= layout.at) return false;
    return !this.#stays.has(index) && index !== layout.runningTyped;
  }

  #element(index: number): Buffer {
    const slice = this.#elements[index];
    return this.#body.subarray(slice?.start ?? 0, slice?.end ?? 0);
  }

  #kept(index: number): Change {
    return keptChange(index, this.#element(index));
  }

  #ownChange(index: number, isOrphan: boolean): Change | null {
    if (isOrphan || (this.#plan.fallBack === true && this.#plan.leavesReasoning(index))) {
      const left = this.#reasoningLeftOut(index);
      if (left !== null) return left;
    }
    if (this.#tool !== null) {
      const piece = addToolToItem(this.#element(index), this.#tool);
      if (piece !== null) {
        this.#tool = null;
        this.#hasTool = true;
        return { ...this.#kept(index), pieces: [piece] };
      }
    }
    const result = this.#results.get(index)?.at(-1);
    return result === undefined ? null : this.#withResult(result);
  }

  #reasoningLeftOut(index: number): Change | null {
    if (!this.#isReasoning(index)) return null;
    return {
      span: 1,
      pieces: [],
      leftOut: [{ kind: 'left-out-thinking', from: index, to: index + 1 }],
      runs: [{ is: 'changed', element: index, what: 'reasoning_left_out' }],
    };
  }

  #withResult({ element: index, kind, text }: PlannedResult): Change | null {
    const element = this.#element(index);
    const output = fieldsOf(element).get('output');
    if (output === undefined) {
      this.#fault = 'a result that is not where it was planned';
      return null;
    }
    const json = Buffer.concat([
      element.subarray(0, output.start),
      Buffer.from(JSON.stringify(text)),
      element.subarray(output.end),
    ]);
    const what = kind === 'trimmed-result' ? 'trimmed' : 'filled';
    return {
      span: 1,
      pieces: [{ json, edits: [{ kind }] }],
      leftOut: [],
      runs: [{ is: 'changed', element: index, what }],
    };
  }

  #withHidden(index: number, own: Change | null): Change | null {
    if (this.#plan.fallBack === true) return own;
    const inFront = this.#hidden.inFront.get(index) ?? [];
    const behind = this.#hidden.behind.get(index) ?? [];
    if (inFront.length === 0 && behind.length === 0) return own;
    const change = own ?? this.#kept(index);
    return {
      ...change,
      pieces: [...inFront.flatMap(piecesOf), ...change.pieces, ...behind.flatMap(piecesOf)],
      runs: [...inFront.map(runOf), ...change.runs, ...behind.map(runOf)],
    };
  }

  #withFront(change: Change): Change {
    const { layout, memory } = this.#plan;
    const front = layout ?? (memory === undefined ? null : { memory: memory.text, index: null });
    if (front === null) return change;
    const { pieces, runs } = itemFront(front);
    return { ...change, pieces: [...pieces, ...change.pieces], runs: [...runs, ...change.runs] };
  }

  /** Reasoning that led to a hidden call, which is not put back in this form. */
  #orphans(): ReadonlySet<number> {
    const orphans = new Set<number>();
    for (const place of this.#hidden.behind.keys()) {
      for (let index = place; index >= 0 && this.#isReasoning(index); index -= 1) orphans.add(index);
    }
    return orphans;
  }

  #isReasoning(index: number): boolean {
    const element = this.#element(index);
    return stringIn(element, fieldsOf(element).get('type')) === 'reasoning';
  }
}

function piecesOf({ sent }: HiddenItems): readonly Piece[] {
  return sent.map((json) => ({ json: Buffer.from(json), edits: [{ kind: 'hidden-round' }] }));
}

function runOf({ id, sent }: HiddenItems): ViewRun {
  const bytes = sent.reduce((sum, json) => sum + Buffer.byteLength(json), 0);
  return { is: 'ours', what: 'hidden_round', bytes, record: id };
}

import { fieldsOf, viewOf } from '../../conversation/index.ts';
import type { Change, PieceEdit } from '../compose/changed.ts';
import type { PlannedResult, ViewRun } from '../compose/plan.ts';
import type { Edit as NamedEdit } from '../validator/index.ts';
import { type Front, frontRuns } from './lay-out.ts';
import { isThinking, type MessageParts, readParts, withParts } from './message-parts.ts';

interface DraftPart {
  readonly json: Uint8Array;
  readonly type: string;
  readonly edit: PieceEdit['kind'] | null;
}

/** One message of the client while it is changed, in however many ways. What is not changed keeps its bytes. */
export class Draft {
  readonly #message: MessageParts;
  readonly #index: number;
  /** By their places in the client's content; null: the part is left out. */
  readonly #parts: (DraftPart | null)[];
  readonly #leftOut: NamedEdit[] = [];
  readonly #ours: ViewRun[] = [];
  readonly #what = new Set<'trimmed' | 'filled' | 'reasoning_left_out' | 'joined'>();
  #front: readonly DraftPart[] = [];
  #results: readonly DraftPart[] = [];

  private constructor(message: MessageParts, index: number) {
    this.#message = message;
    this.#index = index;
    this.#parts = message.parts.map((part) => ({ ...part, edit: null }));
  }

  /** A draft of an element; null where it cannot be read. @param index its place in the client's list */
  static of(element: Uint8Array, index: number): Draft | null {
    const message = readParts(element);
    return message === null ? null : new Draft(message, index);
  }

  get role(): string {
    return this.#message.role;
  }

  /** Leaves all thinking of an answer out. */
  leaveThinkingOut(): void {
    if (this.role !== 'assistant' || !this.#message.parts.some(isThinking)) return;
    for (const [place, part] of this.#message.parts.entries())
      if (isThinking(part)) this.#parts[place] = null;
    this.#leftOut.push({ kind: 'left-out-thinking', from: this.#index, to: this.#index + 1 });
    this.#what.add('reasoning_left_out');
  }

  /** Leaves results out whose calls are not in view. */
  leaveResultsOut(): void {
    for (const [place, { type }] of this.#message.parts.entries()) {
      if (type !== 'tool_result') continue;
      this.#parts[place] = null;
      this.#leftOut.push({ kind: 'left-out-parts', element: this.#index, from: place, to: place + 1 });
    }
  }

  /** Gives a result another text; false where there is no such result. One that is left out stays so. */
  replaceResult({ part: place, kind, text }: PlannedResult): boolean {
    const part = this.#message.parts[place ?? -1];
    const content = part === undefined ? undefined : fieldsOf(part.json).get('content');
    if (place === null || part?.type !== 'tool_result' || content === undefined) return false;
    const bytes = viewOf(part.json);
    if (this.#parts[place] === null) return true;
    const json = Buffer.concat([
      bytes.subarray(0, content.start),
      Buffer.from(JSON.stringify(text)),
      bytes.subarray(content.end),
    ]);
    this.#parts[place] = { json, type: part.type, edit: kind };
    this.#what.add(kind === 'trimmed-result' ? 'trimmed' : 'filled');
    return true;
  }

  /** Adds results of ours behind the client's own and before its texts. */
  addResults(results: readonly string[], record: string): void {
    this.#results = results.map((json) => partOf(json, 'hidden-round'));
    const bytes = results.reduce((sum, json) => sum + Buffer.byteLength(json), 0);
    this.#ours.push({ is: 'ours', what: 'hidden_round', bytes, record });
  }

  /** Puts a front before everything else. */
  join(front: Front): void {
    this.#front = [
      ...front.head.map((json) => partOf(json, 'head-message')),
      ...(front.memory === null ? [] : [partOf(front.memory, 'memory-part')]),
      ...(front.index === null ? [] : [partOf(front.index, 'head-message')]),
    ];
    this.#ours.unshift(...frontRuns(front));
    this.#what.add('joined');
  }

  /** What became of the message; null: nothing. */
  change(): Change | null {
    if (this.#what.size === 0 && this.#leftOut.length === 0 && this.#results.length === 0) return null;
    const last = this.#message.parts.findLastIndex(({ type }) => type === 'tool_result');
    const parts = [
      ...this.#front,
      ...present(this.#parts.slice(0, last + 1)),
      ...this.#results,
      ...present(this.#parts.slice(last + 1)),
    ];
    if (parts.length === 0)
      return {
        span: 1,
        pieces: [],
        leftOut: this.#leftOut,
        runs: [{ is: 'left_out', from: this.#index, to: this.#index + 1 }],
      };
    const json = withParts(
      this.#message,
      parts.map((part) => part.json),
    );
    const edits = parts.flatMap(({ edit }, part) =>
      edit === null || edit === 'tool-definition' ? [] : [{ kind: edit, part }],
    );
    return {
      span: 1,
      pieces: [{ json, edits }],
      leftOut: this.#leftOut,
      runs: [...this.#ours, ...this.#runs()],
    };
  }

  #runs(): readonly ViewRun[] {
    if (this.#what.size === 0) return [{ is: 'kept', from: this.#index, to: this.#index + 1 }];
    return [...this.#what].map((what) => ({ is: 'changed', element: this.#index, what }));
  }
}

function partOf(json: string, edit: PieceEdit['kind']): DraftPart {
  return { json: Buffer.from(json), type: '', edit };
}

function present(parts: readonly (DraftPart | null)[]): readonly DraftPart[] {
  return parts.filter((part) => part !== null);
}

import type { Edit } from '../../server/gateway/validator/index.ts';
import type { JsonObject } from '../simulator/json.ts';
import type { Choices } from './testing-choices.ts';

/** The name of our tool in these runs. */
export const OWN_TOOL = 'context-mode-search';

/** An edited body and the names of its edits. */
export interface Composed {
  readonly edited: JsonObject;
  readonly edits: readonly Edit[];
}

type Kind = 'head-message' | 'memory-part' | 'stub' | 'hidden-round' | 'trimmed-result';
interface Piece {
  readonly value: JsonObject;
  readonly kind: Kind | null;
}
/** An element that is being composed; with `parts` its content is put together anew. */
interface Draft {
  readonly value: JsonObject;
  readonly client: number | null;
  kind: Kind | null;
  parts: Piece[] | null;
}

const text = (words: string): JsonObject => ({ type: 'text', text: words });
const listOf = (body: JsonObject, name: string): readonly JsonObject[] => body[name] as JsonObject[];
const isThinking = (part: JsonObject): boolean =>
  part.type === 'thinking' || part.type === 'redacted_thinking';

/**
 * A body with a few of our edits, named as a composer names them: some at places where they may stand, some where they
 * may not.
 */
export class Composer {
  private drafts: Draft[];
  private readonly edits: Edit[] = [];
  private readonly list: 'messages' | 'input';

  constructor(
    private readonly body: JsonObject,
    private readonly choose: Choices,
  ) {
    this.list = body.messages === undefined ? 'input' : 'messages';
    this.drafts = listOf(body, this.list).map((value, client) => ({
      value,
      client,
      kind: null,
      parts: null,
    }));
  }

  compose(): Composed {
    const { choose } = this;
    if (choose.once(3)) this.leaveOut(choose.of('left-out-messages', 'left-out-turn'));
    if (choose.once(3)) this.leaveThinking();
    if (choose.once(2)) this.hideRound();
    if (choose.once(3)) this.trim();
    if (choose.once(3)) this.addOwnText();
    const tools = choose.once(2) ? this.addTool() : this.body.tools;
    return { edited: { ...this.body, [this.list]: this.elements(), tools }, edits: this.edits };
  }

  /** A turn, or the older part behind the first message; now and then a range that is neither. */
  private leaveOut(kind: 'left-out-messages' | 'left-out-turn'): void {
    const count = this.drafts.length;
    const starts = this.drafts.flatMap(({ value }, index) => (opensTurn(value) ? [index] : []));
    const place = () =>
      this.choose.once(3) ? this.choose.below(count + 1) : (starts[this.choose.below(starts.length)] ?? 0);
    const [from, to] = [place(), place()].toSorted((a, b) => a - b) as [number, number];
    if (from === to || to - from >= count) return;
    this.drafts.splice(from, to - from);
    this.edits.push({ kind, from, to });
    const front = this.drafts[0];
    if (kind !== 'left-out-messages' || this.list !== 'messages' || front === undefined) return;
    const head: Piece = { value: text('<index>what was</index>'), kind: 'head-message' };
    if (front.value.role === 'user' && this.choose.once(2)) front.parts = [...piecesOf(front), head];
    else
      this.drafts.unshift({
        value: { role: 'user' },
        client: null,
        kind: 'head-message',
        parts: [{ ...head, kind: null }],
      });
  }

  private leaveThinking(): void {
    const to = 1 + this.choose.below(listOf(this.body, this.list).length);
    this.edits.push({ kind: 'left-out-thinking', from: 0, to });
    const isOut = ({ client, value }: Draft) => client !== null && client < to && value.type === 'reasoning';
    if (this.list === 'input') this.drafts = this.drafts.filter((draft) => !isOut(draft));
    for (const draft of this.drafts) {
      if (this.list === 'input' || draft.client === null || draft.client >= to) continue;
      const pieces = piecesOf(draft);
      const rest = pieces.filter(({ value }) => !isThinking(value));
      if (rest.length < pieces.length) draft.parts = rest;
    }
    this.drafts = this.drafts.filter(({ parts }) => parts === null || parts.length > 0);
  }

  private hideRound(): void {
    const at = this.choose.below(this.drafts.length);
    const draft = this.drafts[at];
    if (draft === undefined) return;
    if (this.list === 'input') {
      const call: JsonObject = {
        type: 'function_call',
        call_id: 'call_own',
        name: OWN_TOOL,
        arguments: '{}',
      };
      const output: JsonObject = { type: 'function_call_output', call_id: 'call_own', output: 'found' };
      this.drafts.splice(at, 0, ...[call, output].map((value) => own(value, 'hidden-round')));
      return;
    }
    const pieces = piecesOf(draft);
    const cut = this.cutOf(pieces);
    const call: Piece = {
      value: { type: 'tool_use', id: 'toolu_own', name: OWN_TOOL, input: {} },
      kind: 'hidden-round',
    };
    const result: JsonObject = { type: 'tool_result', tool_use_id: 'toolu_own', content: 'found' };
    const next = this.drafts[at + 1];
    if (draft.value.role !== 'assistant') return;
    if (this.choose.once(2) && next !== undefined) {
      draft.parts = pieces.toSpliced(cut, 0, call);
      const answers = piecesOf(next);
      const results = answers.filter(({ value }) => value.type === 'tool_result').length;
      next.parts = answers.toSpliced(results, 0, { value: result, kind: 'hidden-round' });
      return;
    }
    const before: Draft = {
      ...draft,
      kind: cut === 0 ? 'hidden-round' : null,
      parts: [...pieces.slice(0, cut), call],
    };
    if (cut === 0) before.parts = [{ ...call, kind: null }];
    const answer: Draft = {
      ...own({ role: 'user' }, 'hidden-round'),
      parts: [{ value: result, kind: null }],
    };
    const after: Draft = { ...draft, parts: pieces.slice(cut) };
    this.drafts.splice(at, 1, before, answer, ...(cut === pieces.length ? [] : [after]));
  }

  /**
   * Where a hidden call stands: anywhere but between two thinking parts. Those of one answer stay together, and which
   * answer they are of is what a composer has stored; their bytes do not say it.
   */
  private cutOf(pieces: readonly Piece[]): number {
    const cut = this.choose.below(pieces.length + 1);
    const thinks = (piece: Piece | undefined) => piece !== undefined && isThinking(piece.value);
    return thinks(pieces[cut - 1]) && thinks(pieces[cut]) ? 0 : cut;
  }

  private trim(): void {
    for (const draft of this.drafts) {
      if (draft.kind !== null) continue;
      if (this.list === 'input') {
        if (draft.value.output !== 'a result of some length' || !this.choose.once(2)) continue;
        this.drafts[this.drafts.indexOf(draft)] = {
          ...draft,
          value: { ...draft.value, output: 'a…h' },
          kind: 'trimmed-result',
        };
        continue;
      }
      const pieces = piecesOf(draft);
      const at = pieces.findIndex(
        ({ value, kind }) => kind === null && value.content === 'a result of some length',
      );
      const piece = pieces[at];
      if (piece === undefined || !this.choose.once(2)) continue;
      draft.parts = pieces.with(at, { value: { ...piece.value, content: 'a…h' }, kind: 'trimmed-result' });
    }
  }

  /** The memory part, or a stub, somewhere. */
  private addOwnText(): void {
    const { choose } = this;
    const at = choose.once(2) ? choose.below(this.drafts.length) : 0;
    const draft = this.drafts[at];
    if (draft === undefined || draft.kind !== null) return;
    if (this.list === 'input') {
      const content = [{ type: 'input_text', text: 'facts' }];
      this.drafts.splice(
        at,
        0,
        own({ type: 'message', role: choose.of('user', 'developer'), content }, 'memory-part'),
      );
      return;
    }
    if (choose.once(3)) this.drafts.splice(at, 0, own({ role: 'system', content: '[evicted]' }, 'stub'));
    else {
      const part: Piece = { value: text('facts'), kind: 'memory-part' };
      draft.parts = choose.once(3) ? [part, ...piecesOf(draft)] : [...piecesOf(draft), part];
    }
  }

  private addTool(): JsonObject[] {
    const tools = listOf(this.body, 'tools');
    const isMarked = tools.at(-1)?.cache_control !== undefined;
    const index = tools.length - (isMarked && !this.choose.once(4) ? 1 : 0);
    this.edits.push({ kind: 'tool-definition', index });
    const tool = { ...(this.list === 'input' ? { type: 'function' } : {}), name: OWN_TOOL };
    return tools.toSpliced(index, 0, {
      ...tool,
      [this.list === 'input' ? 'parameters' : 'input_schema']: { type: 'object' },
    });
  }

  private elements(): JsonObject[] {
    return this.drafts.map(({ value, kind, parts }, element) => {
      if (kind !== null) this.edits.push({ kind, element });
      if (parts === null) return value;
      for (const [part, piece] of parts.entries())
        if (piece.kind !== null) this.edits.push({ kind: piece.kind, element, part });
      return { ...value, content: parts.map((piece) => piece.value) };
    });
  }
}

function own(value: JsonObject, kind: Kind): Draft {
  return { value, client: null, kind, parts: null };
}

function piecesOf({ value, parts }: Draft): Piece[] {
  if (parts !== null) return parts;
  const { content } = value;
  const list = typeof content === 'string' ? [text(content)] : ((content ?? []) as JsonObject[]);
  return list.map((part) => ({ value: part, kind: null }));
}

function opensTurn({ role, content, type }: JsonObject): boolean {
  const bringsResults =
    Array.isArray(content) && (content as JsonObject[]).some((part) => part.type === 'tool_result');
  return role === 'user' && !bringsResults && (type === undefined || type === 'message');
}

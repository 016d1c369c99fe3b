import { type Finding, finding } from './verdict.ts';

/** Where something of ours stands in the edited body: an element of `messages` or `input`, or one part of it. */
export interface OwnPlace {
  /** Position among the edited body's elements. */
  readonly element: number;
  /** Position in the element's `content`; left out: the whole element. */
  readonly part?: number;
}

/** Elements of the client's body, from one to before another. */
export interface ClientRange {
  readonly from: number;
  readonly to: number;
}

/**
 * One difference between the client's body and the edited one. Everything that no edit names must be the client's own
 * bytes in the client's order, and every edit that is named must be there. Naming an edit excuses exactly that
 * difference: what stands at the place is checked by its kind.
 *
 * What is ours (places in the edited body):
 * - `tool-definition`: our tool, `tools[index]`, or `input[item].tools[index]` where tools come in an
 *   `additional_tools` item. Last, or right before the client's last where that bears a cache mark.
 * - `head-message`: text of a layout's head. A part of the first user message, or a whole message: a first user
 *   message or a system message on Anthropic, a user or developer item on Responses.
 * - `memory-part`: the memory block. A text part of the first user message; a whole item on Responses.
 * - `stub`: the line that stands for left-out rounds of the running turn. A text part of a user message, or a whole
 *   system message (on Responses: developer item).
 * - `hidden-round`: a call of our tool, or its result: parts, whole messages, items.
 *
 * The client's, with one value replaced (places in the edited body):
 * - `trimmed-result`: a tool result (a part; on Responses an item) with less text; its id and all else unchanged.
 * - `filled-result`: the same, the text replaced whatever its length.
 *
 * Left out (places in the client's body):
 * - `left-out-thinking`: all thinking of these elements, or none of it is there (on Responses: reasoning items).
 * - `left-out-turn`: whole turns, from one typed message to before another or to the end.
 * - `left-out-messages`: messages that a layout put out of view. Nothing that changes tools or configuration may be
 *   among them, and no compaction item.
 * - `left-out-parts`: the same for parts of one message that is otherwise kept (a head keeps reminders alone).
 *
 * - `block-binding`: `thinking.block_binding.prefix_mismatch_behavior` was set to `drop_block` (Anthropic).
 */
export type Edit =
  | { readonly kind: 'tool-definition'; readonly index: number; readonly item?: number }
  | ({ readonly kind: OwnKind | ReplacedKind } & OwnPlace)
  | ({ readonly kind: LeftOutKind } & ClientRange)
  | ({ readonly kind: 'left-out-parts'; readonly element: number } & ClientRange)
  | { readonly kind: 'block-binding' };

/** Kinds of what is ours alone. */
export type OwnKind = 'head-message' | 'memory-part' | 'stub' | 'hidden-round';
/** Kinds of what is the client's with one value replaced. */
export type ReplacedKind = 'trimmed-result' | 'filled-result';
/** Kinds of what is left out by elements. */
export type LeftOutKind = 'left-out-thinking' | 'left-out-turn' | 'left-out-messages';

const OURS: ReadonlySet<string> = new Set(['head-message', 'memory-part', 'stub', 'hidden-round']);

/** True for the kinds of what is ours alone. */
export function isOwn(kind: OwnKind | ReplacedKind | null): kind is OwnKind {
  return kind !== null && OURS.has(kind);
}

const TURN = 1;
const MESSAGES = 2;
const THINKING = 4;

/** The named edits by their places, and which of them were met. */
export class EditBook {
  private readonly places = new Map<string, number>();
  private readonly tools = new Map<string, number>();
  private readonly parts = new Map<string, number>();
  private readonly partly: ReadonlySet<number>;
  private readonly flags: Uint8Array;
  private readonly met: Uint8Array;
  /** What is wrong with the edits themselves; null: nothing. */
  readonly fault: Finding | null;

  /** @param clientCount how many elements the client's body has */
  constructor(
    private readonly edits: readonly Edit[],
    clientCount: number,
  ) {
    this.flags = new Uint8Array(clientCount);
    this.met = new Uint8Array(edits.length);
    this.partly = new Set(edits.flatMap((edit) => (edit.kind === 'left-out-parts' ? edit.element : [])));
    this.fault = this.sort(clientCount);
  }

  /** The kind of edit that is named for a whole element, and marks it as met. */
  elementEdit(element: number): OwnKind | ReplacedKind | null {
    return this.meet(this.places, `${element}`);
  }

  /** The kind of edit that is named for a part, and marks it as met. */
  partEdit(element: number, part: number): OwnKind | ReplacedKind | null {
    return this.meet(this.places, `${element}.${part}`);
  }

  /** True where `tools[index]` (or `input[item].tools[index]`) is named as ours; marks it as met. */
  isOwnTool(item: number | null, index: number): boolean {
    return this.meet(this.tools, `${item ?? ''}.${index}`) !== null;
  }

  /** Whether any tool of this list is named as ours, without meeting it. */
  hasOwnTool(item: number): boolean {
    return this.edits.some((edit) => edit.kind === 'tool-definition' && edit.item === item);
  }

  /** True where the client's element is left out whole. */
  isLeftOut(clientElement: number): boolean {
    return ((this.flags[clientElement] ?? 0) & (TURN | MESSAGES)) !== 0;
  }

  /** True where the client's part is left out. */
  isPartLeftOut(clientElement: number, part: number): boolean {
    return this.parts.size > 0 && this.meet(this.parts, `${clientElement}.${part}`) !== null;
  }

  /** True where some parts of the client's element are left out. */
  hasPartsLeftOut(clientElement: number): boolean {
    return this.partly.has(clientElement);
  }

  /** True where the client's element is left out with its whole turn. */
  isTurnLeftOut(clientElement: number): boolean {
    return ((this.flags[clientElement] ?? 0) & TURN) !== 0;
  }

  /** True where the thinking of the client's element is left out. */
  isThinkingLeftOut(clientElement: number): boolean {
    return ((this.flags[clientElement] ?? 0) & THINKING) !== 0;
  }

  /** Ranges of one kind, with the places of their edits. */
  ranges(kind: LeftOutKind): readonly (ClientRange & { readonly edit: number })[] {
    return this.edits.flatMap((edit, index) =>
      edit.kind === kind ? [{ from: edit.from, to: edit.to, edit: index }] : [],
    );
  }

  /** The place of the first edit of a kind, or -1; marks it as met. */
  meetKind(kind: Edit['kind']): number {
    const index = this.edits.findIndex((edit) => edit.kind === kind);
    if (index >= 0) this.met[index] = 1;
    return index;
  }

  /** The first edit that was named and is not there. */
  unmet(): Finding | null {
    const index = this.met.indexOf(0);
    const edit = this.edits[index];
    if (edit === undefined) return null;
    return finding('edits', `edits/${index}`, `A ${edit.kind} was named and is not at its place.`);
  }

  private meet(places: Map<string, number>, key: string): OwnKind | ReplacedKind | null {
    const index = places.get(key);
    if (index === undefined) return null;
    this.met[index] = 1;
    return (this.edits[index] as { kind: OwnKind | ReplacedKind }).kind;
  }

  private sort(clientCount: number): Finding | null {
    for (const [index, edit] of this.edits.entries()) {
      const fault = this.sortOne(edit, index, clientCount);
      if (fault !== null) return finding('edits', `edits/${index}`, fault);
    }
    return null;
  }

  private sortOne(edit: Edit, index: number, clientCount: number): string | null {
    switch (edit.kind) {
      case 'block-binding':
        return null;
      case 'tool-definition':
        return this.claim(this.tools, `${edit.item ?? ''}.${edit.index}`, index);
      case 'left-out-parts': {
        if (!isRange(edit.from, edit.to, Number.MAX_SAFE_INTEGER)) return 'It names no parts.';
        if (edit.element < 0 || edit.element >= clientCount) return 'The client has no such message.';
        for (let part = edit.from; part < edit.to; part++) {
          if (part - edit.from > MOST_PARTS) return 'It names too many parts.';
          const fault = this.claim(this.parts, `${edit.element}.${part}`, index);
          if (fault !== null) return fault;
        }
        return null;
      }
      case 'left-out-thinking':
      case 'left-out-turn':
      case 'left-out-messages': {
        if (!isRange(edit.from, edit.to, clientCount)) return 'It names no messages of the client.';
        const flag =
          edit.kind === 'left-out-thinking' ? THINKING : edit.kind === 'left-out-turn' ? TURN : MESSAGES;
        for (let element = edit.from; element < edit.to; element++) {
          if (flag !== THINKING && this.isLeftOut(element))
            return 'Another edit leaves out the same message.';
          this.flags[element] = (this.flags[element] ?? 0) | flag;
        }
        this.met[index] = 1;
        return null;
      }
      default:
        return this.claim(
          this.places,
          edit.part === undefined ? `${edit.element}` : `${edit.element}.${edit.part}`,
          index,
        );
    }
  }

  private claim(places: Map<string, number>, key: string, index: number): string | null {
    if (places.has(key)) return 'Another edit names the same place.';
    places.set(key, index);
    return null;
  }
}

/** Parts of one message that an edit may leave out at most. */
const MOST_PARTS = 100_000;

function isRange(from: number, to: number, end: number): boolean {
  return Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && from < to && to <= end;
}

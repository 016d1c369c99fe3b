import { viewOf } from './bytes.ts';
import { canonicalText, isSupersetText } from './canonical.ts';
import type { MessageHash } from './chain.ts';
import { type JsonNode, jsonObject, readJson } from './json.ts';
import type { Item, Role } from './model.ts';
import { isJoined, placeIn, unfold } from './reminders.ts';

/** What of an item is compared when a message may be another form of a known one. Texts and bodies are masked. */
export type ComparableItem = Pick<Item, 'kind' | 'text' | 'tool'> & {
  /** As in {@link Item}; left out where it is not at hand: an item that would need it is then never the same. */
  readonly body?: Uint8Array | null;
  /** Number of images and files that hang on the item; items that have some are the same only by hash. */
  readonly media?: { readonly length: number };
};

/** A role and its items: one message of a conversation without its place. */
export interface ComparableMessage {
  readonly role: Role;
  readonly items: readonly ComparableItem[];
}

/** A message that is stored already, with masked text, to be compared with one that came in another form. */
export interface StoredMessage extends ComparableMessage {
  readonly hash: MessageHash;
  readonly parent: MessageHash;
}

/** What an agent does to messages when it sends them again, told by the protocol's adapter. */
export interface AgentForms {
  /** The text inside, if the item is a reminder that the agent may move about; else null. */
  readonly reminderOf: (item: ComparableItem) => string | null;
  /** True for a part of an answer that the agent leaves out of what it sends back. */
  readonly isDropped: (item: ComparableItem, answer: readonly ComparableItem[]) => boolean;
  /** True if a call came back under another name and with another input; its id is the same. */
  readonly isRenamed?: (known: ComparableItem, echoed: ComparableItem) => boolean;
}

/** The forms of an agent that sends everything back as it was. */
export const NO_FORMS: AgentForms = { reminderOf: () => null, isDropped: () => false };

/** A known message, the one that may be another form of it, and what stands directly behind each. */
export interface FormQuestion {
  readonly known: ComparableMessage;
  /** A system message that is stored as a child of `known`, if one is to be considered. */
  readonly knownNext: ComparableMessage | null;
  readonly incoming: ComparableMessage;
  /** The next message of the request if it is a system message. */
  readonly incomingNext: ComparableMessage | null;
}

/**
 * The verdict. `undecided`: it is not the known message alone; whether it is that one and a system message stored
 * behind it can be told with `knownNext`. `same`: what came is the known message. `knownNext`: it is the known message and the system message
 * behind it, either in one or together with the incoming one. With `incomingNext` set, this holds only because of the
 * system message behind: `absorbed` that one says nothing else, `needed` it says more and is a message of its own.
 */
export type FormVerdict =
  | { readonly verdict: 'different' | 'undecided' }
  | { readonly verdict: 'same' | 'knownNext'; readonly incomingNext: 'absorbed' | 'needed' | null };

const DIFFERENT: FormVerdict = { verdict: 'different' };

/**
 * Decides whether a message is a known one in another form. The forms are: a reminder that was a part of its own is
 * folded into a tool result's text behind an empty line (blanks at that text's end are lost then), or stands in the
 * next system message, before or behind what that one said already, and both ways back; of equal reminders fewer come
 * back, but one at least; a tool call's input has further keys, or the call is
 * {@link AgentForms.isRenamed}; an answer lacks reasoning, blank texts and what
 * {@link AgentForms.isDropped} names. Everything else must be equal, part by part and in order. Parts that have images
 * or files are never judged the same here.
 */
export function matchForm(question: FormQuestion, forms: AgentForms): FormVerdict {
  const { known, incoming, knownNext, incomingNext } = question;
  if (known.role !== incoming.role) return DIFFERENT;
  if (known.role === 'assistant') {
    return sameAnswer(known.items, incoming.items, forms)
      ? { verdict: 'same', incomingNext: null }
      : DIFFERENT;
  }
  const left = new Alignment(partsOf(known.items, forms), partsOf(incoming.items, forms)).leftOver();
  if (left === null) return DIFFERENT;
  if (left.ofIncoming.length > 0) {
    if (left.ofKnown.length > 0) return DIFFERENT;
    if (knownNext === null) return { verdict: 'undecided' };
    const stood = systemText(knownNext);
    const isBoth = stood !== null && isJoined(stood, left.ofIncoming, 'each');
    return isBoth ? { verdict: 'knownNext', incomingNext: null } : DIFFERENT;
  }
  if (left.ofKnown.length === 0) return { verdict: 'same', incomingNext: null };
  const behind = systemText(knownNext);
  if (behind !== null && placeIn([...left.ofKnown, behind], systemText(incomingNext)) === 'absorbed') {
    return { verdict: 'knownNext', incomingNext: 'absorbed' };
  }
  const place = placeIn(left.ofKnown, systemText(incomingNext));
  return place === 'missing' ? DIFFERENT : { verdict: 'same', incomingNext: place };
}

/** True if an answer that came back is the known one less what agents drop, its calls' inputs with further keys. */
function sameAnswer(
  known: readonly ComparableItem[],
  incoming: readonly ComparableItem[],
  forms: AgentForms,
): boolean {
  const kept = (items: readonly ComparableItem[]) =>
    items.filter((item) => item.kind !== 'reasoning' && !(item.kind === 'answer' && item.text.trim() === ''));
  const produced = kept(known).filter((item) => !forms.isDropped(item, known));
  const echoed = kept(incoming).filter((item) => !forms.isDropped(item, incoming));
  // Nothing left would make every answer without words the same.
  if (produced.length !== echoed.length || produced.length === 0) return false;
  return echoed.every((item, index) => sameAnswerPart(produced[index] as ComparableItem, item, forms));
}

function sameAnswerPart(known: ComparableItem, echoed: ComparableItem, forms: AgentForms): boolean {
  if (known.kind !== echoed.kind) return false;
  if (known.kind === 'answer') return known.text === echoed.text && !hasMedia(known) && !hasMedia(echoed);
  if (known.kind !== 'tool_call') return sameItem(known, echoed);
  if (known.tool?.callId === echoed.tool?.callId && forms.isRenamed?.(known, echoed)) return true;
  return (
    known.tool?.callId === echoed.tool?.callId &&
    known.tool?.name === echoed.tool?.name &&
    known.tool?.namespace === echoed.tool?.namespace &&
    isSupersetText(echoed.text, known.text)
  );
}

/** An item of a message that is no answer, and the reminder that it is. */
interface Part {
  readonly item: ComparableItem;
  readonly reminder: string | null;
}

function partsOf(items: readonly ComparableItem[], forms: AgentForms): readonly Part[] {
  return items.map((item) => ({ item, reminder: hasMedia(item) ? null : forms.reminderOf(item) }));
}

/** Both messages side by side, and which of their reminders were found folded into a tool result of the other. */
class Alignment {
  private readonly folded = new Set<Part>();

  constructor(
    private readonly known: readonly Part[],
    private readonly incoming: readonly Part[],
  ) {}

  /** The reminders that stand elsewhere now (or stood elsewhere before); null where anything else differs. */
  leftOver(): { readonly ofKnown: readonly string[]; readonly ofIncoming: readonly string[] } | null {
    const ofKnown: Part[] = [];
    const ofIncoming: Part[] = [];
    let left = 0;
    let right = 0;
    while (left < this.known.length || right < this.incoming.length) {
      const one = this.known[left];
      const other = this.incoming[right];
      if (one !== undefined && this.folded.has(one)) left++;
      else if (other !== undefined && this.folded.has(other)) right++;
      else if (one !== undefined && other !== undefined && this.isPair(left, right)) {
        left++;
        right++;
      } else if (other?.reminder != null && (one?.reminder == null || this.comesLater(right, one))) {
        ofIncoming.push(other);
        right++;
      } else if (one?.reminder != null) {
        ofKnown.push(one);
        left++;
      } else return null;
    }
    return {
      ofKnown: this.lessRepeated(ofKnown).flatMap(reminderOf),
      ofIncoming: ofIncoming.flatMap(reminderOf),
    };
  }

  /** True if the parts are the same, as they are or with reminders folded into one of them. */
  private isPair(left: number, right: number): boolean {
    const { item: one } = this.known[left] as Part;
    const { item: other } = this.incoming[right] as Part;
    if (sameItem(one, other)) return true;
    if (one.kind !== 'tool_result' || !sameItem({ ...one, text: '' }, { ...other, text: '' })) return false;
    return (
      this.unfoldPair(other.text, [one.text, one.text.trimEnd()], this.known.slice(left + 1)) ||
      this.unfoldPair(one.text, [other.text], this.incoming.slice(right + 1))
    );
  }

  /** True if a text is one of these with reminders behind it that stand among the parts and are not folded yet. */
  private unfoldPair(text: string, beginnings: readonly string[], parts: readonly Part[]): boolean {
    const free = parts.filter((part) => part.reminder !== null && !this.folded.has(part));
    const used = unfold(
      text,
      beginnings,
      free.map((part) => part.item.text),
    );
    for (const index of used ?? []) this.folded.add(free[index] as Part);
    return used !== null;
  }

  private comesLater(right: number, part: Part): boolean {
    return this.incoming.slice(right + 1).some((later) => later.item.text === part.item.text);
  }

  /** Those of which no equal one came back, where it stood or folded, while more had been sent. */
  private lessRepeated(left: readonly Part[]): readonly Part[] {
    const count = (parts: readonly Part[], text: string | null) =>
      parts.filter((part) => part.reminder === text).length;
    return left.filter(({ reminder }) => {
      const sent = count(this.known, reminder);
      const folded = this.known.filter((part) => part.reminder === reminder && this.folded.has(part)).length;
      const back = count(this.incoming, reminder) + folded;
      return back === 0 || back >= sent;
    });
  }
}

function reminderOf(part: Part): readonly string[] {
  return part.reminder === null ? [] : [part.reminder];
}

/** The text of a system message; null where there is none or it has more than text. */
function systemText(message: ComparableMessage | null): string | null {
  if (message === null || message.role !== 'system' || message.items.some(hasMedia)) return null;
  return message.items.map((item) => item.text).join('\n\n');
}

function hasMedia(item: ComparableItem): boolean {
  return (item.media?.length ?? 0) > 0;
}

/** Equal in everything that is known of both. A body that only one has, or that is not at hand, is a difference. */
function sameItem(one: ComparableItem, other: ComparableItem): boolean {
  return (
    one.kind === other.kind &&
    one.text === other.text &&
    one.tool?.callId === other.tool?.callId &&
    one.tool?.name === other.tool?.name &&
    one.tool?.namespace === other.tool?.namespace &&
    one.tool?.isError === other.tool?.isError &&
    !hasMedia(one) &&
    !hasMedia(other) &&
    sameBody(one.body, other.body)
  );
}

/** Bodies are the same if they are but for key order, whitespace, escapes and cache marks. */
function sameBody(one: Uint8Array | null | undefined, other: Uint8Array | null | undefined): boolean {
  if (one === undefined || other === undefined) return (one ?? null) === null && (other ?? null) === null;
  if (one === null || other === null) return one === other;
  if (viewOf(one).equals(viewOf(other))) return true;
  const [left, right] = [readJson(one), readJson(other)];
  return left !== null && right !== null && canonicalText(unmarked(left)) === canonicalText(unmarked(right));
}

function unmarked(node: JsonNode): JsonNode {
  return node.type === 'object'
    ? jsonObject(node.entries.filter((entry) => entry.key !== 'cache_control'))
    : node;
}

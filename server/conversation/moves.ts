import { viewOf } from './bytes.ts';
import { canonicalText, isSupersetText } from './canonical.ts';
import type { MessageHash } from './chain.ts';
import { type JsonNode, jsonObject, readJson } from './json.ts';
import type { Item, Role } from './model.ts';

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
 * The verdict. `same`: what came is the known message. `knownNext`: it is the known message and the system message
 * behind it in one. With `incomingNext` set, this holds only because of the system message behind: `absorbed` that
 * one is nothing but the moved reminders, `needed` it has more and is a message of its own.
 */
export type FormVerdict =
  | { readonly verdict: 'different' }
  | { readonly verdict: 'same' | 'knownNext'; readonly incomingNext: 'absorbed' | 'needed' | null };

const DIFFERENT: FormVerdict = { verdict: 'different' };

/**
 * Decides whether a message is a known one in another form. The forms are: a reminder that was a part of its own is
 * folded into a tool result's text behind an empty line, or stands in the next system message (and both ways back); a
 * tool call's input has further keys; an answer lacks reasoning, blank texts and what {@link AgentForms.isDropped}
 * names. Everything else must be equal, part by part and in order. Parts that have images or files are never judged
 * the same here; of equal reminders in one message, of which some moved, not all orders are found.
 */
export function matchForm(question: FormQuestion, forms: AgentForms): FormVerdict {
  const { known, incoming } = question;
  if (known.role !== incoming.role) return DIFFERENT;
  if (known.role === 'assistant') {
    return sameAnswer(known.items, incoming.items, forms)
      ? { verdict: 'same', incomingNext: null }
      : DIFFERENT;
  }
  const moved = alignReminders(partsOf(known.items, forms), partsOf(incoming.items, forms));
  if (moved === null) return DIFFERENT;
  const fromKnown = placeIn(moved.leftOfKnown, question.incomingNext);
  const fromIncoming = placeIn(moved.leftOfIncoming, question.knownNext);
  if (fromKnown === 'missing' || fromIncoming === 'missing' || fromIncoming === 'needed') return DIFFERENT;
  return { verdict: fromIncoming === 'absorbed' ? 'knownNext' : 'same', incomingNext: fromKnown };
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
  return echoed.every((item, index) => sameAnswerPart(produced[index] as ComparableItem, item));
}

function sameAnswerPart(known: ComparableItem, echoed: ComparableItem): boolean {
  if (known.kind !== echoed.kind) return false;
  if (known.kind === 'answer') return known.text === echoed.text && !hasMedia(known) && !hasMedia(echoed);
  if (known.kind !== 'tool_call') return sameItem(known, echoed);
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

/**
 * Walks both messages side by side. Reminders that only one of them has as parts, and that are not folded into a tool
 * result of the other, are left over; null where anything else differs.
 */
function alignReminders(
  known: readonly Part[],
  incoming: readonly Part[],
): { readonly leftOfKnown: readonly string[]; readonly leftOfIncoming: readonly string[] } | null {
  const folded = new Set<Part>();
  const leftOfKnown: string[] = [];
  const leftOfIncoming: string[] = [];
  let left = 0;
  let right = 0;
  for (;;) {
    const one = known[left];
    const other = incoming[right];
    if (one !== undefined && folded.has(one)) left++;
    else if (other !== undefined && folded.has(other)) right++;
    else if (one === undefined && other === undefined) return { leftOfKnown, leftOfIncoming };
    else if (one !== undefined && other !== undefined && sameItem(one.item, other.item)) {
      left++;
      right++;
    } else if (other?.reminder != null && (one?.reminder == null || hasLater(incoming, right, one))) {
      leftOfIncoming.push(other.reminder);
      right++;
    } else if (one?.reminder != null) {
      leftOfKnown.push(one.reminder);
      left++;
    } else if (one !== undefined && other !== undefined && foldedPair(known, left, incoming, right, folded)) {
      left++;
      right++;
    } else return null;
  }
}

function hasLater(parts: readonly Part[], from: number, part: Part): boolean {
  return parts.slice(from + 1).some((later) => later.item.text === part.item.text);
}

/** True if two tool results are the same once reminders that stand behind one are folded into it. */
function foldedPair(
  known: readonly Part[],
  left: number,
  incoming: readonly Part[],
  right: number,
  folded: Set<Part>,
): boolean {
  const one = (known[left] as Part).item;
  const other = (incoming[right] as Part).item;
  if (one.kind !== 'tool_result' || !sameItem({ ...one, text: '' }, { ...other, text: '' })) return false;
  const behind = one.text.length < other.text.length ? known.slice(left + 1) : incoming.slice(right + 1);
  const parts = behind.filter((part) => !folded.has(part));
  const [short, long] = one.text.length < other.text.length ? [one.text, other.text] : [other.text, one.text];
  const used = long.startsWith(short) ? unfold(long.slice(short.length), parts) : null;
  for (const part of used ?? []) folded.add(part);
  return used !== null;
}

/** The reminders, in their order, that make up a text folded onto a result; null where it is anything else. */
function unfold(text: string, parts: readonly Part[]): readonly Part[] | null {
  const used: Part[] = [];
  let rest = text;
  for (const part of parts) {
    if (part.reminder === null || rest === '') continue;
    const forms = [`\n\n${part.item.text}`, `\n\n${part.item.text.trimEnd()}`];
    const form = forms.find((candidate) => rest.startsWith(candidate));
    if (form === undefined) continue;
    used.push(part);
    rest = rest.slice(form.length);
  }
  return rest === '' && used.length > 0 ? used : null;
}

/**
 * Where moved reminders stand: null there are none; `absorbed` the system message is these and nothing more, in
 * order; `needed` it has each of them among its paragraphs; `missing` it has not.
 */
function placeIn(
  reminders: readonly string[],
  system: ComparableMessage | null,
): 'absorbed' | 'needed' | 'missing' | null {
  if (reminders.length === 0) return null;
  if (system === null || system.items.some(hasMedia)) return 'missing';
  const text = system.items.map((item) => item.text).join('\n\n');
  if (isJoined(text, reminders)) return 'absorbed';
  return reminders.every((reminder) => hasParagraph(text, reminder)) ? 'needed' : 'missing';
}

/** True if the text is exactly these, one under the other (by a line break or an empty line). */
function isJoined(text: string, reminders: readonly string[]): boolean {
  let at = 0;
  for (const [index, reminder] of reminders.entries()) {
    if (!text.startsWith(reminder, at)) return false;
    at += reminder.length;
    if (index === reminders.length - 1) return at === text.length;
    if (text[at] !== '\n') return false;
    at += text[at + 1] === '\n' ? 2 : 1;
  }
  return false;
}

/** True if the reminder stands in the text from the beginning of a line to the end of one. */
function hasParagraph(text: string, reminder: string): boolean {
  if (reminder === '') return false;
  for (let at = text.indexOf(reminder); at >= 0; at = text.indexOf(reminder, at + 1)) {
    const end = at + reminder.length;
    if ((at === 0 || text[at - 1] === '\n') && (end === text.length || text[end] === '\n')) return true;
  }
  return false;
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

import {
  itemsOf,
  member,
  readJson,
  type Slice,
  stringIn,
  stringMember,
  viewOf,
} from '../../conversation/index.ts';
import { type MessageParts, readParts } from './message-parts.ts';

/** A text of the agent's own that the model is to live by, as a part of a user message. */
export interface HeadPart {
  /** JSON text of the part. */
  readonly json: string;
}

/** A kind of text that Claude Code puts into a conversation by itself. */
interface HeadKind {
  /** What it begins with, behind the tag of a reminder (Claude Code 2.1.197). */
  readonly beginning: RegExp;
  /** The newest alone counts, or each adds to those before it. */
  readonly counts: 'newest' | 'each';
}

/**
 * What a model goes on needing when the messages around it have left the view. Attachments, the output of hooks and
 * reminders of tasks are not of that kind: they are archived.
 */
const HEAD_KINDS: readonly HeadKind[] = [
  { beginning: /^[^\n]*\n# (?:claudeMd|currentDate|gitStatus|Environment|Memory)\b/, counts: 'newest' },
  { beginning: /^# (?:claudeMd|currentDate|gitStatus|Environment|Memory)\b/, counts: 'newest' },
  { beginning: /^Available agent types for the Agent tool:/, counts: 'newest' },
  {
    beginning: /^(?:New agent types are now available|The following agent types are no longer available)/,
    counts: 'each',
  },
  { beginning: /^The following skills are available for use with the Skill tool:/, counts: 'newest' },
  { beginning: /^# MCP Server Instructions/, counts: 'each' },
  { beginning: /^(?:The following|\d+) deferred tools are (?:now|no longer) available/, counts: 'each' },
  {
    beginning: /^Plan mode (?:is active|still active|was exited)|^You have exited plan mode/,
    counts: 'newest',
  },
];

/** What an element holds that has such a text: most are told by it without being taken apart. */
const SYSTEM = '"system"';
const OPEN = '<system-reminder>';
const CLOSE = '</system-reminder>';

/** A text that may be of the head: what it says without the reminder's tag, and its part. */
export interface HeadText {
  readonly text: string;
  readonly json: string;
}

/**
 * The head of a conversation: what stands in the given entries that the agent itself put there for the model to live by,
 * the newest of each kind, in the order of the conversation and in its own bytes. Texts of system messages are wrapped as
 * the agent wraps them for models without such messages.
 */
export function headOf(body: Uint8Array, elements: readonly Slice[]): readonly HeadPart[] {
  const texts = elements.flatMap(({ start, end }) => {
    const element = viewOf(body.subarray(start, end));
    if (!element.includes(OPEN) && !element.includes(SYSTEM)) return [];
    const message = readParts(element);
    return message === null ? [] : headTexts(message);
  });
  return newestOfEach(texts).map((json) => ({ json }));
}

/** Of the texts of a conversation those of its head, as parts: of each kind the newest, or each where they add up. */
export function newestOfEach(texts: readonly HeadText[]): readonly string[] {
  const found = texts.flatMap(({ text, json }) => {
    const kind = HEAD_KINDS.find(({ beginning }) => beginning.test(text));
    return kind === undefined ? [] : [{ kind, json }];
  });
  const newest = new Map(found.map(({ kind }, index) => [kind, index]));
  return found
    .filter(({ kind }, index) => kind.counts === 'each' || newest.get(kind) === index)
    .map(({ json }) => json);
}

/** The texts of a message that may be of the head. */
export function headTexts({ role, parts }: MessageParts): readonly HeadText[] {
  if (role !== 'user' && role !== 'system') return [];
  return parts.flatMap(({ type, json, members }): readonly HeadText[] => {
    const slice = members.get('text');
    if (type !== 'text' || slice === undefined) return [];
    const raw = json.toString('utf8', slice.start, slice.end);
    if (role === 'user' && !raw.includes(OPEN)) return [];
    const text = stringIn(json, slice)?.trim() ?? '';
    if (role === 'system') return [{ text, json: textPart(`"${OPEN}\\n${raw.slice(1, -1)}\\n${CLOSE}"`) }];
    if (!text.startsWith(OPEN) || !text.endsWith(CLOSE)) return [];
    return [{ text: text.slice(OPEN.length, -CLOSE.length).trim(), json: textPart(raw) }];
  });
}

/** A text part of this JSON string; without the cache mark that its own part may have had. */
function textPart(jsonString: string): string {
  return `{"type":"text","text":${jsonString}}`;
}

/** A result that loaded a deferred tool: what it loaded is offered only while it is in view. */
export function staysInView(element: Uint8Array): boolean {
  return viewOf(element).includes('"tool_reference"');
}

/** A compaction of the provider's own: with all before it, it is one thing. */
export function closesWindow(element: Uint8Array): boolean {
  const bytes = viewOf(element);
  if (!bytes.includes('"compaction"')) return false;
  const node = readJson(bytes) ?? undefined;
  return itemsOf(member(node, 'content')).some((part) => stringMember(part, 'type') === 'compaction');
}

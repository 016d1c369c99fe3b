import {
  itemsOf,
  type JsonNode,
  member,
  readJson,
  type Slice,
  stringMember,
  viewOf,
} from '../../conversation/index.ts';

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

const OPEN = '<system-reminder>';
const CLOSE = '</system-reminder>';

/**
 * The head of a conversation: what stands in the given entries that the agent itself put there for the model to live by,
 * the newest of each kind, in the order of the conversation and in its own bytes. Texts of system messages are wrapped as
 * the agent wraps them for models without such messages.
 */
export function headOf(body: Uint8Array, elements: readonly Slice[]): readonly HeadPart[] {
  const found: { readonly kind: HeadKind; readonly part: HeadPart }[] = [];
  for (const slice of elements) {
    const element = viewOf(body.subarray(slice.start, slice.end));
    for (const { text, json } of headTexts(element)) {
      const kind = HEAD_KINDS.find(({ beginning }) => beginning.test(text));
      if (kind !== undefined) found.push({ kind, part: { json } });
    }
  }
  return found
    .filter(
      ({ kind }, index) =>
        kind.counts === 'each' || !found.slice(index + 1).some((later) => later.kind === kind),
    )
    .map(({ part }) => part);
}

/** The texts of an entry that may be of the head: what they say without the reminder's tag, and as a part. */
function headTexts(element: Buffer): readonly { readonly text: string; readonly json: string }[] {
  // A quick look before the parse: most entries are answers and results.
  if (!element.includes(OPEN) && !element.includes('"system"')) return [];
  const node = readJson(element);
  const role = stringMember(node ?? undefined, 'role');
  const content = member(node ?? undefined, 'content');
  if (role === 'system') return systemTexts(element, content);
  if (role !== 'user') return [];
  return itemsOf(content).flatMap((part) => {
    const text = stringMember(part, 'text')?.trim() ?? '';
    if (stringMember(part, 'type') !== 'text' || !text.startsWith(OPEN) || !text.endsWith(CLOSE)) return [];
    const inner = text.slice(OPEN.length, -CLOSE.length).trim();
    return [{ text: inner, json: textPart(rawOf(element, member(part, 'text'))) }];
  });
}

function systemTexts(element: Buffer, content: JsonNode | undefined) {
  const texts = content?.type === 'string' ? [content] : itemsOf(content).map((part) => member(part, 'text'));
  return texts.flatMap((node) => {
    if (node?.type !== 'string') return [];
    const raw = rawOf(element, node).slice(1, -1);
    return [{ text: node.value.trim(), json: textPart(`"${OPEN}\\n${raw}\\n${CLOSE}"`) }];
  });
}

/** A text part of this JSON string; without the cache mark that its own part may have had. */
function textPart(jsonString: string): string {
  return `{"type":"text","text":${jsonString}}`;
}

function rawOf(source: Buffer, node: JsonNode | undefined): string {
  return node === undefined ? '""' : source.toString('utf8', node.start, node.end);
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

import { entriesOf, fieldsOf, type Slice, scanBody, stringIn, viewOf } from '../../conversation/index.ts';

/** One part of a message's content. A bare string is a text part of the same bytes. */
export interface MessagePart {
  readonly type: string;
  /** Its JSON, and where its members' values are in it. */
  readonly json: Buffer;
  readonly members: ReadonlyMap<string, Slice>;
}

/** An entry of `messages`, taken apart without a parse of its texts. */
export interface MessageParts {
  readonly role: string;
  /** The element's bytes in front of its content, and behind it. */
  readonly before: Buffer;
  readonly after: Buffer;
  readonly parts: readonly MessagePart[];
  /** True where the content is one bare string. */
  readonly isBare: boolean;
}

const CONTENT = new Set(['content']);

/** Takes an entry of `messages` apart; null where it is none that can be put together again. */
export function readParts(element: Uint8Array): MessageParts | null {
  const scan = scanBody(element, CONTENT);
  if (scan === null || scan.fault !== null) return null;
  const bytes = viewOf(element);
  const fields = new Map(scan.fields.map((field) => [field.name, field]));
  const content = fields.get('content');
  const role = stringIn(bytes, fields.get('role')?.value);
  if (role === null || content === undefined || fields.size < scan.fields.length) return null;
  const { start, end } = content.value;
  const around = { role, before: bytes.subarray(0, start), after: bytes.subarray(end) };
  if (content.kind === 'string') {
    const json = Buffer.concat([BEFORE_TEXT, bytes.subarray(start, end), AFTER_TEXT]);
    return {
      ...around,
      parts: end - start > 2 ? [partAt(json, { start: 0, end: json.length })] : [],
      isBare: true,
    };
  }
  if (content.elements === null) return null;
  return { ...around, parts: content.elements.map((slice) => partAt(bytes, slice)), isBare: false };
}

/** The parts of a list of them, given as its JSON; none where it is no list. */
export function partsOfList(list: Buffer): readonly MessagePart[] {
  return entriesOf(list).map((slice) => partAt(list, slice));
}

function partAt(bytes: Buffer, { start, end }: Slice): MessagePart {
  const json = bytes.subarray(start, end);
  const members = fieldsOf(json);
  return { type: stringIn(json, members.get('type')) ?? '', json, members };
}

const BEFORE_TEXT = Buffer.from('{"type":"text","text":');
const AFTER_TEXT = Buffer.from('}');
const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');
const COMMA = Buffer.from(',');

/** A message of these parts, with what stands beside the content of another. */
export function withParts(
  { before, after }: Pick<MessageParts, 'before' | 'after'>,
  parts: readonly Uint8Array[],
): Buffer {
  const list = parts.flatMap((part, index) => (index === 0 ? [part] : [COMMA, part]));
  return Buffer.concat([before, OPEN, ...list, CLOSE, after]);
}

/** True for a part that holds signed reasoning. */
export function isThinking({ type }: Pick<MessagePart, 'type'>): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

const USERS = Buffer.from('{"role":"user","content":');

/** A user's message as most clients write it: told without reading it. */
export function isUsers(element: Uint8Array): boolean {
  return USERS.equals(element.subarray(0, USERS.length));
}

/** Ids of the calls that a user's message answers, where it holds results and nothing else; null: it does not. */
export function resultsAlone(element: Uint8Array): readonly string[] | null {
  if (!viewOf(element).includes('"tool_result"')) return null;
  const message = readParts(element);
  if (message === null || message.role !== 'user' || message.parts.length === 0) return null;
  const ids: string[] = [];
  for (const { type, json, members } of message.parts) {
    const id = type === 'tool_result' ? stringIn(json, members.get('tool_use_id')) : null;
    if (id === null) return null;
    ids.push(id);
  }
  return ids;
}

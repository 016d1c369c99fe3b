import {
  canonicalBytes,
  type Item,
  type ItemKind,
  itemsOf,
  type JsonNode,
  jsonArray,
  jsonObject,
  jsonString,
  type Message,
  member,
  type Role,
  readJson,
  stringMember,
  viewOf,
} from '../../conversation/index.ts';
import { type ElementHints, isPassingReminder } from '../reading/injected.ts';
import {
  bodyOf,
  decodeMedia,
  describeCall,
  type FoundMedia,
  hasOnly,
  itemOf,
  rawText,
  stripped,
  unreadable,
  without,
} from '../reading/parts.ts';
import { textKinds } from './kinds.ts';

/** Left out of what names a message: agents move cache marks about; `citations: null` is what no citations are. */
const MARKS = new Set(['cache_control']);
const MESSAGE_KEYS = new Set(['role', 'content', 'cache_control']);
const TEXT_KEYS = new Set(['type', 'text', 'cache_control']);
const CALL_KEYS = new Set(['type', 'id', 'name', 'input', 'cache_control']);
const RESULT_KEYS = new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']);

/** What one part of a message became: an item, and what of it names the message (null: nothing). */
interface ReadPart {
  readonly item: Item;
  readonly canonical: JsonNode | null;
}

/**
 * Reads one entry of `messages`. There is one item for each part, in order; a bare string is one text part. The
 * canonical form is the message's content with cache marks, thinking and an assistant's blank texts left out, and
 * strings that stand for one text part written as that part (also inside tool results).
 */
export function parseMessage(element: Uint8Array, hints?: ElementHints): Message {
  const source = viewOf(element);
  const node = readJson(element);
  if (node?.type !== 'object') return unreadable(element, node);
  const role = roleOf(stringMember(node, 'role'));
  const content = member(node, 'content');
  const kindOfText = textKinds(role, hints);
  const parts = partsOf(content)
    .map((part) => readPart(part, source, role, kindOfText))
    .map((part) => (isPassing(part, hints) ? { ...part, canonical: null } : part));
  const canonicalParts = parts.flatMap((part) => (part.canonical === null ? [] : [part.canonical]));
  const others = without(node, MESSAGE_KEYS);
  const isOdd = content !== undefined && content.type !== 'string' && content.type !== 'array';
  const named =
    content === undefined ? [] : [{ key: 'content', value: isOdd ? content : jsonArray(canonicalParts) }];
  return {
    role,
    items:
      parts.length > 0
        ? parts.map((part) => part.item)
        : [itemOf('unknown', rawText(node, source), { body: Uint8Array.from(element) })],
    canonical: canonicalBytes(jsonObject([...others, ...named])),
    transparent:
      role === 'assistant' && canonicalParts.length === 0 && parts.length > 0 && others.length === 0,
  };
}

/** OpenCode sends some reminders once only: they do not name the message. */
function isPassing({ item }: ReadPart, hints: ElementHints | undefined): boolean {
  return hints?.agent === 'opencode' && item.kind === 'injected' && isPassingReminder(item.text);
}

function roleOf(role: string | null): Role {
  return role === 'user' || role === 'assistant' || role === 'system' ? role : 'unknown';
}

/** The parts of a content; a string is one text part with the string's own place in the source. */
function partsOf(content: JsonNode | undefined): readonly JsonNode[] {
  if (content?.type !== 'string') return itemsOf(content);
  return [textPart(content)];
}

function textPart(text: JsonNode): JsonNode {
  return {
    ...jsonObject([
      { key: 'type', value: jsonString('text') },
      { key: 'text', value: text },
    ]),
    start: text.start,
    end: text.end,
  };
}

function readPart(
  part: JsonNode,
  source: Buffer,
  role: Role,
  kindOfText: (text: string) => ItemKind,
): ReadPart {
  const type = stringMember(part, 'type') ?? '';
  const own = () => bodyOf(part, source, []);
  if (type === 'text') {
    const text = stringMember(part, 'text');
    if (text === null)
      return {
        item: itemOf('unknown', rawText(part, source), { body: own() }),
        canonical: stripped(part, MARKS),
      };
    const plain = hasOnly(dropNull(part, 'citations'), TEXT_KEYS);
    const item = itemOf(kindOfText(text), text, plain ? {} : { body: own() });
    const blank = role === 'assistant' && text.trim() === '';
    return { item, canonical: blank ? null : stripped(dropNull(part, 'citations'), MARKS) };
  }
  if (type === 'thinking')
    return {
      item: itemOf('reasoning', stringMember(part, 'thinking') ?? '', { body: own() }),
      canonical: null,
    };
  if (type === 'redacted_thinking')
    return { item: itemOf('reasoning', '', { body: own() }), canonical: null };
  if (type === 'tool_result' || type.endsWith('_tool_result')) return readResult(part, source);
  if (type === 'tool_use' || type.endsWith('_tool_use') || type === 'server_tool_use')
    return readCall(part, source);
  if (type === 'image' || type === 'document')
    return readFile(part, source, type === 'image' ? 'image' : 'file');
  if (type === 'compaction') {
    return {
      item: itemOf('compaction', stringMember(part, 'content') ?? '', { body: own() }),
      canonical: stripped(part, MARKS),
    };
  }
  const kind = type === 'search_result' || type === 'container_upload' ? 'file' : 'unknown';
  const text = readable(member(part, 'content'), 0) || rawText(part, source);
  return { item: itemOf(kind, text, { body: own() }), canonical: stripped(part, MARKS) };
}

function readCall(part: JsonNode, source: Buffer): ReadPart {
  const input = member(part, 'input');
  const text = input === undefined ? '' : rawText(input, source);
  const name = stringMember(part, 'name') ?? stringMember(part, 'type') ?? '';
  const tool = {
    callId: stringMember(part, 'id') ?? '',
    name,
    namespace: stringMember(part, 'server_name'),
    isError: false,
  };
  const plain = hasOnly(part, CALL_KEYS) && stringMember(part, 'type') === 'tool_use';
  const body = plain ? null : bodyOf(part, source, []);
  return {
    item: itemOf('tool_call', text, { body, tool, ...describeCall(name, text) }),
    canonical: stripped(part, MARKS),
  };
}

function readResult(part: JsonNode, source: Buffer): ReadPart {
  const content = member(part, 'content');
  const isError = member(part, 'is_error');
  const found = contentMedia(content);
  const tool = {
    callId: stringMember(part, 'tool_use_id') ?? '',
    name: null,
    namespace: null,
    isError:
      (isError?.type === 'boolean' && isError.value) ||
      (stringMember(content, 'type') ?? '').endsWith('_error'),
  };
  const pieces = itemsOf(content);
  const only = pieces.length === 1 ? pieces[0] : undefined;
  const isPlain =
    stringMember(part, 'type') === 'tool_result' &&
    hasOnly(part, RESULT_KEYS) &&
    (content === undefined || content.type === 'string' || (only !== undefined && isPlainText(only)));
  const item = itemOf('tool_result', readable(content, 0), {
    tool,
    body: isPlain ? null : bodyOf(part, source, found),
    media: found.map((entry) => entry.media),
  });
  return { item, canonical: canonicalResult(part, content) };
}

/** The result with its content as parts, cache marks left out of each. */
function canonicalResult(part: JsonNode, content: JsonNode | undefined): JsonNode {
  const others = without(part, MARKS).filter((entry) => entry.key !== 'content');
  if (content === undefined) return jsonObject(others);
  const pieces =
    content.type === 'string' ? [textPart(content)] : content.type === 'array' ? content.items : null;
  const value =
    pieces === null
      ? content
      : jsonArray(pieces.map((piece) => stripped(dropNull(piece, 'citations'), MARKS)));
  return jsonObject([...others, { key: 'content', value }]);
}

function readFile(part: JsonNode, source: Buffer, kind: 'image' | 'file'): ReadPart {
  const from = member(part, 'source');
  const found = contentMedia(jsonArray([part]));
  const text =
    stringMember(from, 'type') === 'text'
      ? (stringMember(from, 'data') ?? '')
      : (stringMember(from, 'url') ?? stringMember(from, 'file_id') ?? readable(member(from, 'content'), 0));
  const item = itemOf(kind, text, {
    body: bodyOf(part, source, found),
    media: found.map((entry) => entry.media),
  });
  return { item, canonical: stripped(part, MARKS) };
}

/** Base64 sources of the images and documents in a content, in order. */
function contentMedia(content: JsonNode | undefined): FoundMedia[] {
  return itemsOf(content).flatMap((piece) => {
    const source = member(piece, 'source');
    if (stringMember(source, 'type') !== 'base64') return [];
    const media = decodeMedia(member(source, 'data'), stringMember(source, 'media_type'));
    return media === null ? [] : [media];
  });
}

function isPlainText(piece: JsonNode): boolean {
  return (
    stringMember(piece, 'type') === 'text' &&
    stringMember(piece, 'text') !== null &&
    hasOnly(piece, TEXT_KEYS)
  );
}

function dropNull(part: JsonNode, key: string): JsonNode {
  return member(part, key)?.type === 'null' ? stripped(part, new Set([key])) : part;
}

const READABLE = ['title', 'url', 'text', 'stdout', 'stderr', 'error_code', 'tool_name'] as const;
const READABLE_DEPTH = 4;

/** What a person reads in a content: strings as they are, of parts their texts, one under the other. */
function readable(content: JsonNode | undefined, depth: number): string {
  if (content === undefined || depth > READABLE_DEPTH) return '';
  if (content.type === 'string') return content.value;
  if (content.type === 'array') {
    return content.items.flatMap((item) => readable(item, depth + 1) || []).join('\n');
  }
  const own = READABLE.flatMap((key) => stringMember(content, key) ?? []);
  return [...own, ...(readable(member(content, 'content'), depth + 1) || [])].join('\n');
}

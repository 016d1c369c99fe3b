import {
  canonicalBytes,
  type Item,
  type ItemKind,
  type JsonEntry,
  type JsonNode,
  jsonObject,
  type Media,
  type Message,
  readJson,
  stringMember,
} from '../../conversation/index.ts';

/** An item with the fields given and nothing in the others. */
export function itemOf(kind: ItemKind, text: string, rest: Partial<Omit<Item, 'kind' | 'text'>> = {}): Item {
  return { kind, text, body: null, tool: null, mainInput: null, path: null, media: [], ...rest };
}

/**
 * A message of one `unknown` item that holds bytes which no message can be: not JSON (`node` null), or JSON of another
 * kind. It is named by its value, or by the bytes themselves.
 */
export function unreadable(element: Uint8Array, node: JsonNode | null): Message {
  const text = Buffer.from(element).toString('utf8');
  return {
    role: 'unknown',
    items: [itemOf('unknown', text, { body: Uint8Array.from(element) })],
    canonical: node === null ? Uint8Array.from(element) : canonicalBytes(node),
    transparent: false,
  };
}

/** The entries of an object less those with one of these names. */
export function without(node: JsonNode, names: ReadonlySet<string>): readonly JsonEntry[] {
  return node.type === 'object' ? node.entries.filter((entry) => !names.has(entry.key)) : [];
}

/** The node less these names; nodes that are no objects come back as they are. */
export function stripped(node: JsonNode, names: ReadonlySet<string>): JsonNode {
  return node.type === 'object' ? jsonObject(without(node, names)) : node;
}

/** True if the object has no other keys than these, and none of them twice. */
export function hasOnly(node: JsonNode, names: ReadonlySet<string>): boolean {
  if (node.type !== 'object') return false;
  const keys = node.entries.map((entry) => entry.key);
  return keys.every((key) => names.has(key)) && new Set(keys).size === keys.length;
}

/** The bytes that a node was read from, as text. */
export function rawText(node: JsonNode, source: Buffer): string {
  return source.toString('utf8', node.start, node.end);
}

/** Base64 content that was taken out of a part: the node of its text, and what it decodes to. */
export interface FoundMedia {
  readonly node: JsonNode;
  readonly media: Media;
}

/**
 * Decodes the base64 text of `node`; null where encoding it again would not give the same text (then it stays in the
 * body as it is, so that nothing is lost).
 */
export function decodeMedia(node: JsonNode | undefined, mime: string | null): FoundMedia | null {
  if (node?.type !== 'string' || node.value === '') return null;
  const bytes = Buffer.from(node.value, 'base64');
  if (bytes.toString('base64') !== node.value) return null;
  return { node, media: { mime: mime ?? 'application/octet-stream', bytes } };
}

/** Decodes a `data:<mime>;base64,<data>` address in the same way; null for every other address. */
export function decodeDataUrl(node: JsonNode | undefined): FoundMedia | null {
  if (node?.type !== 'string' || !node.value.startsWith('data:')) return null;
  const comma = node.value.indexOf(',');
  const match = /^data:([^;,]{1,100});base64$/.exec(node.value.slice(0, Math.max(0, comma)));
  if (match?.[1] === undefined) return null;
  const data = node.value.slice(comma + 1);
  const bytes = Buffer.from(data, 'base64');
  if (bytes.toString('base64') !== data || bytes.length === 0) return null;
  return { node, media: { mime: match[1], bytes } };
}

/**
 * The bytes of a part with each media text replaced by `"media:<n>"`, n counting from 0 in the order of `found`
 * (a media text that is a data address becomes `"data:<mime>;base64,media:<n>"`).
 */
export function bodyOf(part: JsonNode, source: Buffer, found: readonly FoundMedia[]): Uint8Array {
  const pieces: Buffer[] = [];
  let from = part.start;
  for (const [index, { node, media }] of found.entries()) {
    const isAddress = node.type === 'string' && node.value.startsWith('data:');
    pieces.push(source.subarray(from, node.start));
    pieces.push(
      Buffer.from(JSON.stringify(`${isAddress ? `data:${media.mime};base64,` : ''}media:${index}`)),
    );
    from = node.end;
  }
  pieces.push(source.subarray(from, part.end));
  return new Uint8Array(Buffer.concat(pieces));
}

const MAIN_INPUTS = [
  'command',
  'cmd',
  'file_path',
  'filePath',
  'notebook_path',
  'path',
  'pattern',
  'query',
  'url',
  'description',
  'prompt',
  'skill',
  'message',
  'task_name',
  'chars',
] as const;
const PATH_INPUTS = ['file_path', 'filePath', 'notebook_path'] as const;
/** Tools whose `path` names one file (others mean a folder to search in). */
const FILE_TOOLS = /^(?:read|write|edit|multiedit|view_image|view|create|str_replace(?:_based_edit_tool)?)$/i;
const MAIN_INPUT_LENGTH = 500;

/** The line and the path that a reader wants of a call, from its input as JSON text (or as plain text). */
export function describeCall(
  name: string,
  input: string,
): { readonly mainInput: string | null; readonly path: string | null } {
  const node = readJson(Buffer.from(input, 'utf8'));
  if (node?.type !== 'object') {
    const patched = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/m.exec(input)?.[1]?.trim();
    return { mainInput: clip(patched ?? input), path: patched ?? null };
  }
  const path = PATH_INPUTS.map((key) => stringMember(node, key)).find((value) => value !== null) ?? null;
  const plainPath = FILE_TOOLS.test(name) ? stringMember(node, 'path') : null;
  return { mainInput: clip(mainInputOf(node)), path: path ?? plainPath };
}

function mainInputOf(node: JsonNode & { type: 'object' }): string | null {
  for (const key of MAIN_INPUTS) {
    const value = node.entries.findLast((entry) => entry.key === key)?.value;
    if (value?.type === 'string') return value.value;
    if (value?.type === 'array' && value.items.every((item) => item.type === 'string')) {
      return value.items.map((item) => (item.type === 'string' ? item.value : '')).join(' ');
    }
  }
  const first = node.entries.find((entry) => entry.value.type === 'string')?.value;
  return first?.type === 'string' ? first.value : null;
}

/** At most 500 characters, never half of a surrogate pair; empty becomes null. */
function clip(text: string | null): string | null {
  if (text === null || text === '') return null;
  if (text.length <= MAIN_INPUT_LENGTH) return text;
  const cut = text.slice(0, MAIN_INPUT_LENGTH);
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut;
}

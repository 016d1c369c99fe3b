import {
  canonicalBytes,
  type Item,
  itemsOf,
  type JsonEntry,
  type JsonNode,
  type JsonObject,
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
  decodeDataUrl,
  describeCall,
  type FoundMedia,
  hasOnly,
  itemOf,
  rawText,
  stripped,
  unreadable,
  without,
} from '../reading/parts.ts';
import { textKinds, textsOf } from './kinds.ts';

/** Bookkeeping of provider and agent, left out of what names an item. */
const BOOKKEEPING = new Set([
  'id',
  'status',
  'phase',
  'prompt_cache_breakpoint',
  'internal_chat_message_metadata_passthrough',
]);
const KEPT_ID = new Set([...BOOKKEEPING].filter((key) => key !== 'id'));
const TEXT_KEYS = new Set(['type', 'text', 'annotations', 'logprobs', 'prompt_cache_breakpoint']);
const CONTENT = new Set(['content']);
const EMPTY_WHEN_EMPTY = new Set(['annotations', 'logprobs']);
const PLAIN_CALL = new Set([...BOOKKEEPING, 'type', 'call_id', 'name', 'namespace', 'arguments', 'input']);
const PLAIN_OUTPUT = new Set([...BOOKKEEPING, 'type', 'call_id', 'output']);
/** Where the kinds of calls keep what is asked, in the order in which it is looked for. */
const CALL_INPUTS = ['arguments', 'input', 'action', 'operation', 'queries', 'code', 'actions'] as const;
const TEXT_TYPES = new Set([
  'input_text',
  'output_text',
  'text',
  'summary_text',
  'reasoning_text',
  'refusal',
]);

/**
 * Reads one entry of `input` or of a response's `output`; a bare string is a user's message. A message item has one
 * item for each content part, every other item one. The canonical form leaves out ids, states, empty annotations and
 * fields that are null; reasoning has none and takes no place in the chain.
 */
export function parseMessage(element: Uint8Array, hints?: ElementHints): Message {
  const source = viewOf(element);
  const node = readJson(element);
  if (node?.type === 'string') return readString(node.value, hints);
  if (node?.type !== 'object') return unreadable(element, node);
  const type = stringMember(node, 'type') ?? (member(node, 'role') === undefined ? '' : 'message');
  if (type === 'message') return readMessageItem(node, source, hints);
  if (type === 'reasoning') return readReasoning(node, source);
  const role = roleOfItem(type, stringMember(node, 'role'));
  return {
    role,
    items: [readOther(node, type, source)],
    canonical: canonicalBytes(canonicalItem(node, type)),
    transparent: false,
  };
}

function readString(text: string, hints: ElementHints | undefined): Message {
  const item = jsonObject([
    { key: 'type', value: jsonString('message') },
    { key: 'role', value: jsonString('user') },
  ]);
  const part = jsonObject([
    { key: 'type', value: jsonString('input_text') },
    { key: 'text', value: jsonString(text) },
  ]);
  return {
    role: 'user',
    items: [itemOf(textKinds(item, 'user', hints)(text, 0), text)],
    canonical: canonicalBytes(jsonObject([...item.entries, { key: 'content', value: jsonArray([part]) }])),
    transparent: false,
  };
}

function readMessageItem(node: JsonObject, source: Buffer, hints: ElementHints | undefined): Message {
  const role = roleOf(stringMember(node, 'role'));
  const content = member(node, 'content');
  const kindOfText = textKinds(node, role, hints);
  const isString = content?.type === 'string';
  const items = isString
    ? [itemOf(kindOfText(content.value, 0), content.value)]
    : itemsOf(content).map((part, index) => readPart(part, source, (text) => kindOfText(text, index)));
  return {
    role,
    items:
      items.length > 0
        ? items
        : [itemOf('unknown', rawText(node, source), { body: bodyOf(node, source, []) })],
    canonical: canonicalBytes(canonicalItem(withoutPassing(node, hints), 'message')),
    transparent: false,
  };
}

/** OpenCode sends some reminders once only: they do not name the message. */
function withoutPassing(node: JsonObject, hints: ElementHints | undefined): JsonObject {
  const content = member(node, 'content');
  if (hints?.agent !== 'opencode' || content?.type !== 'array') return node;
  const kept = content.items.filter((part) => !isPassingReminder(stringMember(part, 'text') ?? ''));
  if (kept.length === content.items.length) return node;
  return jsonObject([...without(node, CONTENT), { key: 'content', value: jsonArray(kept) }]);
}

function readPart(part: JsonNode, source: Buffer, kindOfText: (text: string) => Item['kind']): Item {
  const type = stringMember(part, 'type') ?? '';
  const text = stringMember(part, type === 'refusal' ? 'refusal' : 'text');
  if (TEXT_TYPES.has(type) && text !== null) {
    const plain =
      type !== 'refusal' && hasOnly(part, TEXT_KEYS) && hasOnly(dropEmpty(part), new Set(['type', 'text']));
    return itemOf(kindOfText(text), text, plain ? {} : { body: bodyOf(part, source, []) });
  }
  if (type === 'input_image' || type === 'input_file') {
    const found = mediaOf([part]);
    const named =
      stringMember(part, 'filename') ?? stringMember(part, 'file_url') ?? stringMember(part, 'file_id');
    const address = stringMember(part, 'image_url') ?? '';
    const shown = named ?? (found.length > 0 ? '' : address);
    return itemOf(type === 'input_image' ? 'image' : 'file', shown, {
      body: bodyOf(part, source, found),
      media: found.map((entry) => entry.media),
    });
  }
  return itemOf('unknown', text ?? rawText(part, source), { body: bodyOf(part, source, []) });
}

function readReasoning(node: JsonObject, source: Buffer): Message {
  const texts = [...itemsOf(member(node, 'summary')), ...itemsOf(member(node, 'content'))];
  const text = texts.flatMap((part) => stringMember(part, 'text') ?? []).join('\n\n');
  return {
    role: 'assistant',
    items: [itemOf('reasoning', text, { body: bodyOf(node, source, []) })],
    canonical: new Uint8Array(0),
    transparent: true,
  };
}

function readOther(node: JsonObject, type: string, source: Buffer): Item {
  if (type.endsWith('_output')) return readOutput(node, type, source);
  if (type.endsWith('_call')) return readCall(node, type, source);
  const body = bodyOf(node, source, []);
  if (type === 'additional_tools') return itemOf('system', '', { body });
  if (type === 'compaction' || type === 'compaction_summary') return itemOf('compaction', '', { body });
  if (type === 'compaction_trigger') return itemOf('injected', '', { body });
  if (type === 'agent_message')
    return itemOf('injected', textsOf(member(node, 'content')).join('\n'), { body });
  return itemOf('unknown', rawText(node, source), { body });
}

function readCall(node: JsonObject, type: string, source: Buffer): Item {
  const input = CALL_INPUTS.map((key) => member(node, key)).find((value) => value !== undefined);
  const text = input === undefined ? '' : input.type === 'string' ? input.value : rawText(input, source);
  const name = stringMember(node, 'name') ?? type.slice(0, -'_call'.length);
  const tool = {
    callId: stringMember(node, 'call_id') ?? stringMember(node, 'id') ?? '',
    name,
    namespace: stringMember(node, 'namespace') ?? stringMember(node, 'server_label'),
    isError: false,
  };
  const isPlain = (type === 'function_call' || type === 'custom_tool_call') && hasOnly(node, PLAIN_CALL);
  return itemOf('tool_call', text, {
    tool,
    body: isPlain ? null : bodyOf(node, source, []),
    ...describeCall(name, text),
  });
}

function readOutput(node: JsonObject, type: string, source: Buffer): Item {
  const output = member(node, 'output');
  const found = mediaOf(itemsOf(output));
  const tool = {
    callId: stringMember(node, 'call_id') ?? stringMember(node, 'id') ?? '',
    name: null,
    namespace: null,
    isError: stringMember(node, 'status') === 'failed',
  };
  const isPlain =
    (type === 'function_call_output' || type === 'custom_tool_call_output') &&
    output?.type === 'string' &&
    hasOnly(node, PLAIN_OUTPUT);
  const text =
    output === undefined ? '' : (stringOr(output) ?? (textsOf(output).join('\n') || rawText(output, source)));
  return itemOf('tool_result', text, {
    tool,
    body: isPlain ? null : bodyOf(node, source, found),
    media: found.map((entry) => entry.media),
  });
}

/** What names an item: its fields less bookkeeping and nulls, message contents as parts. */
function canonicalItem(node: JsonObject, type: string): JsonNode {
  const kept = without(node, type === 'item_reference' ? KEPT_ID : BOOKKEEPING).filter(
    (entry) => entry.value.type !== 'null',
  );
  if (type !== 'message') return jsonObject(kept);
  const role = stringMember(node, 'role');
  const entries = kept.filter((entry) => entry.key !== 'type').map((entry) => canonicalContent(entry, role));
  return jsonObject([{ key: 'type', value: jsonString('message') }, ...entries]);
}

function canonicalContent(entry: JsonEntry, role: string | null): JsonEntry {
  if (entry.key !== 'content') return entry;
  const { value } = entry;
  if (value.type === 'array') return { key: 'content', value: jsonArray(value.items.map(dropEmpty)) };
  if (value.type !== 'string') return entry;
  const type = jsonString(role === 'assistant' ? 'output_text' : 'input_text');
  return {
    key: 'content',
    value: jsonArray([
      jsonObject([
        { key: 'type', value: type },
        { key: 'text', value },
      ]),
    ]),
  };
}

/** A part less its cache mark and annotations that say nothing. */
function dropEmpty(part: JsonNode): JsonNode {
  if (part.type !== 'object') return part;
  const empty = part.entries.filter(
    ({ key, value }) =>
      EMPTY_WHEN_EMPTY.has(key) &&
      (value.type === 'null' || (value.type === 'array' && value.items.length === 0)),
  );
  return stripped(part, new Set([...empty.map((entry) => entry.key), 'prompt_cache_breakpoint']));
}

function mediaOf(parts: readonly JsonNode[]): FoundMedia[] {
  return parts.flatMap((part) => {
    const media = decodeDataUrl(member(part, 'image_url')) ?? decodeDataUrl(member(part, 'file_data'));
    return media === null ? [] : [media];
  });
}

function stringOr(node: JsonNode): string | null {
  return node.type === 'string' ? node.value : null;
}

function roleOf(role: string | null): Role {
  return role === 'user' ||
    role === 'assistant' ||
    role === 'system' ||
    role === 'developer' ||
    role === 'tool'
    ? role
    : 'unknown';
}

function roleOfItem(type: string, role: string | null): Role {
  if (role !== null) return roleOf(role);
  if (type.endsWith('_output')) return 'tool';
  if (type.endsWith('_call') || type === 'compaction' || type === 'compaction_summary') return 'assistant';
  return type === 'compaction_trigger' || type === 'agent_message' ? 'user' : 'unknown';
}

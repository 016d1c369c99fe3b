import {
  fieldsOf,
  itemsOf,
  type JsonNode,
  member,
  readJson,
  stringIn,
  stringMember,
  viewOf,
} from '../../conversation/index.ts';

/** Items that change tools or configuration: they stay whatever a layout leaves out. */
const CONFIGURATION: ReadonlySet<string> = new Set([
  'additional_tools',
  'configuration_update',
  'mcp_list_tools',
  // What a tool search has loaded is offered only while its output is in view.
  'tool_search_call',
  'tool_search_output',
]);

/** Item types of a conversation's past: they leave for the archive. Any other type is not known, and forbids a layout. */
const PAST: ReadonlySet<string> = new Set([
  'message',
  'agent_message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'computer_call',
  'computer_call_output',
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
]);

/** What becomes of an item in the older part. `window`: a provider's compaction, with all before it. */
export type OlderItem =
  | { readonly is: 'past' }
  | { readonly is: 'configuration' }
  | { readonly is: 'head'; readonly kind: string }
  | { readonly is: 'window' }
  | { readonly is: 'unknown' };

/** An item of the older part as far as a layout looks. */
export interface OlderFacts {
  readonly type: string;
  readonly role: string | null;
  readonly callId: string | null;
  readonly older: OlderItem;
}

/** What an item of `input` is to a layout. */
export function olderItem(element: Uint8Array): OlderItem {
  return olderFacts(element).older;
}

/** The same, with what tells its group. */
export function olderFacts(element: Uint8Array): OlderFacts {
  const node = readJson(viewOf(element)) ?? undefined;
  const role = stringMember(node, 'role');
  const type = stringMember(node, 'type') ?? (role === null ? '' : 'message');
  return { type, role, callId: stringMember(node, 'call_id'), older: whatIs(type, role, node) };
}

function whatIs(type: string, role: string | null, node: JsonNode | undefined): OlderItem {
  if (type === 'compaction' || type === 'compaction_summary') return { is: 'window' };
  if (CONFIGURATION.has(type)) return { is: 'configuration' };
  if (!PAST.has(type)) return { is: 'unknown' };
  const kind = type === 'message' ? headKind(role, node) : null;
  return kind === null ? { is: 'past' } : { is: 'head', kind };
}

/**
 * The kind of an item that Codex put there for the model to live by: developer items by the tags they hold, the user
 * items of project instructions and environment by theirs. Null: it is none of these.
 */
function headKind(role: string | null, node: JsonNode | undefined): string | null {
  const texts = partTexts(member(node, 'content'));
  if (role === 'developer' || role === 'system') return `developer ${texts.map(beginningOf).join(' ')}`;
  if (role !== 'user') return null;
  const beginnings = texts.map((text) => userHead(text.trimStart()));
  return beginnings.length > 0 && beginnings.every((one) => one !== null)
    ? `user ${beginnings.join(' ')}`
    : null;
}

function userHead(text: string): string | null {
  if (text.startsWith('# AGENTS.md instructions')) return 'instructions';
  return text.startsWith('<environment_context>') ? 'environment' : null;
}

/** The tag that a text begins with, else that it has none. */
function beginningOf(text: string): string {
  return /^\s*<([A-Za-z_ -]+)>/.exec(text)?.[1] ?? 'text';
}

/** The text of each part, empty for a part that is none. */
function partTexts(content: JsonNode | undefined): readonly string[] {
  if (content?.type === 'string') return [content.value];
  return itemsOf(content).map((part) => stringMember(part, 'text') ?? '');
}

/** The id of the call that an output answers; null: the item is no output of a function or a custom tool. */
export function resultsAlone(element: Uint8Array): readonly string[] | null {
  const fields = fieldsOf(element);
  const type = stringIn(element, fields.get('type'));
  if (type !== 'function_call_output' && type !== 'custom_tool_call_output') return null;
  const id = stringIn(element, fields.get('call_id'));
  return id === null ? null : [id];
}

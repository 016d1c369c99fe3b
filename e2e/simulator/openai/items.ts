import { sha256 } from '../ids.ts';
import { asString, type Json, type JsonObject } from '../json.ts';

/** Calls by the item type of their output. */
export const OUTPUT_OF_CALL: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
  local_shell_call: 'local_shell_call_output',
  shell_call: 'shell_call_output',
  apply_patch_call: 'apply_patch_call_output',
  computer_call: 'computer_call_output',
  tool_search_call: 'tool_search_output',
};

/** Item types that `input` may hold. */
export const ITEM_TYPES: ReadonlySet<string> = new Set([
  ...Object.keys(OUTPUT_OF_CALL),
  ...Object.values(OUTPUT_OF_CALL),
  'message',
  'reasoning',
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'image_generation_call',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'additional_tools',
  'agent_message',
  'configuration_update',
  'compaction',
  'compaction_trigger',
  'item_reference',
  'program',
  'program_output',
]);

/** True for items that a model makes: its messages, its reasoning and its calls. */
export function isModelItem(item: JsonObject | undefined): boolean {
  if (item === undefined) return false;
  const type = asString(item.type) ?? 'message';
  return item.role === 'assistant' || type === 'reasoning' || type.endsWith('_call');
}

/** Members that are not rendered into the prompt. */
const UNRENDERED = new Set([
  'id',
  'status',
  'internal_chat_message_metadata_passthrough',
  'prompt_cache_breakpoint',
]);

/** An item's JSON as the prompt sees it: without ids and nulls, members in order of name. */
export function renderedItem(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(renderedItem).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const members = Object.keys(value)
    .filter((key) => !UNRENDERED.has(key) && value[key] !== null)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${renderedItem(value[key] ?? null)}`);
  return `{${members.join(',')}}`;
}

/** Cumulative hashes of an input behind a base: entry n covers the first n items, reasoning left out. */
export function prefixHashes(items: readonly JsonObject[], base = ''): string[] {
  const hashes = [base];
  for (const item of items) {
    const before = hashes.at(-1) ?? '';
    hashes.push(item.type === 'reasoning' ? before : sha256(`${before}\n${renderedItem(item)}`));
  }
  return hashes;
}

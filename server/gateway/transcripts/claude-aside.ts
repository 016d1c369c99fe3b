import { type JsonNode, member, readJson, stringMember } from '../../conversation/index.ts';

/** Attachments that repeat what the agent says of itself; each session has them, and its next request brings them. */
const OWN_LISTS: ReadonlySet<string> = new Set([
  'agent_listing_delta',
  'already_read_file',
  'companion_intro',
  'compaction_reminder',
  'critical_system_reminder',
  'current_session_memory',
  'date_change',
  'deferred_tools_delta',
  'dynamic_skill',
  'mcp_instructions_delta',
  'output_style',
  'plan_mode',
  'plan_mode_exit',
  'plan_mode_reentry',
  'skill_discovery',
  'skill_listing',
  'task_reminder',
  'todo_reminder',
  'token_usage',
  'total_tokens_reminder',
]);
const LISTS = "the agent's own lists and reminders";
const NOTHING = 'attachments without words';

/**
 * What an attachment says, as a message: the agent's words for a file that was named with `@` or the output of a hook, a
 * person's for a prompt that was typed while the agent worked. How the agent puts it to the model is not in its files. A
 * text instead names why it is left out.
 */
export function asideOf(attachment: Uint8Array | null): Uint8Array | string {
  const node = attachment === null ? null : readJson(attachment);
  if (node?.type !== 'object') return NOTHING;
  const type = stringMember(node, 'type') ?? '';
  if (OWN_LISTS.has(type)) return LISTS;
  if (type === 'queued_command') return promptOf(node);
  const words = wordsOf(type, node);
  return words === '' ? NOTHING : element('system', [words]);
}

/** What was typed, as it was typed: a text, or parts. */
function promptOf(node: JsonNode): Uint8Array | string {
  const prompt = member(node, 'prompt');
  if (prompt?.type === 'string') return element('user', [prompt.value]);
  const texts =
    prompt?.type === 'array' ? prompt.items.flatMap((item) => stringMember(item, 'text') ?? []) : [];
  return texts.length === 0 ? NOTHING : element('user', texts);
}

function wordsOf(type: string, node: JsonNode): string {
  const name = stringMember(node, 'filename') ?? stringMember(node, 'path') ?? stringMember(node, 'hookName');
  const content = readable(member(node, 'content') ?? member(node, 'snippet') ?? member(node, 'stdout'), 0);
  if (content === '') return '';
  return `${[type.replaceAll('_', ' '), name].filter(Boolean).join(': ')}\n${content}`;
}

/** Names whose texts are read where they stand inside an attachment. */
const READ = ['content', 'text', 'stdout', 'stderr', 'file'] as const;
const DEPTH = 5;

function readable(node: JsonNode | undefined, depth: number): string {
  if (node === undefined || depth > DEPTH) return '';
  if (node.type === 'string') return node.value;
  if (node.type === 'array') return node.items.flatMap((item) => readable(item, depth + 1) || []).join('\n');
  if (node.type !== 'object') return '';
  return READ.flatMap((name) => readable(member(node, name), depth + 1) || []).join('\n');
}

function element(role: 'system' | 'user', texts: readonly string[]): Uint8Array {
  const content = texts.map((text) => ({ type: 'text', text }));
  return Buffer.from(JSON.stringify({ role, content }), 'utf8');
}

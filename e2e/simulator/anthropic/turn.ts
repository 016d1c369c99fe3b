import { asArray, asObject, asObjects, asString, type Json, type JsonObject } from '../json.ts';
import { SUMMARIZER, TITLE_WRITER, type TurnKind } from '../script/kinds.ts';
import { progressIn } from '../script/summary.ts';
import type { OfferedTool, ToolResult, Turn } from '../script/types.ts';
import type { LoggedRequest } from '../wire/log.ts';
import { headerOf } from '../wire/log.ts';
import { changedName } from './tools.ts';

/**
 * Starts of user texts that Claude Code writes on its own, and what a gateway names as generated; anything else in a user
 * message was typed.
 */
const INJECTED = [
  '[Context Mode, ',
  '<system-reminder>',
  '<command-message>',
  '<command-name>',
  '<command-args>',
  '<local-command-caveat>',
  '<local-command-stdout>',
  '<bash-input>',
  '<bash-stdout>',
  '<bash-stderr>',
  '<task-notification>',
  'Stop hook feedback:',
  '[SUGGESTION MODE:',
  '[structured-output-enforce]',
  'This session is being continued from a previous conversation',
  'CRITICAL: Respond with TEXT ONLY',
];

/** What the scripted model needs to know of a Messages request. Reads leniently: odd shapes give empty members. */
export function readAnthropicTurn(body: JsonObject, request: Pick<LoggedRequest, 'headers'>): Turn {
  const messages = asObjects(body.messages);
  const kind = kindOf(body, messages, request);
  const last = lastTyped(messages);
  const after = messages.slice(last.index + 1);
  const summed = last.index < 0 ? progressOf(messages) : undefined;
  return {
    protocol: 'anthropic',
    kind,
    model: asString(body.model) ?? '',
    prompt:
      kind === 'title' || kind === 'web-search'
        ? textsOf(messages.at(-1)).join('\n')
        : (summed?.prompt ?? last.text),
    round: (summed?.rounds ?? 0) + assistantRuns(after),
    results: resultRounds(after),
    tools: availableTools(body).map(toolOf),
    cwd: cwdOf(body),
    text: () => promptText(body),
    typed: messages.filter((message) => message.role === 'user').flatMap(typedTexts),
    body,
  };
}

function kindOf(body: JsonObject, messages: JsonObject[], request: Pick<LoggedRequest, 'headers'>): TurnKind {
  const tools = asObjects(body.tools);
  if (asObject(asObject(body.output_config)?.format)?.type === 'json_schema' && tools.length === 0) {
    const schema = asObject(asObject(asObject(body.output_config)?.format)?.schema);
    if (asObject(schema?.properties)?.title !== undefined) return 'title';
  }
  if (tools.length === 1 && (asString(tools[0]?.type) ?? '').startsWith('web_search_')) return 'web-search';
  const tail = textsOf(messages.findLast((message) => message.role === 'user'));
  if (tail.some((text) => text.startsWith('[SUGGESTION MODE:'))) return 'suggestion';
  if (tail.some(isCompaction) || asObject(body.compaction)?.type === 'summarize') return 'compaction';
  if (body.max_tokens === 0) return 'prewarm';
  const first = asString(asObjects(body.system)[0]?.text) ?? '';
  if (tools.length === 0 && first.startsWith(TITLE_WRITER)) return 'title';
  if (tools.length === 0 && first.startsWith(SUMMARIZER)) return 'compaction';
  const isSub =
    headerOf(request.headers, 'x-claude-code-agent-id') !== undefined ||
    headerOf(request.headers, 'x-parent-session-id') !== undefined;
  return isSub || first.includes('cc_is_subagent=true') ? 'sub' : 'main';
}

function isCompaction(text: string): boolean {
  return (
    text.startsWith('CRITICAL: Respond with TEXT ONLY') ||
    text.includes('create a detailed summary of the conv')
  );
}

/** Text blocks of a message, string content included. */
function textsOf(message: JsonObject | undefined): string[] {
  if (message === undefined) return [];
  const content = asString(message.content);
  if (content !== undefined) return [content];
  return asObjects(message.content)
    .filter((block) => block.type === 'text')
    .map((block) => asString(block.text) ?? '');
}

function typedTexts(message: JsonObject): string[] {
  return textsOf(message).filter((text) => {
    const start = text.trimStart();
    return start !== '' && !INJECTED.some((tag) => start.startsWith(tag)) && !isCompaction(start);
  });
}

function lastTyped(messages: readonly JsonObject[]): { index: number; text: string } {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message === undefined || message.role !== 'user') continue;
    // Text beside a tool result is the agent's (reminders, interruption notes), not a new prompt.
    if (asObjects(message.content).some((block) => block.type === 'tool_result')) continue;
    const texts = typedTexts(message);
    if (texts.length > 0) return { index, text: texts.join('\n') };
  }
  return { index: -1, text: '' };
}

/** After a compaction in the middle of a turn no typed prompt is left: the summary tells where the turn stood. */
function progressOf(messages: readonly JsonObject[]) {
  const text = textsOf(messages.find((message) => message.role === 'user')).join('\n');
  const [first] = messages.flatMap((message) => asObjects(message.content));
  if (first?.type === 'compaction') return progressIn(asString(first.content) ?? '');
  return text.includes('This session is being continued') ? progressIn(text) : undefined;
}

function assistantRuns(messages: readonly JsonObject[]): number {
  return messages.filter(
    (message, index) => message.role === 'assistant' && messages[index - 1]?.role !== 'assistant',
  ).length;
}

function resultRounds(messages: readonly JsonObject[]): ToolResult[][] {
  const rounds: ToolResult[][] = [];
  for (const message of messages) {
    const results = asObjects(message.content).filter((block) => block.type === 'tool_result');
    if (message.role === 'user' && results.length > 0) rounds.push(results.map(resultOf));
  }
  return rounds;
}

function resultOf(block: JsonObject): ToolResult {
  const parts = asString(block.content) ?? textsOf(block).join('\n');
  return { callId: asString(block.tool_use_id) ?? '', text: parts, isError: block.is_error === true };
}

/** The tools of the list and those that system messages define, without those that they take away. */
function availableTools(body: JsonObject): JsonObject[] {
  let tools = asObjects(body.tools);
  for (const block of asObjects(body.messages).flatMap((message) => asObjects(message.content))) {
    const definition = asObject(asObject(block.tool)?.definition);
    if (block.type === 'tool_addition' && definition !== undefined) tools = [...tools, definition];
    if (block.type === 'tool_removal') tools = tools.filter((tool) => tool.name !== changedName(block));
  }
  return tools;
}

function toolOf(tool: JsonObject): OfferedTool {
  const hosted = tool.type !== undefined && tool.type !== 'custom';
  return { name: asString(tool.name) ?? '', namespace: undefined, kind: hosted ? 'hosted' : 'function' };
}

function cwdOf(body: JsonObject): string {
  const system = asString(body.system) ?? textsOf({ content: body.system ?? null }).join('\n');
  const pattern = /(?:Primary working directory|Working directory|Current working directory): (.+)/;
  const inSystem = pattern.exec(system)?.[1];
  if (inSystem !== undefined) return inSystem.trim();
  const first = textsOf(asObjects(body.messages)[0]).join('\n');
  return pattern.exec(first)?.[1]?.trim() ?? '';
}

function promptText(body: JsonObject): string {
  const pieces: string[] = [];
  const walk = (value: Json | undefined) => {
    if (typeof value === 'string') pieces.push(value);
    else if (Array.isArray(value)) value.forEach(walk);
    else if (value !== null && typeof value === 'object') {
      for (const key of ['text', 'thinking', 'content', 'input']) walk(value[key]);
    }
  };
  walk(body.system);
  for (const message of asArray(body.messages)) walk(asObject(message)?.content);
  return pieces.join('\n');
}

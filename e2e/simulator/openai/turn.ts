import { asObject, asObjects, asString, type Json, type JsonObject, parseJson } from '../json.ts';
import { SUMMARIZER, TITLE_WRITER, type TurnKind } from '../script/kinds.ts';
import { progressIn } from '../script/summary.ts';
import type { OfferedTool, ToolResult, Turn } from '../script/types.ts';
import { unseal } from '../seal.ts';
import { headerOf, type LoggedRequest } from '../wire/log.ts';
import { inputItems } from './cache.ts';
import { coveredItems, summariesIn } from './compaction.ts';

/** Starts of user texts that Codex writes on its own, and what a gateway names as generated. */
const INJECTED = [
  '[Context Mode, ',
  '# AGENTS.md instructions',
  '<user_instructions>',
  '<INSTRUCTIONS>',
  '<environment_context>',
  '<skills_instructions>',
  '<permissions instructions>',
  '<turn_aborted>',
  '<subagent_notification>',
  '<user_shell_command>',
  'Another language model started to solve',
  'You are performing a CONTEXT CHECKPOINT COMPACTION',
  '<image name=',
  '</image>',
];

/** What the scripted model needs to know of a Responses request. Reads leniently; `secret` opens compaction items. */
export function readOpenAiTurn(body: JsonObject, request: Pick<LoggedRequest, 'headers'>, secret = ''): Turn {
  const whole = inputItems(body);
  const covered = coveredItems(whole, secret);
  const input = whole.filter((_item, index) => !covered.has(index));
  const kind = kindOf(body, input, request);
  const start = ownStart(input);
  const last = lastTyped(input, start);
  const after = input.slice(last.index + 1);
  return {
    protocol: 'openai',
    kind,
    model: asString(body.model) ?? '',
    prompt: last.index < 0 ? (progressOf(input, secret)?.prompt ?? '') : last.text,
    round: roundsBeforeCompaction(after, secret) + modelRounds(after),
    results: resultRounds(after),
    tools: offeredTools(body, input),
    cwd: cwdOf(input),
    text: () => promptText(body, input, secret),
    typed: input.slice(start).flatMap(typedTexts),
    body,
  };
}

function kindOf(body: JsonObject, input: JsonObject[], request: Pick<LoggedRequest, 'headers'>): TurnKind {
  const tail = input.at(-1);
  if (tail?.type === 'compaction_trigger') return 'compaction';
  if (
    tail !== undefined &&
    textsOf(tail).some((text) => text.startsWith('You are performing a CONTEXT CHECKPOINT'))
  ) {
    return 'compaction';
  }
  const prewarms = asObject(body.prompt_cache_options)?.prewarm === true;
  // On a WebSocket the headers are those of the upgrade, so the body's own words come first.
  const own = asString(asObject(body.client_metadata)?.['x-codex-turn-metadata']);
  const told = own ?? headerOf(request.headers, 'x-codex-turn-metadata') ?? '';
  const meta = asObject(parseJson(told)) ?? {};
  if (meta.request_kind === 'compaction') return 'compaction';
  if (meta.request_kind === 'prewarm' || body.generate === false || prewarms) return 'prewarm';
  const format = asObject(asObject(body.text)?.format);
  if (meta.thread_source === 'thread_title') return 'title';
  if (format?.name === 'codex_output_schema' && offeredTools(body, input).length === 0) return 'title';
  const first = input[0] === undefined ? '' : textsOf(input[0]).join('\n');
  if (offeredTools(body, input).length === 0) {
    if (first.startsWith(TITLE_WRITER)) return 'title';
    if (first.startsWith(SUMMARIZER)) return 'compaction';
  }
  const isSub =
    headerOf(request.headers, 'x-openai-subagent') !== undefined ||
    headerOf(request.headers, 'x-parent-session-id') !== undefined;
  return isSub ? 'sub' : 'main';
}

/** Where a forked sub-agent's own part begins; 0 when the thread is not a fork. */
function ownStart(input: readonly JsonObject[]): number {
  return Math.max(
    0,
    input.findLastIndex(
      (item) =>
        item.role === 'developer' && textsOf(item).some((text) => text.includes('newly spawned child agent')),
    ),
  );
}

function textsOf(item: JsonObject): string[] {
  const content = asString(item.content);
  if (content !== undefined) return [content];
  return asObjects(item.content).flatMap((part) => {
    const text = asString(part.text);
    return text === undefined ? [] : [text];
  });
}

function typedTexts(item: JsonObject): string[] {
  if (item.type === 'agent_message') return agentTask(item);
  if (item.role !== 'user') return [];
  const kinds = asObject(item.internal_chat_message_metadata_passthrough)?.content_item_kinds;
  const texts = textsOf(item);
  if (Array.isArray(kinds) && !kinds.includes('user.text')) return [];
  return texts.filter(
    (text) => text.trim() !== '' && !INJECTED.some((tag) => text.trimStart().startsWith(tag)),
  );
}

/**
 * The task that a parent gives its child. Codex puts the model's words into a part that is meant to be encrypted; the
 * simulator's model does not encrypt them. Other messages between agents are not prompts.
 */
function agentTask(item: JsonObject): string[] {
  const parts = asObjects(item.content);
  const head = textsOf(item).join('\n');
  if (!/^Message Type: (?:NEW|FOLLOWUP)_TASK/m.test(head)) return [];
  const sealed = parts.flatMap((part) => asString(part.encrypted_content) ?? []);
  return sealed.length > 0 ? sealed : [head.slice(head.indexOf('Payload:') + 'Payload:'.length).trim()];
}

function lastTyped(input: readonly JsonObject[], start: number): { index: number; text: string } {
  for (let index = input.length - 1; index >= start; index -= 1) {
    const item = input[index];
    if (item === undefined) continue;
    const texts = typedTexts(item);
    if (texts.length > 0) return { index, text: texts.join('\n') };
  }
  return { index: -1, text: '' };
}

const CALLS = new Set([
  'function_call',
  'custom_tool_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
]);

function isOutput(item: JsonObject): boolean {
  return (asString(item.type) ?? '').endsWith('_output');
}

/** A round of the model is a run of its own items; outputs and messages from outside end it. */
function modelRounds(items: readonly JsonObject[]): number {
  const own = (item: JsonObject | undefined) =>
    item !== undefined &&
    (item.role === 'assistant' || item.type === 'reasoning' || CALLS.has(asString(item.type) ?? ''));
  return items.filter((item, index) => own(item) && !own(items[index - 1])).length;
}

/** What the summary of a compaction tells, where it took the typed prompt itself out of sight. */
function progressOf(items: readonly JsonObject[], secret: string) {
  return progressIn(summariesIn([...items], secret).at(-1) ?? '');
}

/** Rounds that a compaction between the prompt and now took out of sight, as its summary tells. */
function roundsBeforeCompaction(items: readonly JsonObject[], secret: string): number {
  const summaries = items.flatMap((item) => {
    const text =
      item.type === 'compaction'
        ? asString(unseal(asString(item.encrypted_content) ?? '', secret)?.summary)
        : undefined;
    return (
      text ?? textsOf(item).find((other) => other.startsWith('Another language model started to solve')) ?? []
    );
  });
  return progressIn(summaries.at(-1) ?? '')?.rounds ?? 0;
}

function resultRounds(items: readonly JsonObject[]): ToolResult[][] {
  const rounds: ToolResult[][] = [];
  items.forEach((item, index) => {
    if (!isOutput(item)) return;
    const before = items[index - 1];
    if (before === undefined || !isOutput(before)) rounds.push([]);
    rounds
      .at(-1)
      ?.push({ callId: asString(item.call_id) ?? '', text: outputText(item.output), isError: false });
  });
  return rounds;
}

function outputText(output: Json | undefined): string {
  return asString(output) ?? textsOf({ content: output ?? null }).join('\n');
}

function offeredTools(body: JsonObject, input: readonly JsonObject[]): OfferedTool[] {
  const listed = [
    ...asObjects(body.tools),
    ...input.filter((item) => item.type === 'additional_tools').flatMap((item) => asObjects(item.tools)),
  ];
  return listed.flatMap((tool): OfferedTool[] => {
    const name = asString(tool.name) ?? asString(tool.type) ?? '';
    if (tool.type === 'namespace') {
      return asObjects(tool.tools).map((inner) => ({
        ...toolOf(inner, asString(inner.name) ?? ''),
        namespace: name,
      }));
    }
    return [toolOf(tool, name)];
  });
}

function toolOf(tool: JsonObject, name: string): OfferedTool {
  const kind = tool.type === 'custom' ? 'custom' : tool.type === 'function' ? 'function' : 'hosted';
  return { name, namespace: undefined, kind };
}

function cwdOf(input: readonly JsonObject[]): string {
  for (const item of [...input].reverse()) {
    const found = /<cwd>([^<]+)<\/cwd>/.exec(textsOf(item).join('\n'))?.[1];
    if (found !== undefined) return found.trim();
  }
  const first = input[0] === undefined ? '' : textsOf(input[0]).join('\n');
  return /^ *(?:Working directory|Current working directory): (.+)$/m.exec(first)?.[1]?.trim() ?? '';
}

function promptText(body: JsonObject, input: readonly JsonObject[], secret: string): string {
  const pieces: string[] = summariesIn([...input], secret);
  const walk = (value: Json | undefined) => {
    if (typeof value === 'string') pieces.push(value);
    else if (Array.isArray(value)) value.forEach(walk);
    else if (value !== null && typeof value === 'object') {
      for (const key of ['text', 'content', 'arguments', 'input', 'output', 'summary']) walk(value[key]);
    }
  };
  walk(body.instructions);
  walk([...input]);
  return pieces.join('\n');
}

import { asObjects, asString, type JsonObject } from '../json.ts';
import { isServerResult, type PlacedBlock, type RoleRun, roleRuns } from './blocks.ts';
import type { ValidityContext } from './context.ts';
import { type AnthropicError, invalidRequest } from './errors.ts';
import { placeError } from './places.ts';

/** Roles, their order, empty texts, and pairs of calls and results. */
export function orderError(body: JsonObject, context: ValidityContext): AnthropicError | undefined {
  const messages = asObjects(body.messages);
  if (messages[0]?.role === 'system') {
    return invalidRequest("messages.0: role 'system' must follow a user message");
  }
  const beginsCompacted = asObjects(messages[0]?.content)[0]?.type === 'compaction';
  if (messages[0]?.role !== 'user' && !beginsCompacted) {
    return invalidRequest('messages: first message must use the "user" role');
  }
  const runs = roleRuns(messages);
  return (
    alternationError(messages, context) ??
    systemError(messages, runs, context) ??
    placeError(body, context) ??
    pairError(runs) ??
    serverToolError(runs, body)
  );
}

function alternationError(
  messages: readonly JsonObject[],
  context: ValidityContext,
): AnthropicError | undefined {
  if (!context.rules['anthropic.alternating-roles']) return undefined;
  const spoken = messages.filter((message) => message.role !== 'system');
  const twice = spoken.findIndex((message, index) => index > 0 && message.role === spoken[index - 1]?.role);
  if (twice < 0) return undefined;
  return invalidRequest(
    `messages: roles must alternate between "user" and "assistant", but found multiple "${asString(spoken[twice]?.role) ?? ''}" roles in a row`,
  );
}

/** A system message follows a user turn (or a server tool's result) and is last or followed by the assistant. */
function systemError(
  messages: readonly JsonObject[],
  runs: readonly RoleRun[],
  { model, rules }: ValidityContext,
): AnthropicError | undefined {
  const refused = model.id === 'claude-sonnet-5' && rules['anthropic.sonnet-5-refuses-system-role'];
  for (const [index, run] of runs.entries()) {
    if (run.role !== 'system') continue;
    const path = `messages.${run.start}`;
    if (!model.systemRole || refused) {
      return invalidRequest(`${path}: role 'system' is not supported on this model`);
    }
    const before = runs[index - 1];
    const afterServerResult =
      before?.role === 'assistant' && isServerResult(before.blocks.at(-1)?.block ?? {});
    if (before?.role !== 'user' && !afterServerResult) {
      return invalidRequest(`${path}: role 'system' must directly follow a user message`);
    }
    const after = messages[run.start + 1];
    if (after !== undefined && after.role !== 'assistant') {
      return invalidRequest(
        `${path}: role 'system' must be the last message or be followed by an assistant message`,
      );
    }
  }
  return undefined;
}

function ofType(run: RoleRun | undefined, type: string): PlacedBlock[] {
  return (run?.blocks ?? []).filter(({ block }) => block.type === type);
}

/** Every call has exactly one result at the head of the next user turn, and every result has its call before it. */
function pairError(runs: readonly RoleRun[]): AnthropicError | undefined {
  for (const [index, run] of runs.entries()) {
    if (run.role === 'user') {
      const error = orphanError(run, runs[index - 1]);
      if (error !== undefined) return error;
    }
    const calls = ofType(run, 'tool_use').map(({ block }) => asString(block.id) ?? '');
    if (run.role !== 'assistant' || calls.length === 0) continue;
    const head = leadingResults(runs[index + 1]);
    const missing = calls.filter((id) => !head.includes(id));
    if (missing.length > 0) {
      return invalidRequest(
        `messages.${run.start}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    }
    const error = toolsetError(ofType(run, 'tool_use'), ofType(runs[index + 1], 'tool_result'));
    if (error !== undefined) return error;
  }
  return undefined;
}

/** Ids of the results that stand before any other block of a user turn. */
function leadingResults(run: RoleRun | undefined): string[] {
  if (run?.role !== 'user') return [];
  const end = run.blocks.findIndex(({ block }) => block.type !== 'tool_result');
  const head = end < 0 ? run.blocks : run.blocks.slice(0, end);
  return head.map(({ block }) => asString(block.tool_use_id) ?? '');
}

function orphanError(run: RoleRun, before: RoleRun | undefined): AnthropicError | undefined {
  const known = new Set(ofType(before, 'tool_use').map(({ block }) => asString(block.id) ?? ''));
  const seen = new Set<string>();
  for (const { path, block } of ofType(run, 'tool_result')) {
    const id = asString(block.tool_use_id) ?? '';
    if (!known.has(id)) {
      return invalidRequest(
        `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (seen.has(id)) {
      return invalidRequest(
        `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    seen.add(id);
  }
  return undefined;
}

function toolsetError(
  calls: readonly PlacedBlock[],
  results: readonly PlacedBlock[],
): AnthropicError | undefined {
  for (const { path, block } of results) {
    const call = calls.find((other) => other.block.id === block.tool_use_id);
    if (call === undefined || call.block.toolset_name === undefined) continue;
    if (call.block.toolset_name !== block.toolset_name) {
      return invalidRequest(`${path}: \`toolset_name\` must match that of the \`tool_use\` block`);
    }
    const other = asObjects(block.content).find(
      (part) => !['text', 'image', 'browser_state'].includes(asString(part.type) ?? ''),
    );
    if (other !== undefined)
      return invalidRequest(`${path}: results of toolset calls may contain only text and images`);
  }
  return undefined;
}

/**
 * An assistant turn and those that go on with it: where a turn calls tools of both sides, it continues behind the
 * client's results, and a server tool may bring its result only then.
 */
function continued(runs: readonly RoleRun[], start: number): { blocks: readonly PlacedBlock[]; end: number } {
  const blocks = [...(runs[start]?.blocks ?? [])];
  let end = start;
  for (;;) {
    const waits = ofType(runs[end], 'tool_use').length > 0 && holdsResultsAlone(runs[end + 1]);
    const next = runs[end + 2];
    if (!waits || next?.role !== 'assistant') return { blocks, end };
    blocks.push(...next.blocks);
    end += 2;
  }
}

function holdsResultsAlone(run: RoleRun | undefined): boolean {
  return run?.role === 'user' && run.blocks.every(({ block }) => block.type === 'tool_result');
}

/** A call of a server tool without its result is legal only while its turn is unfinished. */
function serverToolError(runs: readonly RoleRun[], body: JsonObject): AnthropicError | undefined {
  const offered = new Set(asObjects(body.tools).map((tool) => asString(tool.name)));
  for (const [index, run] of runs.entries()) {
    if (run.role !== 'assistant') continue;
    const { blocks, end } = continued(runs, index);
    const done = new Set(
      blocks.filter(({ block }) => isServerResult(block)).map(({ block }) => block.tool_use_id),
    );
    const open = ofType(run, 'server_tool_use').find(({ block }) => !done.has(block.id));
    if (open === undefined) continue;
    const name = asString(open.block.name) ?? '';
    const isUnfinished =
      end + 1 === runs.length || (end + 2 === runs.length && holdsResultsAlone(runs[end + 1]));
    const words = `\`${name}\` tool use with id \`${asString(open.block.id) ?? ''}\` was found without a corresponding \`${name}_tool_result\` block`;
    if (!isUnfinished) return invalidRequest(words);
    if (!offered.has(name)) return invalidRequest(`${words}, but no \`${name}\` tool was provided`);
  }
  return undefined;
}

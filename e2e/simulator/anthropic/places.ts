import { asArray, asObjects, asString, type JsonObject } from '../json.ts';
import { placedBlocks, roleRuns } from './blocks.ts';
import type { ValidityContext } from './context.ts';
import { type AnthropicError, invalidRequest } from './errors.ts';

/** Blocks that belong to the assistant alone. */
const OF_ASSISTANT: ReadonlySet<string> = new Set([
  'tool_use',
  'thinking',
  'redacted_thinking',
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'fallback',
]);

/** Blocks that belong to the user alone. */
const OF_USER: ReadonlySet<string> = new Set(['tool_result', 'image', 'document', 'search_result']);

/** Blocks that a system message may hold. */
const OF_SYSTEM: ReadonlySet<string> = new Set(['text', 'tool_addition', 'tool_removal', 'compaction']);

/** Which blocks stand in which role, ids and names of calls, and messages without content. */
export function placeError(body: JsonObject, context: ValidityContext): AnthropicError | undefined {
  const messages = asObjects(body.messages);
  return (
    emptyError(body, messages, context) ??
    (context.rules['anthropic.block-roles'] ? roleError(messages) : undefined) ??
    (context.rules['anthropic.call-names'] ? callNameError(messages) : undefined) ??
    (context.rules['anthropic.unique-call-ids'] ? twiceError(messages) : undefined)
  );
}

function roleError(messages: readonly JsonObject[]): AnthropicError | undefined {
  for (const [index, message] of messages.entries()) {
    for (const { path, block } of placedBlocks(message, index)) {
      const type = asString(block.type) ?? '';
      const isAddition = type === 'tool_addition' || type === 'tool_removal';
      const wrong =
        message.role === 'system'
          ? !OF_SYSTEM.has(type)
          : isAddition || (message.role === 'user' ? OF_ASSISTANT : OF_USER).has(type);
      if (!wrong) continue;
      const owner = isAddition ? 'system' : OF_ASSISTANT.has(type) ? 'assistant' : 'user';
      return invalidRequest(`${path}: \`${type}\` blocks can only be in \`${owner}\` messages`);
    }
  }
  return undefined;
}

function callNameError(messages: readonly JsonObject[]): AnthropicError | undefined {
  for (const [index, message] of messages.entries()) {
    for (const { path, block } of placedBlocks(message, index)) {
      const isCall = block.type === 'tool_use' || block.type === 'server_tool_use';
      const id = asString(isCall ? block.id : block.tool_use_id);
      if (id !== undefined && !/^[a-zA-Z0-9_-]+$/.test(id)) {
        const member = isCall ? 'id' : 'tool_use_id';
        return invalidRequest(
          `${path}.${asString(block.type) ?? ''}.${member}: String should match pattern '^[a-zA-Z0-9_-]+$'`,
        );
      }
      if (block.type === 'tool_use' && !/^[a-zA-Z0-9_-]{1,200}$/.test(asString(block.name) ?? '')) {
        return invalidRequest(`${path}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`);
      }
    }
  }
  return undefined;
}

function twiceError(messages: readonly JsonObject[]): AnthropicError | undefined {
  for (const run of roleRuns(messages)) {
    const seen = new Set<string>();
    for (const { path, block } of run.blocks) {
      if (block.type !== 'tool_use') continue;
      const id = asString(block.id) ?? '';
      if (seen.has(id)) return invalidRequest(`${path}: \`tool_use\` ids must be unique`);
      seen.add(id);
    }
  }
  return undefined;
}

function emptyError(
  body: JsonObject,
  messages: readonly JsonObject[],
  { rules }: ValidityContext,
): AnthropicError | undefined {
  const systemTexts = asObjects(body.system).map((block) => asString(block.text));
  if (rules['anthropic.empty-text'] && systemTexts.includes(''))
    return invalidRequest('system: text content blocks must be non-empty');
  for (const [index, message] of messages.entries()) {
    const isLastAssistant = index === messages.length - 1 && message.role === 'assistant';
    const isConfig = message.role === 'system' && message.output_config !== undefined;
    const isEmpty = typeof message.content !== 'string' && asArray(message.content).length === 0;
    if (isEmpty && !isLastAssistant && !isConfig && body.compaction === undefined) {
      return invalidRequest(
        `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
      );
    }
    const texts = placedBlocks(message, index).flatMap(({ block }) =>
      block.type === 'text' ? [asString(block.text) ?? ''] : [],
    );
    if (rules['anthropic.empty-text'] && texts.includes('')) {
      return invalidRequest('messages: text content blocks must be non-empty');
    }
    if (rules['anthropic.blank-text'] && texts.some((text) => text !== '' && text.trim() === '')) {
      return invalidRequest('messages: text content blocks must contain non-whitespace text');
    }
  }
  return undefined;
}

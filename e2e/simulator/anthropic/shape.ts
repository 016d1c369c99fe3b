import { asObject, asObjects, asString, type JsonObject } from '../json.ts';
import { placedBlocks } from './blocks.ts';
import type { ValidityContext } from './context.ts';
import { type AnthropicError, invalidRequest } from './errors.ts';
import { BETA_BLOCK_TYPES, BETA_BODY_FIELDS, BLOCK_FIELDS, BODY_FIELDS, TOOL_FIELDS } from './fields.ts';

/** Most entries that `messages` may have. */
const MAX_MESSAGES = 100_000;

/** Missing, unknown and wrongly typed members, in the order in which they stand in the body. */
export function shapeError(body: JsonObject, context: ValidityContext): AnthropicError | undefined {
  if (asString(body.model) === undefined) return invalidRequest('model: Field required');
  if (!Array.isArray(body.messages)) return invalidRequest('messages: Field required');
  if (!context.counting && typeof body.max_tokens !== 'number')
    return invalidRequest('max_tokens: Field required');
  if (body.messages.length === 0) return invalidRequest('messages: at least one message is required');
  if (body.messages.length > MAX_MESSAGES) {
    return invalidRequest(`messages: List should have at most ${MAX_MESSAGES} items`);
  }
  return (
    unknownBodyField(body, context.betas) ??
    nestedBetaField(body, context.betas) ??
    messageShape(body, context) ??
    (context.rules['anthropic.unknown-nested-field'] ? unknownToolField(body) : undefined)
  );
}

function extra(path: string): AnthropicError {
  return invalidRequest(`${path}: Extra inputs are not permitted`);
}

function hasBeta(betas: ReadonlySet<string>, starts: readonly string[]): boolean {
  return [...betas].some((beta) => starts.some((start) => beta.startsWith(start)));
}

function unknownBodyField(body: JsonObject, betas: ReadonlySet<string>): AnthropicError | undefined {
  for (const key of Object.keys(body)) {
    if (BODY_FIELDS.has(key)) continue;
    const starts = BETA_BODY_FIELDS[key];
    if (starts === undefined || !hasBeta(betas, starts)) return extra(key);
  }
  return undefined;
}

function nestedBetaField(body: JsonObject, betas: ReadonlySet<string>): AnthropicError | undefined {
  const thinking = asObject(body.thinking);
  const binds = thinking?.block_binding !== undefined;
  if (binds && !hasBeta(betas, ['thinking-binding-controls-2026-08-01'])) {
    return extra(`thinking.${asString(thinking?.type) ?? ''}.block_binding`);
  }
  if (asObject(body.output_config)?.task_budget !== undefined && !hasBeta(betas, ['task-budget'])) {
    return extra('output_config.task_budget');
  }
  const scoped = [...asObjects(body.tools), ...asObjects(body.system)].some(
    (block) => asObject(block.cache_control)?.scope !== undefined,
  );
  if (scoped && !hasBeta(betas, ['prompt-caching-scope-']))
    return extra('system.0.cache_control.ephemeral.scope');
  return undefined;
}

function messageShape(body: JsonObject, context: ValidityContext): AnthropicError | undefined {
  const messages = Array.isArray(body.messages) ? body.messages : [];
  for (const [index, entry] of messages.entries()) {
    const message = asObject(entry);
    const role = asString(message?.role);
    if (message === undefined || role === undefined)
      return invalidRequest(`messages.${index}.role: Field required`);
    if (!['user', 'assistant', 'system'].includes(role)) {
      return invalidRequest(`messages.${index}.role: Input should be 'user', 'assistant' or 'system'`);
    }
    if (typeof message.content !== 'string' && !Array.isArray(message.content)) {
      return invalidRequest(`messages.${index}.content: Field required`);
    }
    for (const { path, block } of placedBlocks(message, index)) {
      const error = blockShape(path, block, context);
      if (error !== undefined) return error;
    }
  }
  return undefined;
}

const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['source'],
  document: ['source'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  tool_use: ['id', 'name', 'input'],
  tool_result: ['tool_use_id'],
};

function blockShape(path: string, block: JsonObject, context: ValidityContext): AnthropicError | undefined {
  const type = asString(block.type);
  if (type === undefined) return invalidRequest(`${path}.type: Field required`);
  const fields = BLOCK_FIELDS[type];
  if (fields === undefined) {
    if (BETA_BLOCK_TYPES.has(type) || !context.rules['anthropic.unknown-block-type']) return undefined;
    const tags = [...Object.keys(BLOCK_FIELDS), ...BETA_BLOCK_TYPES].map((tag) => `'${tag}'`).join(', ');
    return invalidRequest(
      `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags}`,
    );
  }
  const missing = REQUIRED[type]?.find((key) => block[key] === undefined);
  if (missing !== undefined) return invalidRequest(`${path}.${type}.${missing}: Field required`);
  if (type === 'tool_use' && asObject(block.input) === undefined) {
    return invalidRequest(`${path}.tool_use.input: Input should be a valid dictionary`);
  }
  if (!context.rules['anthropic.unknown-nested-field']) return undefined;
  const unknown = Object.keys(block).find((key) => key !== 'type' && !fields.includes(key));
  return unknown === undefined ? undefined : extra(`${path}.${type}.${unknown}`);
}

function unknownToolField(body: JsonObject): AnthropicError | undefined {
  for (const [index, tool] of asObjects(body.tools).entries()) {
    if (tool.type !== undefined && tool.type !== 'custom') continue;
    const unknown = Object.keys(tool).find((key) => !TOOL_FIELDS.has(key));
    if (unknown !== undefined) return extra(`tools.${index}.custom.${unknown}`);
  }
  return undefined;
}

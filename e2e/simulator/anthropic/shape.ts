import { asObject, asObjects, asString, type Json, type JsonObject } from '../json.ts';
import { BLOCK_BETAS, betaError } from './betas.ts';
import { placedBlocks } from './blocks.ts';
import type { ValidityContext } from './context.ts';
import { type AnthropicError, extraInput, invalidRequest } from './errors.ts';
import { BLOCK_FIELDS, MESSAGE_FIELDS, TOOL_FIELDS } from './fields.ts';

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
    betaError(body, context) ??
    choiceError(body) ??
    messageShape(body, context) ??
    (context.rules['anthropic.unknown-nested-field'] ? unknownToolField(body) : undefined)
  );
}

/** Members that take one of a few words. */
const CHOICES: readonly (readonly [readonly string[], readonly string[]])[] = [
  [
    ['tool_choice', 'type'],
    ['auto', 'any', 'tool', 'none'],
  ],
  [
    ['thinking', 'type'],
    ['adaptive', 'enabled', 'disabled', 'between_tools'],
  ],
  [
    ['thinking', 'display'],
    ['summarized', 'omitted', 'updates'],
  ],
  [
    ['thinking', 'block_binding', 'prefix_mismatch_behavior'],
    ['error', 'drop_block'],
  ],
  [
    ['output_config', 'effort'],
    ['low', 'medium', 'high', 'xhigh', 'max'],
  ],
  [['cache_control', 'type'], ['ephemeral']],
  [
    ['cache_control', 'ttl'],
    ['5m', '1h'],
  ],
  [['service_tier'], ['auto', 'standard_only']],
  [['speed'], ['standard', 'fast']],
  [
    ['thread', 'type'],
    ['create', 'continue'],
  ],
  [['compaction', 'type'], ['summarize']],
];

function choiceError(body: JsonObject): AnthropicError | undefined {
  for (const [path, words] of CHOICES) {
    const value = path.reduce<Json | undefined>((node, key) => asObject(node)?.[key], body);
    if ((value ?? null) === null || words.includes(asString(value) ?? '')) continue;
    const list = words.map((word) => `'${word}'`);
    const last = list.pop() ?? '';
    const expected = list.length === 0 ? last : `${list.join(', ')} or ${last}`;
    return invalidRequest(`${path.join('.')}: Input should be ${expected}`);
  }
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
    const unknown = Object.keys(message).find((key) => !MESSAGE_FIELDS.has(key));
    if (unknown !== undefined && context.rules['anthropic.unknown-nested-field'])
      return extraInput(`messages.${index}.${unknown}`);
    if (role === 'system' && message.content === undefined && message.output_config !== undefined) continue;
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
    if (BLOCK_BETAS[type] !== undefined || !context.rules['anthropic.unknown-block-type']) return undefined;
    const tags = [...Object.keys(BLOCK_FIELDS), ...Object.keys(BLOCK_BETAS)]
      .map((tag) => `'${tag}'`)
      .join(', ');
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
  return unknown === undefined ? undefined : extraInput(`${path}.${type}.${unknown}`);
}

function unknownToolField(body: JsonObject): AnthropicError | undefined {
  for (const [index, tool] of asObjects(body.tools).entries()) {
    if (tool.type !== undefined && tool.type !== 'custom') continue;
    const unknown = Object.keys(tool).find((key) => !TOOL_FIELDS.has(key));
    if (unknown !== undefined) return extraInput(`tools.${index}.custom.${unknown}`);
  }
  return undefined;
}

import { asObjects, asString, type JsonObject } from '../json.ts';
import type { Rules } from '../rules.ts';
import { invalidInput, type OpenAiError } from './errors.ts';

/** Members that an item must have, by type. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  function_call: ['call_id', 'name', 'arguments'],
  function_call_output: ['call_id', 'output'],
  custom_tool_call: ['call_id', 'name', 'input'],
  custom_tool_call_output: ['call_id', 'output'],
  reasoning: ['summary'],
  compaction: ['encrypted_content'],
  item_reference: ['id'],
};

/** Content parts that a message of a role may hold. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  user: ['input_text', 'input_image', 'input_file', 'input_audio'],
  system: ['input_text', 'input_image', 'input_file'],
  developer: ['input_text', 'input_image', 'input_file'],
  assistant: ['output_text', 'refusal'],
};

const MAX_CALL_ID = 64;

/** Members, roles, content parts, names and ids of items, each by its switch. */
export function itemShapeError(items: readonly JsonObject[], rules: Rules): OpenAiError | undefined {
  return (
    (rules['openai.item-members'] ? memberError(items) : undefined) ??
    (rules['openai.content-parts'] ? partError(items) : undefined) ??
    (rules['openai.call-names'] ? nameError(items) : undefined) ??
    (rules['openai.duplicate-items'] ? twiceError(items) : undefined)
  );
}

function memberError(items: readonly JsonObject[]): OpenAiError | undefined {
  for (const [index, item] of items.entries()) {
    const type = asString(item.type) ?? 'message';
    const needed = type === 'message' ? ['role', 'content'] : (REQUIRED[type] ?? []);
    const missing = needed.find((key) => item[key] === undefined);
    if (missing === undefined) continue;
    const param = `input[${index}].${missing}`;
    return invalidInput(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
  }
  return undefined;
}

function partError(items: readonly JsonObject[]): OpenAiError | undefined {
  for (const [index, item] of items.entries()) {
    if ((item.type ?? 'message') !== 'message') continue;
    const role = asString(item.role) ?? '';
    const parts = PARTS[role];
    if (parts === undefined) {
      return unsupported(role, Object.keys(PARTS), `input[${index}]`);
    }
    const wrong = asObjects(item.content).findIndex((part) => !parts.includes(asString(part.type) ?? ''));
    if (wrong < 0) continue;
    const type = asString(asObjects(item.content)[wrong]?.type) ?? '';
    return unsupported(type, parts, `input[${index}].content[${wrong}]`);
  }
  return undefined;
}

function unsupported(value: string, words: readonly string[], param: string): OpenAiError {
  const list = words.map((word) => `'${word}'`);
  const last = list.pop() ?? '';
  const expected = list.length === 0 ? last : `${list.join(', ')} and ${last}`;
  return invalidInput(
    `Invalid value: '${value}'. Supported values are: ${expected}.`,
    param,
    'invalid_value',
  );
}

function nameError(items: readonly JsonObject[]): OpenAiError | undefined {
  for (const [index, item] of items.entries()) {
    const callId = asString(item.call_id) ?? '';
    if (callId.length > MAX_CALL_ID) {
      const param = `input[${index}].call_id`;
      return invalidInput(
        `Invalid '${param}': string too long. Expected a string with maximum length ${MAX_CALL_ID}, but got a string with length ${callId.length} instead.`,
        param,
        'string_above_max_length',
      );
    }
    const name = asString(item.name);
    if (item.type !== 'function_call' || name === undefined || /^[a-zA-Z0-9_-]+$/.test(name)) continue;
    const param = `input[${index}].name`;
    return invalidInput(
      `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      param,
      'invalid_value',
    );
  }
  return undefined;
}

function twiceError(items: readonly JsonObject[]): OpenAiError | undefined {
  const seen = new Set<string>();
  for (const item of items) {
    const id = item.type === 'item_reference' ? undefined : asString(item.id);
    if (id === undefined) continue;
    if (seen.has(id)) {
      return invalidInput(
        `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
      );
    }
    seen.add(id);
  }
  return undefined;
}

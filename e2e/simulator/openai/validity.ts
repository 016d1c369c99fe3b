import { asObject, asString, type JsonObject } from '../json.ts';
import type { Rules } from '../rules.ts';
import { breakpointError } from './breakpoints.ts';
import { inputItems } from './cache.ts';
import { compactionError } from './compaction.ts';
import { invalidInput, type OpenAiError } from './errors.ts';
import { itemShapeError } from './item-shape.ts';
import { ITEM_TYPES, isModelItem, OUTPUT_OF_CALL } from './items.ts';
import type { OpenAiModel } from './models.ts';
import { toolItemError } from './tools.ts';

/** The reasoning item that an answer's later items depend on. */
export type IssuedReasoning = { readonly id: string; readonly ciphertext: string };

/** What validity depends on beside the body. */
export type ResponseValidityContext = {
  readonly model: OpenAiModel;
  readonly rules: Rules;
  readonly secret: string;
  /** For the ids of items that were given out after reasoning: that reasoning. */
  readonly issued: ReadonlyMap<string, IssuedReasoning>;
};

const PARAMETERS: ReadonlySet<string> = new Set(
  (
    'access_programs background background_options client_metadata context_management conversation generate image include input ' +
    'instructions max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt ' +
    'prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store ' +
    'stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user'
  ).split(' '),
);

/** The first rule that a Responses body breaks, in the provider's words; `undefined` when it is valid. */
export function invalidResponseRequest(
  body: JsonObject,
  context: ResponseValidityContext,
): OpenAiError | undefined {
  const items = inputItems(body);
  const { rules } = context;
  return (
    missingError(body) ??
    (rules['openai.unknown-parameter'] ? unknownParameter(body) : undefined) ??
    modelGateError(body, context.model) ??
    previousError(body) ??
    breakpointError(body, items, context.model) ??
    (rules['openai.unknown-item-type'] ? unknownItem(items) : undefined) ??
    itemShapeError(items, rules) ??
    toolItemError(body, items, rules) ??
    compactionError(body, items, context.secret, rules) ??
    (rules['openai.unstored-items'] ? unstoredError(body, items) : undefined) ??
    (rules['openai.pairs'] ? pairError(items) : undefined) ??
    (rules['openai.reasoning-pairs'] ? reasoningPairError(items, context) : undefined)
  );
}

function missingError(body: JsonObject): OpenAiError | undefined {
  const missing = ['model', 'input'].find((name) => body[name] === undefined);
  if (missing === undefined) return undefined;
  return invalidInput(`Missing required parameter: '${missing}'.`, missing, 'missing_required_parameter');
}

function unknownParameter(body: JsonObject): OpenAiError | undefined {
  const unknown = Object.keys(body).find((key) => !PARAMETERS.has(key));
  return unknown === undefined
    ? undefined
    : invalidInput(`Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter');
}

function modelGateError(body: JsonObject, model: OpenAiModel): OpenAiError | undefined {
  if (!model.effortNone && asObject(body.reasoning)?.effort === 'none') {
    return invalidInput(
      `Unsupported value: 'none' is not supported with the '${model.id}' model.`,
      'reasoning.effort',
      'unsupported_value',
    );
  }
  const sampled = ['temperature', 'top_p', 'top_logprobs'].find((name) => (body[name] ?? null) !== null);
  if (model.sampling || sampled === undefined) return undefined;
  return invalidInput(
    `Unsupported parameter: '${sampled}' is not supported with this model.`,
    sampled,
    'unsupported_parameter',
  );
}

/** An earlier answer that was found is no longer named here; `conversation` excludes it. */
function previousError(body: JsonObject): OpenAiError | undefined {
  const previous = asString(body.previous_response_id);
  if (previous === undefined) return undefined;
  if ((body.conversation ?? null) !== null) {
    return invalidInput(
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'.",
      'previous_response_id',
      'mutually_exclusive_parameters',
    );
  }
  return invalidInput(
    `Previous response with id '${previous}' not found.`,
    'previous_response_id',
    'previous_response_not_found',
  );
}

function unknownItem(items: readonly JsonObject[]): OpenAiError | undefined {
  const index = items.findIndex(
    (item) => item.type !== undefined && !ITEM_TYPES.has(asString(item.type) ?? ''),
  );
  if (index < 0) return undefined;
  const names = [...ITEM_TYPES].map((type) => `'${type}'`).join(', ');
  const message = `Invalid value: '${asString(items[index]?.type) ?? ''}'. Supported values are: ${names}.`;
  return invalidInput(message, `input[${index}]`, 'invalid_value');
}

function unstoredError(body: JsonObject, items: readonly JsonObject[]): OpenAiError | undefined {
  const reference = items.find((item) => item.type === 'item_reference');
  if (body.store !== false) {
    if (reference === undefined) return undefined;
    return { ...invalidInput(`Item with id '${asString(reference.id) ?? ''}' not found.`), status: 404 };
  }
  const lost = items.find(
    (item) =>
      item.type === 'item_reference' ||
      (item.type === 'reasoning' && item.id !== undefined && (item.encrypted_content ?? null) === null),
  );
  if (lost === undefined) return undefined;
  return invalidInput(
    `Item with id '${asString(lost.id) ?? ''}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
  );
}

/** Every call has its output behind it, every output its call before it. */
function pairError(items: readonly JsonObject[]): OpenAiError | undefined {
  const keyOf = (type: string, item: JsonObject) => `${type}/${asString(item.call_id) ?? ''}`;
  const lastAt = new Map(items.map((item, index) => [keyOf(asString(item.type) ?? '', item), index]));
  const asked = new Set<string>();
  for (const [index, item] of items.entries()) {
    const type = asString(item.type) ?? '';
    const callId = asString(item.call_id) ?? '';
    asked.add(keyOf(type, item));
    const outputType = OUTPUT_OF_CALL[type];
    if (outputType !== undefined && (lastAt.get(keyOf(outputType, item)) ?? -1) < index) {
      return invalidInput(`No tool output found for ${type.replaceAll('_', ' ')} ${callId}.`);
    }
    const callType = Object.keys(OUTPUT_OF_CALL).find((key) => OUTPUT_OF_CALL[key] === type);
    if (callType !== undefined && !asked.has(keyOf(callType, item))) {
      return invalidInput(
        `No tool call found for ${callType.replaceAll('_', ' ')} output with call_id ${callId}.`,
      );
    }
  }
  return undefined;
}

/** Reasoning with an id stands before what it produced, and what it produced does not stand without it. */
function reasoningPairError(
  items: readonly JsonObject[],
  { issued }: ResponseValidityContext,
): OpenAiError | undefined {
  for (const [index, item] of items.entries()) {
    const id = asString(item.id);
    if (id === undefined) continue;
    if (item.type === 'reasoning' && !isModelItem(items[index + 1])) {
      return invalidInput(
        `Item '${id}' of type 'reasoning' was provided without its required following item.`,
      );
    }
    const needed = issued.get(id);
    const isThere = items
      .slice(0, index)
      .some((other) => other.id === needed?.id || other.encrypted_content === needed?.ciphertext);
    if (needed !== undefined && !isThere) {
      const type = asString(item.type) ?? '';
      return invalidInput(
        `Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${needed.id}'.`,
      );
    }
  }
  return undefined;
}

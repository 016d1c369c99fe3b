import { asObject, asObjects, asString, type JsonObject } from '../../json.ts';
import type { Rules } from '../../rules.ts';
import { invalidInput, type OpenAiError } from '../errors.ts';
import type { OpenAiModel } from '../models.ts';

const PARAMETERS: ReadonlySet<string> = new Set(
  (
    'audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages ' +
    'metadata modalities model moderation n parallel_tool_calls prediction presence_penalty prompt_cache_key ' +
    'prompt_cache_options prompt_cache_retention reasoning_effort response_format safety_identifier seed ' +
    'service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p user verbosity ' +
    'web_search_options'
  ).split(' '),
);

const ROLES: readonly string[] = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

/** The first rule that a Chat Completions body breaks; `undefined` when it is valid. */
export function invalidChat(body: JsonObject, model: OpenAiModel, rules: Rules): OpenAiError | undefined {
  return (
    shapeError(body, rules) ??
    gateError(body, model) ??
    (rules['openai.chat-pairs'] ? pairError(asObjects(body.messages)) : undefined)
  );
}

function shapeError(body: JsonObject, rules: Rules): OpenAiError | undefined {
  const missing = ['model', 'messages'].find((name) => body[name] === undefined);
  if (missing !== undefined) {
    return invalidInput(`Missing required parameter: '${missing}'.`, missing, 'missing_required_parameter');
  }
  const messages = asObjects(body.messages);
  if (messages.length === 0) {
    return invalidInput(
      "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      'messages',
      'empty_array',
    );
  }
  const unknown = Object.keys(body).find((key) => !PARAMETERS.has(key));
  if (unknown !== undefined && rules['openai.unknown-parameter']) {
    return invalidInput(`Unknown parameter: '${unknown}'.`, unknown, 'unknown_parameter');
  }
  const at = messages.findIndex((message) => !ROLES.includes(asString(message.role) ?? ''));
  if (at >= 0) {
    const names = ROLES.map((role) => `'${role}'`).join(', ');
    const message = `Invalid value: '${asString(messages[at]?.role) ?? ''}'. Supported values are: ${names}.`;
    return invalidInput(message, `messages[${at}].role`, 'invalid_value');
  }
  if ((body.stream_options ?? null) !== null && body.stream !== true) {
    return invalidInput(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      'stream_options',
    );
  }
  const bare = messages.findIndex(
    (message) =>
      message.role !== 'assistant' && typeof message.content !== 'string' && !Array.isArray(message.content),
  );
  if (bare < 0) return undefined;
  return invalidInput(
    `Invalid value for 'content': expected a string, got null.`,
    `messages.[${bare}].content`,
  );
}

function gateError(body: JsonObject, model: OpenAiModel): OpenAiError | undefined {
  if (model.toolsNeedResponses && asObjects(body.tools).length > 0) {
    return invalidInput(
      `Function tools are not supported with ${model.id} in /v1/chat/completions. Please use /v1/responses instead.`,
      'tools',
      'unsupported_parameter',
    );
  }
  if (!model.effortNone && body.reasoning_effort === 'none') {
    return invalidInput(
      `Unsupported value: 'none' is not supported with the '${model.id}' model.`,
      'reasoning_effort',
      'unsupported_value',
    );
  }
  const sampled = ['temperature', 'top_p', 'logprobs'].find((name) => (body[name] ?? null) !== null);
  if (model.sampling || sampled === undefined) return undefined;
  return invalidInput(
    `Unsupported parameter: '${sampled}' is not supported with this model.`,
    sampled,
    'unsupported_parameter',
  );
}

/** Every call is answered by the tool messages directly behind it, and every tool message answers a call. */
function pairError(messages: readonly JsonObject[]): OpenAiError | undefined {
  let open = new Set<string>();
  let asked = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      const id = asString(message.tool_call_id) ?? '';
      if (!asked.has(id)) return strayTool(index);
      open.delete(id);
      continue;
    }
    if (open.size > 0) return unanswered(open, index);
    const ids = asObjects(message.tool_calls).map((call) => asString(call.id) ?? '');
    open = new Set(ids);
    asked = new Set(ids);
    const broken = asObjects(message.tool_calls).findIndex(
      (call) => typeof asObject(call.function)?.arguments !== 'string',
    );
    if (broken >= 0 && message.tool_calls !== undefined) {
      const param = `messages[${index}].tool_calls[${broken}].function.arguments`;
      return invalidInput(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
    }
  }
  return open.size > 0 ? unanswered(open, messages.length) : undefined;
}

function strayTool(index: number): OpenAiError {
  return invalidInput(
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
    `messages.[${index}].role`,
  );
}

function unanswered(ids: ReadonlySet<string>, index: number): OpenAiError {
  return invalidInput(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(', ')}`,
    `messages.[${index}].role`,
  );
}

import { asNumber, asObject, asObjects, asString, type JsonObject } from '../json.ts';
import type { ValidityContext } from './context.ts';
import { type AnthropicError, invalidRequest } from './errors.ts';
import { toolError } from './tools.ts';

/** What a model does not take: sampling, thinking types, prefill, forced tools, the system role, too many tokens. */
export function modelGateError(body: JsonObject, context: ValidityContext): AnthropicError | undefined {
  return (
    samplingError(body, context) ??
    thinkingTypeError(body, context) ??
    outputLimitError(body, context) ??
    toolChoiceError(body, context) ??
    prefillError(body, context) ??
    toolError(body, context) ??
    editError(body)
  );
}

function samplingError(body: JsonObject, { model }: ValidityContext): AnthropicError | undefined {
  if (model.sampling) return undefined;
  const defaults: Readonly<Record<string, number>> = { temperature: 1, top_p: 1 };
  for (const name of ['temperature', 'top_p', 'top_k']) {
    const value = asNumber(body[name]);
    if (value !== undefined && value !== defaults[name]) {
      return invalidRequest(`\`${name}\` is deprecated for this model.`);
    }
  }
  return undefined;
}

function thinkingTypeError(body: JsonObject, { model }: ValidityContext): AnthropicError | undefined {
  const thinking = asObject(body.thinking);
  if (thinking === undefined) return undefined;
  const type = asString(thinking.type) ?? '';
  if (!(model.thinking as readonly string[]).includes(type)) {
    const hint =
      type === 'enabled' ? ' Use "thinking.type.adaptive" and "output_config.effort" instead.' : '';
    return invalidRequest(`"thinking.type.${type}" is not supported for this model.${hint}`);
  }
  const effort = asString(asObject(body.output_config)?.effort);
  if (type === 'disabled' && model.id === 'claude-opus-5' && (effort === 'xhigh' || effort === 'max')) {
    return invalidRequest(`"thinking.type.disabled" is not supported with effort "${effort}" on this model.`);
  }
  if (type !== 'enabled') return undefined;
  const budget = asNumber(thinking.budget_tokens);
  if (budget === undefined) return invalidRequest('thinking.enabled.budget_tokens: Field required');
  if (budget < 1024) {
    return invalidRequest('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  }
  return undefined;
}

function outputLimitError(body: JsonObject, { model, rules }: ValidityContext): AnthropicError | undefined {
  const maxTokens = asNumber(body.max_tokens);
  if (maxTokens === undefined) return undefined;
  if (maxTokens < 0) return invalidRequest('max_tokens: Input should be greater than or equal to 0');
  if (maxTokens > model.maxOutputTokens && rules['anthropic.max-output-tokens']) {
    return invalidRequest(
      `max_tokens: ${maxTokens} > ${model.maxOutputTokens}, which is the maximum allowed number of output tokens for ${model.id}`,
    );
  }
  if (maxTokens > 0) return undefined;
  const thinks = ['enabled', 'adaptive'].includes(asString(asObject(body.thinking)?.type) ?? '');
  const forced = ['any', 'tool'].includes(asString(asObject(body.tool_choice)?.type) ?? '');
  const formatted = asObject(body.output_config)?.format !== undefined;
  if (body.stream === true || thinks || forced || formatted) {
    return invalidRequest(
      'max_tokens: 0 is not supported with streaming, thinking, structured outputs or a forced tool choice',
    );
  }
  return undefined;
}

function toolChoiceError(body: JsonObject, { model }: ValidityContext): AnthropicError | undefined {
  const choice = asObject(body.tool_choice);
  if (choice === undefined) return undefined;
  if (asObjects(body.tools).length === 0) {
    return invalidRequest('tool_choice: may only be specified while providing tools');
  }
  const type = asString(choice.type) ?? '';
  if ((type === 'any' || type === 'tool') && !model.forcedToolChoice) {
    return invalidRequest(`tool_choice: type "${type}" is not supported on this model`);
  }
  if (type === 'tool' && !asObjects(body.tools).some((tool) => tool.name === choice.name)) {
    return invalidRequest(`tool_choice: Tool '${asString(choice.name) ?? ''}' not found in provided tools`);
  }
  return undefined;
}

function prefillError(body: JsonObject, { model }: ValidityContext): AnthropicError | undefined {
  const last = asObjects(body.messages).at(-1);
  // A compaction request may end on an answer, and so may a conversation that a server-held thread goes on with.
  if (model.prefill || last?.role !== 'assistant' || body.compaction !== undefined) return undefined;
  const content = asObjects(last.content);
  // A turn that the provider paused is resumed by sending it back as the last message.
  if (content.some((block) => block.type === 'server_tool_use')) return undefined;
  if (content.at(-1)?.type === 'compaction' || isFallbackRetry(body)) return undefined;
  return invalidRequest(
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  );
}

/** A credit token opens one prefill: the partial answer of the model that refused. */
function isFallbackRetry(body: JsonObject): boolean {
  return (body.fallback_credit_token ?? null) !== null;
}

function editError(body: JsonObject): AnthropicError | undefined {
  const edits = asObjects(asObject(body.context_management)?.edits);
  if (body.compaction !== undefined && body.context_management !== undefined) {
    return invalidRequest('compaction: cannot be used together with context_management');
  }
  const clear = edits.findIndex((edit) => (asString(edit.type) ?? '').startsWith('clear_thinking_'));
  if (clear > 0) {
    return invalidRequest(`context_management.edits.${clear}: clear_thinking must be the first edit`);
  }
  for (const [index, edit] of edits.entries()) {
    if (!(asString(edit.type) ?? '').startsWith('compact_')) continue;
    const trigger = asNumber(asObject(edit.trigger)?.value);
    if (trigger !== undefined && trigger < 50_000) {
      return invalidRequest(
        `context_management.edits.${index}.compact_20260112.trigger.value: Input should be greater than or equal to 50000`,
      );
    }
  }
  return undefined;
}

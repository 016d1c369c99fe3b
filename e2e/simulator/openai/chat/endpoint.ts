import type { Answered } from '../../answered.ts';
import type { Fault } from '../../faults.ts';
import { asNumber, asObject, asString, type JsonObject } from '../../json.ts';
import { type FittedPlan, fitOutput } from '../../script/fit.ts';
import type { Answer } from '../../wire/answer.ts';
import { type World, windowOf } from '../../world.ts';
import { openAiRateRefusal } from '../account.ts';
import { cacheWishOf } from '../breakpoints.ts';
import { type InputSplit, inputPositions } from '../cache.ts';
import { chargeOfResponse } from '../charge.ts';
import { openAiModelOf } from '../check.ts';
import { CONTEXT_LENGTH_ERROR, openAiStatusFault } from '../errors.ts';
import { findOpenAiModel, type OpenAiModel } from '../models.ts';
import { bucketOf, cacheScopeOf, headersOf, type ResponsesCall, refuse } from '../serving.ts';
import { dataFrame, streamedCompletion, wholeCompletion } from './completion.ts';
import { invalidChat } from './validity.ts';

/** A Chat Completions request, read. `body` is its translation (see translate.ts), `request` is as it was sent. */
export type ChatCall = Omit<ResponsesCall, 'memory' | 'refusal'>;

/** Answers `POST /v1/chat/completions`. */
export function answerChat(call: ChatCall, world: World): Answered {
  const { body, request, ids } = call;
  const { rules } = world.settings;
  const model = openAiModelOf(request);
  if (rules['openai.unknown-model'] && findOpenAiModel(model.id) === undefined) {
    const message = `The model \`${model.id}\` does not exist or you do not have access to it.`;
    const type = 'invalid_request_error';
    return refuse(call, world, { status: 404, type, message, param: null, code: 'model_not_found' });
  }
  const invalid = rules.validate ? invalidChat(request, model, rules) : undefined;
  if (invalid !== undefined) return refuse(call, world, invalid);
  const hit = world.rates.take(bucketOf(call), world.settings.rateLimits, world.clock.now());
  if (hit !== undefined) {
    const { error, headers } = openAiRateRefusal(hit, model.id, world);
    return refuse(call, world, error, headers);
  }
  const rule = { charactersPerToken: world.settings.charactersPerToken };
  const positions = inputPositions(body, cacheScopeOf(call, world), rule);
  const total = positions.at(-1)?.tokens ?? 0;
  const window = windowOf(world.settings, model.id, model.windowTokens);
  if (total > Math.min(window, model.maxInputTokens)) {
    return refuse(call, world, { ...CONTEXT_LENGTH_ERROR, param: 'messages' });
  }
  const { split, publish } = world.inputCache.use(positions, {
    model,
    wish: cacheWishOf(body),
    nowMs: call.entry.receivedAtMs,
    inSteps: rules['openai.cached-tokens-in-128s'],
    minimumTokens: model.cacheMinimumTokens,
  });
  const fitted = fitOutput(call.plan, {
    maxTokens:
      asNumber(request.max_completion_tokens) ?? asNumber(request.max_tokens) ?? model.maxOutputTokens,
    roomTokens: window - total,
    stopSequences: [request.stop ?? []].flat().map(String),
    rule,
  });
  world.rates.spend(bucketOf(call), total + fitted.outputTokens, 0);
  const usage = { ...usageOf(split, fitted, model), ...(call.plan.usage ?? {}) };
  const draft = {
    id: ids('chatcmpl-', 29),
    model: model.id,
    createdAtMs: call.entry.receivedAtMs,
    plan: fitted.plan,
    finishReason: finishOf(fitted),
    usage,
    streamsUsage: asObject(request.stream_options)?.include_usage === true,
    headers: [['x-request-id', ids('req_', 32)] as const, ...headersOf(call, world)],
    ids,
  };
  const made = request.stream === true ? streamedCompletion(draft) : wholeCompletion(draft);
  return {
    answer: { ...made, onFirstByte: publish },
    usage,
    charge: chargeOfResponse(model, split, fitted.outputTokens, asString(request.service_tier)),
  };
}

/** The answer of a fault that speaks the protocol; `undefined` for faults of the wire. */
export function chatFault(fault: Fault, call: ChatCall, whole: Answer, world: World): Answer | undefined {
  if (fault.kind === 'status') return openAiStatusFault(fault, call.ids);
  if (fault.kind === 'too-long')
    return refuse(call, world, { ...CONTEXT_LENGTH_ERROR, param: 'messages' }).answer;
  if (fault.kind !== 'stream-error' && fault.kind !== 'failed') return undefined;
  if (!whole.stream) return undefined;
  const kept = whole.frames.slice(0, fault.afterEvents ?? 3);
  const message = fault.message ?? 'The server had an error while processing your request.';
  const code = fault.kind === 'failed' ? fault.code : null;
  const type = fault.kind === 'failed' ? 'server_error' : (fault.type ?? 'server_error');
  return {
    ...whole,
    frames: [...kept, dataFrame(JSON.stringify({ error: { message, type, param: null, code } }))],
  };
}

function finishOf(fitted: FittedPlan): string {
  if (['max_tokens', 'model_context_window_exceeded'].includes(fitted.stopReason)) return 'length';
  return fitted.stopReason === 'tool_use' ? 'tool_calls' : 'stop';
}

function usageOf(split: InputSplit, fitted: FittedPlan, model: OpenAiModel): JsonObject {
  const writes = model.price?.write === undefined ? {} : { cache_write_tokens: split.writtenTokens };
  return {
    prompt_tokens: split.totalTokens,
    completion_tokens: fitted.outputTokens,
    total_tokens: split.totalTokens + fitted.outputTokens,
    prompt_tokens_details: { cached_tokens: split.cachedTokens, ...writes },
    completion_tokens_details: { reasoning_tokens: fitted.thinkingTokens },
  };
}

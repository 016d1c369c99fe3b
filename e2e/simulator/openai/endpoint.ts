import type { Answered } from '../answered.ts';
import type { Fault } from '../faults.ts';
import type { IdMaker } from '../ids.ts';
import { asNumber, asObject, asString, type JsonObject } from '../json.ts';
import { fitOutput } from '../script/fit.ts';
import { extractiveSummary } from '../script/summary.ts';
import type { Plan, Turn } from '../script/types.ts';
import { seal } from '../seal.ts';
import { tokensOfLength } from '../tokens.ts';
import { type Answer, eventFrame, jsonAnswer } from '../wire/answer.ts';
import type { LoggedRequest } from '../wire/log.ts';
import { type World, windowOf } from '../world.ts';
import { type InputSplit, inputItems, inputPositions } from './cache.ts';
import { chargeOfResponse } from './charge.ts';
import { checkResponses, openAiAccountOf, openAiModelOf } from './check.ts';
import {
  CONTEXT_LENGTH_ERROR,
  CONTEXT_LENGTH_MESSAGE,
  openAiErrorAnswer,
  openAiStatusFault,
} from './errors.ts';
import type { OpenAiModel } from './models.ts';
import { reasoningSealer } from './reasoning.ts';
import { outputItems, responseObject, streamedResponse, wholeResponse } from './response.ts';

/** A Responses request, read. */
export type ResponsesCall = {
  readonly entry: LoggedRequest;
  readonly body: JsonObject;
  readonly turn: Turn;
  readonly plan: Plan;
  readonly ids: IdMaker;
};

/** Answers `POST /v1/responses`. */
export function answerResponses(call: ResponsesCall, world: World): Answered {
  const { body, ids } = call;
  const checked = checkResponses(body, call.entry.headers, {
    settings: world.settings,
    secret: world.secret,
    issued: world.issuedItems,
  });
  if (checked.error !== undefined) return { answer: openAiErrorAnswer(checked.error, ids, accountHeaders()) };
  const { model, reasoning } = checked;
  const rule = { charactersPerToken: world.settings.charactersPerToken };
  const positions = inputPositions(body, cacheScope(call, model), rule, reasoning.dropped);
  const total = positions.at(-1)?.tokens ?? 0;
  const window = windowOf(world.settings, model.id, model.windowTokens);
  if (total > Math.min(window, model.maxInputTokens)) {
    return { answer: openAiErrorAnswer(CONTEXT_LENGTH_ERROR, ids, accountHeaders()) };
  }
  const inSteps = world.settings.rules['openai.cached-tokens-in-128s'];
  const { split, publish } = world.inputCache.use(positions, model, call.entry.receivedAtMs, inSteps);
  const fitted = fitOutput(reasoningPlan(compactionPlan(call, world), body), {
    maxTokens: asNumber(body.max_output_tokens) ?? model.maxOutputTokens,
    roomTokens: window - total,
    stopSequences: [],
    rule,
  });
  const isCut = fitted.stopReason === 'max_tokens' || fitted.stopReason === 'model_context_window_exceeded';
  const computed = usageOf(split, fitted.outputTokens, fitted.thinkingTokens, model);
  const usage = { ...computed, ...(call.plan.usage ?? {}) };
  const account = openAiAccountOf(call.entry.headers);
  const encrypt = reasoningSealer(inputItems(body), { model, account, secret: world.secret });
  const items = outputItems(fitted.plan, { ids, encrypt });
  remember(items, world);
  const draft = {
    id: ids('resp_', 48),
    model: model.id,
    createdAtMs: call.entry.receivedAtMs,
    plan: fitted.plan,
    status: isCut ? ('incomplete' as const) : ('completed' as const),
    incompleteReason: isCut ? 'max_output_tokens' : null,
    usage,
    items,
    request: body,
    extra: reasoning.transformations.length > 0 ? { input_transformations: reasoning.transformations } : {},
    obfuscate: asObject(body.stream_options)?.include_obfuscation !== false,
    headers: [['x-request-id', ids('req_', 32)] as const, ...accountHeaders()],
    ids,
  };
  const made = body.stream === true ? streamedResponse(draft) : wholeResponse(draft);
  return {
    answer: { ...made, onFirstByte: publish },
    usage,
    charge: chargeOfResponse(model, split, fitted.outputTokens, asString(body.service_tier)),
  };
}

/** Answers `POST /v1/responses/input_tokens`. */
export function answerInputTokens(call: ResponsesCall, world: World): Answered {
  const rule = { charactersPerToken: world.settings.charactersPerToken };
  const total = inputPositions(call.body, '', rule).at(-1)?.tokens ?? 0;
  return {
    answer: jsonAnswer(200, { object: 'response.input_tokens', input_tokens: total }, accountHeaders()),
  };
}

/** Answers `POST /v1/responses/compact`: the user messages, then one compaction item. */
export function answerCompact(call: ResponsesCall, world: World): Answered {
  const rule = { charactersPerToken: world.settings.charactersPerToken };
  const total = inputPositions(call.body, '', rule).at(-1)?.tokens ?? 0;
  const kept = inputItems(call.body).filter((item) => item.role === 'user');
  const summary = extractiveSummary(call.turn);
  const output = tokensOfLength(summary.length, rule);
  const body = {
    id: call.ids('resp_', 48),
    object: 'response.compaction',
    created_at: Math.floor(call.entry.receivedAtMs / 1000),
    output: [...kept, compactionItem(call, world)],
    usage: usageOf(
      { totalTokens: total, cachedTokens: 0, writtenTokens: 0 },
      output,
      0,
      openAiModelOf(call.body),
    ),
  };
  return { answer: jsonAnswer(200, body, accountHeaders()) };
}

/** The answer of a fault that speaks the protocol; `undefined` for faults of the wire. */
export function responsesFault(fault: Fault, call: ResponsesCall, whole: Answer): Answer | undefined {
  switch (fault.kind) {
    case 'status':
      return openAiStatusFault(fault, call.ids);
    case 'too-long':
      if (fault.inStream !== true || !whole.stream)
        return openAiErrorAnswer(CONTEXT_LENGTH_ERROR, call.ids, accountHeaders());
      return failing(call, whole, 2, { code: 'context_length_exceeded', message: CONTEXT_LENGTH_MESSAGE });
    case 'failed': {
      const message = fault.message ?? 'The server had an error while processing your request.';
      return failing(call, whole, fault.afterEvents ?? 2, { code: fault.code, message });
    }
    case 'stream-error': {
      if (!whole.stream) return undefined;
      const kept = whole.frames.slice(0, fault.afterEvents ?? 3);
      const data = {
        type: 'error',
        code: fault.type ?? 'server_error',
        message: fault.message ?? 'The server had an error while processing your request.',
        param: null,
        sequence_number: kept.length,
      };
      return { ...whole, frames: [...kept, eventFrame('error', data)] };
    }
    default:
      return undefined;
  }
}

/** A stream that ends with `response.failed` after so many of its events. */
function failing(
  call: ResponsesCall,
  whole: Answer,
  afterEvents: number,
  error: JsonObject,
): Answer | undefined {
  if (!whole.stream) return undefined;
  const kept = whole.frames.slice(0, afterEvents);
  const response = responseObject(
    {
      id: call.ids('resp_', 48),
      model: openAiModelOf(call.body).id,
      createdAtMs: call.entry.receivedAtMs,
      request: call.body,
      extra: {},
    },
    'failed',
    [],
    null,
    error,
  );
  const data = { type: 'response.failed', sequence_number: kept.length, response };
  return { ...whole, frames: [...kept, eventFrame('response.failed', data)] };
}

/** Keeps which items follow which reasoning, to know them when they come back. */
function remember(items: readonly JsonObject[], world: World): void {
  let last: { id: string; ciphertext: string } | undefined;
  for (const item of items) {
    const id = asString(item.id) ?? '';
    if (item.type === 'reasoning') last = { id, ciphertext: asString(item.encrypted_content) ?? '' };
    else if (last !== undefined && id !== '') world.issuedItems.set(id, last);
  }
}

function cacheScope(call: ResponsesCall, model: OpenAiModel): string {
  return `${openAiAccountOf(call.entry.headers)}/${model.id}/${asString(call.body.prompt_cache_key) ?? ''}`;
}

function usageOf(split: InputSplit, output: number, reasoning: number, model: OpenAiModel): JsonObject {
  const writes = model.price?.write === undefined ? {} : { cache_write_tokens: split.writtenTokens };
  return {
    input_tokens: split.totalTokens,
    input_tokens_details: { cached_tokens: split.cachedTokens, ...writes },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: split.totalTokens + output,
  };
}

/** A request that ends with a compaction trigger is answered with a compaction item instead of a text. */
function compactionPlan(call: ResponsesCall, world: World): Plan {
  if (inputItems(call.body).at(-1)?.type !== 'compaction_trigger') return call.plan;
  return { ...call.plan, parts: [{ kind: 'block', block: compactionItem(call, world) }] };
}

function compactionItem(call: ResponsesCall, world: World): JsonObject {
  const summary = extractiveSummary(call.turn);
  const id = call.ids('cmp_', 48);
  return { id, type: 'compaction', encrypted_content: seal({ id, summary }, world.secret) };
}

function reasoningPlan(plan: Plan, body: JsonObject): Plan {
  if (asObject(body.reasoning)?.effort !== 'none') return plan;
  return { ...plan, parts: plan.parts.filter((part) => part.kind !== 'thinking') };
}

function accountHeaders(): (readonly [string, string])[] {
  return [
    ['openai-organization', 'org-simulator'],
    ['openai-processing-ms', '1'],
    ['openai-version', '2020-10-01'],
    ['x-ratelimit-limit-requests', '10000'],
    ['x-ratelimit-limit-tokens', '2000000'],
    ['x-ratelimit-remaining-requests', '9999'],
    ['x-ratelimit-remaining-tokens', '1999000'],
    ['x-ratelimit-reset-requests', '6ms'],
    ['x-ratelimit-reset-tokens', '30ms'],
  ];
}

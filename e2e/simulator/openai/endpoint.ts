import type { Answered } from '../answered.ts';
import { asNumber, asObject, asString, type JsonObject } from '../json.ts';
import { fitOutput } from '../script/fit.ts';
import { extractiveSummary } from '../script/summary.ts';
import type { Plan } from '../script/types.ts';
import { tokensOfLength } from '../tokens.ts';
import { jsonAnswer } from '../wire/answer.ts';
import { type World, windowOf } from '../world.ts';
import { openAiRateRefusal } from './account.ts';
import { cacheWishOf } from './breakpoints.ts';
import { type InputSplit, inputItems, inputPositions } from './cache.ts';
import { chargeOfResponse } from './charge.ts';
import { checkResponses, openAiAccountOf, openAiSenderOf } from './check.ts';
import { compactionItem, compactsAt, coveredItems } from './compaction.ts';
import { CONTEXT_LENGTH_ERROR } from './errors.ts';
import type { OpenAiModel } from './models.ts';
import { reasoningSealer } from './reasoning.ts';
import { outputItems, streamedResponse, wholeResponse } from './response.ts';
import { bucketOf, cacheScopeOf, headersOf, type ResponsesCall, refuse } from './serving.ts';
import { conversationOf } from './store.ts';

/** Answers `POST /v1/responses`. */
export function answerResponses(call: ResponsesCall, world: World): Answered {
  const { body, ids } = call;
  const checked = check(call, world);
  if (checked.error !== undefined) return refuse(call, world, checked.error);
  const { model, reasoning } = checked;
  const hit = world.rates.take(bucketOf(call), world.settings.rateLimits, world.clock.now());
  if (hit !== undefined) {
    const { error, headers } = openAiRateRefusal(hit, model.id, world);
    return refuse(call, world, error, headers);
  }
  const unread = new Set([...reasoning.dropped, ...coveredItems(inputItems(body), world.secret)]);
  const positions = positionsOf(call, world, model, unread);
  const total = positions.at(-1)?.tokens ?? 0;
  const window = windowOf(world.settings, model.id, model.windowTokens);
  if (total > Math.min(window, model.maxInputTokens)) return refuse(call, world, CONTEXT_LENGTH_ERROR);
  const { split, publish } = splitInput(call, world, model, positions);
  const plan = compactionPlan(call, world, reasoningPlan(outputPlan(call), body), total);
  const fitted = fitOutput(plan, {
    maxTokens: asNumber(body.max_output_tokens) ?? model.maxOutputTokens,
    roomTokens: window - total,
    stopSequences: [],
    rule: { charactersPerToken: world.settings.charactersPerToken },
  });
  const isCut = fitted.stopReason === 'max_tokens' || fitted.stopReason === 'model_context_window_exceeded';
  const outputTokens = fitted.plan.parts.length === 0 ? 0 : fitted.outputTokens;
  const computed = usageOf(split, outputTokens, fitted.thinkingTokens, model, body);
  const usage = { ...computed, ...(call.plan.usage ?? {}) };
  const sender = openAiSenderOf(body, call.entry.headers);
  const { rules } = world.settings;
  const encrypt = reasoningSealer(body, { model, sender, rules, secret: world.secret });
  const items = outputItems(fitted.plan, { ids, encrypt });
  const id = ids('resp_', 48);
  remember(call, world, id, items);
  world.rates.spend(bucketOf(call), total + outputTokens, 0);
  const draft = {
    id,
    model: model.id,
    createdAtMs: call.entry.receivedAtMs,
    plan: fitted.plan,
    status: isCut ? ('incomplete' as const) : ('completed' as const),
    incompleteReason: isCut ? 'max_output_tokens' : null,
    usage,
    items,
    request: call.request,
    extra: reasoning.transformations.length > 0 ? { input_transformations: reasoning.transformations } : {},
    obfuscate: asObject(body.stream_options)?.include_obfuscation !== false,
    headers: [['x-request-id', ids('req_', 32)] as const, ...headersOf(call, world)],
    ids,
  };
  const made = body.stream === true ? streamedResponse(draft) : wholeResponse(draft);
  return {
    answer: { ...made, onFirstByte: publish },
    usage,
    charge: chargeOfResponse(model, split, outputTokens, asString(body.service_tier)),
  };
}

/** Answers `POST /v1/responses/input_tokens`. */
export function answerInputTokens(call: ResponsesCall, world: World): Answered {
  const checked = check(call, world);
  if (checked.error !== undefined) return refuse(call, world, checked.error);
  const total = positionsOf(call, world, checked.model, checked.reasoning.dropped).at(-1)?.tokens ?? 0;
  const body = { object: 'response.input_tokens', input_tokens: total };
  return { answer: jsonAnswer(200, body, headersOf(call, world)) };
}

/** Answers `POST /v1/responses/compact`: the user messages, then one compaction item that stands for the rest. */
export function answerCompact(call: ResponsesCall, world: World): Answered {
  const checked = check(call, world);
  if (checked.error !== undefined) return refuse(call, world, checked.error);
  const { model, reasoning } = checked;
  const positions = positionsOf(call, world, model, reasoning.dropped);
  const { split, publish } = splitInput(call, world, model, positions);
  const kept = inputItems(call.body).filter((item) => item.role === 'user');
  const rule = { charactersPerToken: world.settings.charactersPerToken };
  const output = tokensOfLength(extractiveSummary(call.turn).length, rule);
  const item = compactionItem(call.ids('cmp_', 48), call.turn, call.body, world.secret, kept);
  const usage = usageOf(split, output, 0, model, call.body);
  const body = {
    id: call.ids('resp_', 48),
    object: 'response.compaction',
    created_at: Math.floor(call.entry.receivedAtMs / 1000),
    output: [...kept, item],
    usage,
  };
  return {
    answer: { ...jsonAnswer(200, body, headersOf(call, world)), onFirstByte: publish },
    usage,
    charge: chargeOfResponse(model, split, output, asString(call.body.service_tier)),
  };
}

/** Answers `POST /v1/conversations`. */
export function answerConversations(call: ResponsesCall, world: World): Answered {
  const id = call.ids('conv_', 48);
  const items = Array.isArray(call.body.items) ? inputItems({ input: call.body.items }) : [];
  world.stored.create(id, openAiAccountOf(call.entry.headers), items);
  const body = {
    id,
    object: 'conversation',
    created_at: Math.floor(call.entry.receivedAtMs / 1000),
    metadata: call.body.metadata ?? {},
  };
  return { answer: jsonAnswer(200, body, headersOf(call, world)) };
}

function check(call: ResponsesCall, world: World) {
  if (call.refusal !== undefined) return { error: call.refusal };
  const { settings, secret, issuedItems } = world;
  return checkResponses(call.body, call.entry.headers, { settings, secret, issued: issuedItems });
}

function positionsOf(call: ResponsesCall, world: World, model: OpenAiModel, unread: ReadonlySet<number>) {
  const rule = { charactersPerToken: world.settings.charactersPerToken };
  const options = { unread, instructionsLast: model.instructionsLast };
  return inputPositions(call.body, cacheScopeOf(call, world), rule, options);
}

function splitInput(
  call: ResponsesCall,
  world: World,
  model: OpenAiModel,
  positions: ReturnType<typeof inputPositions>,
) {
  const { rules } = world.settings;
  const isOld = model.price?.write === undefined && rules['openai.old-cache-minimum-2048'];
  return world.inputCache.use(positions, {
    model,
    wish: cacheWishOf(call.body),
    nowMs: call.entry.receivedAtMs,
    inSteps: rules['openai.cached-tokens-in-128s'],
    minimumTokens: isOld ? 2_048 : model.cacheMinimumTokens,
  });
}

/** Keeps which items follow which reasoning, the answer where it is stored, and what its connection remembers. */
function remember(call: ResponsesCall, world: World, id: string, output: readonly JsonObject[]): void {
  let last: { id: string; ciphertext: string } | undefined;
  for (const item of output) {
    const itemId = asString(item.id) ?? '';
    if (item.type === 'reasoning') last = { id: itemId, ciphertext: asString(item.encrypted_content) ?? '' };
    else if (last !== undefined && itemId !== '') world.issuedItems.set(itemId, last);
  }
  const items = [...inputItems(call.body), ...output];
  call.memory?.set(id, items);
  if (call.body.store === false) return;
  world.stored.keep(id, openAiAccountOf(call.entry.headers), items, conversationOf(call.body));
}

function usageOf(
  split: InputSplit,
  output: number,
  reasoning: number,
  model: OpenAiModel,
  body: JsonObject,
): JsonObject {
  const writes = model.price?.write === undefined ? {} : { cache_write_tokens: split.writtenTokens };
  const byTtl = {
    ttl_30m_tokens: split.writtenTokens - split.written12hTokens,
    ttl_12h_tokens: split.written12hTokens,
  };
  const details = (body.prompt_cache_options ?? null) === null ? {} : { cache_write_tokens_details: byTtl };
  return {
    input_tokens: split.totalTokens,
    input_tokens_details: { cached_tokens: split.cachedTokens, ...writes, ...details },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: split.totalTokens + output,
  };
}

/** A request that only prepares its prompt gets no output. */
function outputPlan({ plan, body }: ResponsesCall): Plan {
  const prepares = body.generate === false || asObject(body.prompt_cache_options)?.prewarm === true;
  return prepares ? { ...plan, parts: [] } : plan;
}

/**
 * A request that ends with a compaction trigger is answered with a compaction item alone; one above its threshold
 * begins its answer with one.
 */
function compactionPlan(call: ResponsesCall, world: World, plan: Plan, total: number): Plan {
  const item = () => compactionItem(call.ids('cmp_', 48), call.turn, call.body, world.secret);
  if (inputItems(call.body).at(-1)?.type === 'compaction_trigger') {
    return { ...plan, parts: [{ kind: 'block', block: item() }] };
  }
  if (!compactsAt(call.body, total)) return plan;
  return { ...plan, parts: [{ kind: 'block', block: item() }, ...plan.parts] };
}

function reasoningPlan(plan: Plan, body: JsonObject): Plan {
  const updates = inputItems(body).filter((item) => item.type === 'configuration_update');
  const efforts = [body, ...updates].flatMap((source) => asString(asObject(source.reasoning)?.effort) ?? []);
  if (efforts.at(-1) !== 'none') return plan;
  return { ...plan, parts: plan.parts.filter((part) => part.kind !== 'thinking') };
}

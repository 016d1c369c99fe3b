import type { Answered } from '../answered.ts';
import type { Fault } from '../faults.ts';
import { type IdMaker, sha256 } from '../ids.ts';
import { asNumber, asObject, asString, type JsonObject } from '../json.ts';
import { fitOutput } from '../script/fit.ts';
import type { Plan, Turn } from '../script/types.ts';
import { seal } from '../seal.ts';
import { type Answer, eventFrame, jsonAnswer } from '../wire/answer.ts';
import type { LoggedRequest } from '../wire/log.ts';
import type { World } from '../world.ts';
import { windowOf } from '../world.ts';
import { type CacheSplit, positionsOf } from './cache.ts';
import { chargeOf } from './charge.ts';
import { anthropicAccountOf, checkMessages } from './check.ts';
import { anthropicErrorAnswer, anthropicStatusFault, promptTooLong } from './errors.ts';
import { messageBlocks, streamedMessage, wholeMessage } from './message.ts';
import type { AnthropicModel } from './models.ts';
import { type Binding, bindingOf } from './thinking.ts';

/** A Messages request, read. */
export type MessagesCall = {
  readonly entry: LoggedRequest;
  readonly body: JsonObject;
  readonly turn: Turn;
  readonly plan: Plan;
  readonly ids: IdMaker;
};

/** Answers `POST /v1/messages`. */
export function answerMessages(call: MessagesCall, world: World): Answered {
  const { body, ids } = call;
  const checked = check(call, world, false);
  if (checked.error !== undefined)
    return { answer: anthropicErrorAnswer(checked.error, ids, accountHeaders(call, world)) };
  const { model, thinking } = checked;
  const rule = { charactersPerToken: world.settings.charactersPerToken };
  const positions = positionsOf(body, cacheScope(call, model), rule, thinking.dropped);
  const total = positions.at(-1)?.tokens ?? 0;
  const window = windowOf(world.settings, model.id, model.windowTokens);
  if (total > window) {
    return { answer: anthropicErrorAnswer(promptTooLong(total, window), ids, accountHeaders(call, world)) };
  }
  const { split, publish } = world.cache.use(
    positions,
    total,
    model.cacheMinimumTokens,
    call.entry.receivedAtMs,
  );
  const plan = thinkingPlan(call.plan, body, model);
  const fitted = fitOutput(plan, {
    maxTokens: asNumber(body.max_tokens) ?? model.maxOutputTokens,
    roomTokens: window - total,
    stopSequences: Array.isArray(body.stop_sequences) ? body.stop_sequences.map(String) : [],
    rule,
  });
  const usage = usageOf(split);
  const omitThinking = asObject(body.thinking)?.display === 'omitted';
  const blocks = messageBlocks(fitted.plan, { ids, sign: signer(call, model, world), omitThinking });
  remember(blocks, world);
  const draft = {
    ...fitted,
    id: ids('msg_', 24),
    model: model.id,
    usage,
    blocks,
    omitThinking,
    extra: thinking.transformations === undefined ? {} : { input_transformations: thinking.transformations },
    ending: body.context_management === undefined ? {} : { context_management: { applied_edits: [] } },
    headers: accountHeaders(call, world),
  };
  const made = body.stream === true ? streamedMessage(draft) : wholeMessage(draft);
  const counts: JsonObject = { ...usage, output_tokens: fitted.outputTokens, ...(call.plan.usage ?? {}) };
  return {
    answer: { ...made, onFirstByte: publish },
    usage: counts,
    charge: chargeOf(model, split, fitted.outputTokens, body, world.clock.now()),
  };
}

/** Answers `POST /v1/messages/count_tokens`: the token rule over the whole prompt, after the same checks. */
export function answerCountTokens(call: MessagesCall, world: World): Answered {
  const checked = check(call, world, true);
  if (checked.error !== undefined)
    return { answer: anthropicErrorAnswer(checked.error, call.ids, accountHeaders(call, world)) };
  const { dropped } = checked.thinking;
  const rule = { charactersPerToken: world.settings.charactersPerToken };
  const total = positionsOf(call.body, '', rule, dropped).at(-1)?.tokens ?? 0;
  const edits =
    call.body.context_management === undefined
      ? {}
      : { context_management: { original_input_tokens: total } };
  return { answer: jsonAnswer(200, { input_tokens: total, ...edits }, accountHeaders(call, world)) };
}

/** The answer of a fault that speaks the protocol; `undefined` for faults of the wire. */
export function messagesFault(
  fault: Fault,
  call: MessagesCall,
  whole: Answer,
  world: World,
): Answer | undefined {
  switch (fault.kind) {
    case 'status':
      return anthropicStatusFault(fault, call.ids);
    case 'too-long': {
      const maximum = fault.maximum ?? 200_000;
      return anthropicErrorAnswer(
        promptTooLong(fault.tokens ?? maximum + 1, maximum),
        call.ids,
        accountHeaders(call, world),
      );
    }
    case 'stream-error': {
      if (!whole.stream) return undefined;
      const error = { type: fault.type ?? 'overloaded_error', message: fault.message ?? 'Overloaded' };
      const kept = whole.frames.slice(0, fault.afterEvents ?? 3);
      return { ...whole, frames: [...kept, eventFrame('error', { type: 'error', error })] };
    }
    default:
      return undefined;
  }
}

function check(call: MessagesCall, world: World, counting: boolean) {
  const { settings, secret, issued } = world;
  return checkMessages(call.body, call.entry.headers, { settings, secret, issued, counting });
}

/** Signs the thinking of one answer, each block bound to what stands before it. */
function signer(call: MessagesCall, model: AnthropicModel, world: World): (text: string) => string {
  let binding: Omit<Binding, 'text'> | undefined;
  return (text) => {
    binding ??= bindingOf(call.body, model, anthropicAccountOf(call.entry.headers));
    const signature = seal({ ...binding, text: sha256(text) }, world.secret);
    binding = { ...binding, before: sha256(signature) };
    return signature;
  };
}

/** Keeps the signatures of an answer with calls, to know them when its turn comes back. */
function remember(blocks: readonly JsonObject[], world: World): void {
  const id = asString(blocks.find((block) => block.type === 'tool_use')?.id);
  if (id === undefined) return;
  const signatures = blocks.flatMap((block) => asString(block.signature) ?? asString(block.data) ?? []);
  world.issued.set(id, signatures);
}

/** Caches are apart per workspace and per model. */
function cacheScope(call: MessagesCall, model: AnthropicModel): string {
  return `${anthropicAccountOf(call.entry.headers)}/${model.id}`;
}

function usageOf(split: CacheSplit): JsonObject {
  return {
    input_tokens: split.inputTokens,
    cache_creation_input_tokens: split.write5mTokens + split.write1hTokens,
    cache_read_input_tokens: split.readTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: split.write5mTokens,
      ephemeral_1h_input_tokens: split.write1hTokens,
    },
    service_tier: 'standard',
    inference_geo: 'not_available',
  };
}

/** Thinking steps are left out when the request does not let the model think. */
function thinkingPlan(plan: Plan, body: JsonObject, model: AnthropicModel): Plan {
  const type = asObject(body.thinking)?.type;
  const thinks = model.alwaysThinks || type === 'adaptive' || type === 'enabled' || type === 'between_tools';
  return thinks ? plan : { ...plan, parts: plan.parts.filter((part) => part.kind !== 'thinking') };
}

function accountHeaders(call: MessagesCall, world: World): (readonly [string, string])[] {
  const reset = new Date(Math.ceil(world.clock.now() / 60_000) * 60_000).toISOString();
  const limits = ['requests', 'input-tokens', 'output-tokens', 'tokens'].flatMap((name) => {
    const limit = name === 'requests' ? 4_000 : 2_000_000;
    return [
      [`anthropic-ratelimit-${name}-limit`, String(limit)],
      [`anthropic-ratelimit-${name}-remaining`, String(limit - (name === 'requests' ? 1 : 1_000))],
      [`anthropic-ratelimit-${name}-reset`, reset],
    ] as const;
  });
  return [
    ['request-id', call.ids('req_', 24)],
    ['anthropic-organization-id', '00000000-0000-4000-8000-000000000001'],
    ['anthropic-workspace-id', 'wrkspc_01Simulator'],
    ...limits,
  ];
}

import type { Answered } from '../answered.ts';
import type { Fault } from '../faults.ts';
import { asNumber, asObject, asString, type JsonObject } from '../json.ts';
import { type FittedPlan, fitOutput } from '../script/fit.ts';
import type { Plan } from '../script/types.ts';
import type { TokenRule } from '../tokens.ts';
import { type Answer, eventFrame, jsonAnswer } from '../wire/answer.ts';
import { type World, windowOf } from '../world.ts';
import { accountHeaders, rateRefusal } from './account.ts';
import { thinkingSigner } from './binding.ts';
import type { CacheSplit } from './cache.ts';
import { chargeOf } from './charge.ts';
import { anthropicModelOf, checkMessages, senderOf } from './check.ts';
import { type Compacted, compactAlone, compactFirst } from './compact.ts';
import {
  type AnthropicError,
  anthropicErrorAnswer,
  anthropicStatusFault,
  outputTooLong,
  promptTooLong,
} from './errors.ts';
import { messageBlocks, streamedMessage, wholeMessage } from './message.ts';
import type { AnthropicModel } from './models.ts';
import { readPrompt } from './prompt.ts';
import { type MessagesCall, type Serving, splitPrompt, tokensOf } from './serving.ts';
import { serverToolUse, usageOf } from './usage.ts';

/** Answers `POST /v1/messages`. */
export function answerMessages(call: MessagesCall, world: World): Answered {
  const checked = check(call, world, false);
  if (checked.error !== undefined) return refuse(call, world, checked.error);
  const { model, thinking } = checked;
  const bucket = bucketOf(call);
  const hit = world.rates.take(bucket, world.settings.rateLimits, world.clock.now());
  if (hit !== undefined) {
    const { error, headers } = rateRefusal(hit, world);
    return refuse(call, world, error, headers);
  }
  const rule = { charactersPerToken: world.settings.charactersPerToken };
  const prompt = readPrompt(call.body, thinking.dropped, rule);
  const serving = { call, world, model, rule, body: prompt.body };
  const window = windowOf(world.settings, model.id, model.windowTokens);
  const tooLong = lengthError(call.body, model, tokensOf(prompt.body, rule), window);
  if (tooLong !== undefined) return refuse(call, world, tooLong);
  const compacted = call.body.compaction === undefined ? compactFirst(serving) : compactAlone(serving);
  const body = compacted?.body ?? prompt.body;
  const room = window - tokensOf(body, rule);
  const fitted = compacted?.ends === true ? undefined : fitPlan(serving, room);
  const { split, publish } =
    fitted === undefined ? { split: NO_TOKENS, publish: () => undefined } : splitPrompt(serving, body);
  const { transformations } = thinking;
  const extra = {
    ...(transformations === undefined ? {} : { input_transformations: transformations }),
    ...diagnosed(serving),
  };
  const made = makeAnswer({ ...serving, body }, fitted, split, compacted, extra, prompt.applied);
  const used = compacted === undefined ? [split] : [compacted.split, split];
  const input = used.reduce(
    (sum, part) => sum + part.inputTokens + part.write5mTokens + part.write1hTokens,
    0,
  );
  const output = (fitted?.outputTokens ?? 0) + (compacted?.outputTokens ?? 0);
  world.rates.spend(bucket, input, output);
  return {
    answer: {
      ...made.answer,
      onFirstByte: () => {
        publish();
        compacted?.publish();
      },
    },
    usage: made.usage,
    charge: chargeOf(model, used, output, call.body, world.clock.now(), made.searches),
  };
}

const NO_TOKENS: CacheSplit = { inputTokens: 0, readTokens: 0, write5mTokens: 0, write1hTokens: 0 };

function diagnosed({ call, world, rule }: Serving): JsonObject {
  const diagnostics = world.diagnostics.compare(call.body, rule);
  return diagnostics === undefined ? {} : { diagnostics };
}

function fitPlan({ call, model, rule }: Serving, roomTokens: number): FittedPlan {
  const { body } = call;
  return fitOutput(thinkingPlan(call.plan, body, model), {
    maxTokens: asNumber(body.max_tokens) ?? model.maxOutputTokens,
    roomTokens,
    stopSequences: Array.isArray(body.stop_sequences) ? body.stop_sequences.map(String) : [],
    rule,
  });
}

/** The message, kept where later requests may come back to it. */
function makeAnswer(
  { call, world, model, rule }: Serving,
  fitted: FittedPlan | undefined,
  split: CacheSplit,
  compacted: Compacted | undefined,
  extra: JsonObject,
  applied: readonly JsonObject[],
) {
  const { body, ids } = call;
  const parts = [...(compacted === undefined ? [] : [compacted.part]), ...(fitted?.plan.parts ?? [])];
  const plan = { ...call.plan, parts };
  const sender = senderOf(call.entry.headers);
  const count = parts.filter((part) => part.kind === 'thinking').length;
  const sign = thinkingSigner(body, model, sender, count, world.secret, compacted?.part.block);
  const omitThinking = asObject(body.thinking)?.display === 'omitted';
  const blocks = messageBlocks(plan, { ids, sign, omitThinking });
  const tools = serverToolUse(blocks);
  const id = ids('msg_', 24);
  remember(call, world, id, blocks, rule);
  const draft = {
    ...(fitted ?? COMPACTED),
    ...(compacted?.ends === true ? { stopReason: 'compaction' } : {}),
    plan,
    id,
    model: model.id,
    usage: usageOf(split, body),
    closingUsage: {
      ...(tools === undefined ? {} : { server_tool_use: tools }),
      ...(compacted === undefined ? {} : { iterations: compacted.iterations(split, fitted?.outputTokens) }),
    },
    blocks,
    omitThinking,
    extra,
    ending:
      body.context_management === undefined ? {} : { context_management: { applied_edits: [...applied] } },
    headers: headersOf(call, world),
  };
  return {
    answer: body.stream === true ? streamedMessage(draft) : wholeMessage(draft),
    usage: {
      ...draft.usage,
      ...draft.closingUsage,
      output_tokens: draft.outputTokens,
      ...(call.plan.usage ?? {}),
    },
    searches: asNumber(tools?.web_search_requests) ?? 0,
  };
}

const COMPACTED = { stopReason: 'compaction', stopSequence: null, outputTokens: 0, thinkingTokens: 0 };

/** Answers `POST /v1/messages/count_tokens`: the token rule over what the model would read, after the same checks. */
export function answerCountTokens(call: MessagesCall, world: World): Answered {
  const checked = check(call, world, true);
  if (checked.error !== undefined) return refuse(call, world, checked.error);
  const hit = world.rates.take(`count/${bucketOf(call)}`, world.settings.rateLimits, world.clock.now());
  if (hit !== undefined && hit.kind === 'requests') {
    const { error, headers } = rateRefusal(hit, world);
    return refuse(call, world, error, headers);
  }
  const rule = { charactersPerToken: world.settings.charactersPerToken };
  const { body, originalTokens } = readPrompt(call.body, checked.thinking.dropped, rule);
  const edits =
    body.context_management === undefined
      ? {}
      : { context_management: { original_input_tokens: originalTokens } };
  const counts = { input_tokens: tokensOf(body, rule), ...edits };
  return { answer: jsonAnswer(200, counts, headersOf(call, world)) };
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
      return refuse(call, world, promptTooLong(fault.tokens ?? maximum + 1, maximum)).answer;
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

function refuse(
  call: MessagesCall,
  world: World,
  error: AnthropicError,
  extra: readonly (readonly [string, string])[] = [],
): Answered {
  return { answer: anthropicErrorAnswer(error, call.ids, [...headersOf(call, world), ...extra]) };
}

function check(call: MessagesCall, world: World, counting: boolean) {
  if (call.refusal !== undefined) return { error: call.refusal };
  const { settings, secret, issued } = world;
  const checked = checkMessages(call.body, call.entry.headers, { settings, secret, issued, counting });
  const moved = settings.rules.validate ? world.fallbacks.error(call.body) : undefined;
  return checked.error === undefined && moved !== undefined ? { error: moved } : checked;
}

/** Prompts above the window are refused; older models also refuse what would not fit with its answer. */
function lengthError(body: JsonObject, model: AnthropicModel, total: number, window: number) {
  if (total > window) return promptTooLong(total, window);
  const maxTokens = asNumber(body.max_tokens) ?? 0;
  if (!model.refusesOverlongOutput || total + maxTokens <= window) return undefined;
  return outputTooLong(total, maxTokens, window);
}

/** Keeps what later requests may come back to: signatures by the first call, the thread, the prompt's print. */
function remember(
  { body, entry, thread }: MessagesCall,
  world: World,
  id: string,
  blocks: readonly JsonObject[],
  rule: TokenRule,
): void {
  const first = asString(blocks.find((block) => block.type === 'tool_use')?.id);
  if (first !== undefined) {
    const signatures = blocks.flatMap((block) => asString(block.signature) ?? asString(block.data) ?? []);
    world.issued.set(first, signatures);
  }
  world.diagnostics.keep(id, body, rule);
  world.fallbacks.keep(blocks);
  if (thread !== undefined) thread.continuedBy = entry;
  if ((body.thread ?? null) === null) return;
  world.threads.keep(id, body, blocks, senderOf(entry.headers).account, entry.receivedAtMs);
}

function bucketOf(call: MessagesCall): string {
  return `${senderOf(call.entry.headers).account}/${anthropicModelOf(call.body).id}`;
}

function headersOf(call: MessagesCall, world: World) {
  return accountHeaders(call.ids('req_', 24), bucketOf(call), world);
}

/** Thinking steps are left out when the request does not let the model think. */
function thinkingPlan(plan: Plan, body: JsonObject, model: AnthropicModel): Plan {
  const type = asObject(body.thinking)?.type;
  const thinks = model.alwaysThinks || type === 'adaptive' || type === 'enabled' || type === 'between_tools';
  return thinks ? plan : { ...plan, parts: plan.parts.filter((part) => part.kind !== 'thinking') };
}

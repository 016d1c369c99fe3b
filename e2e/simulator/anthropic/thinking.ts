import { sha256 } from '../ids.ts';
import { asObject, asObjects, asString, type Json, type JsonObject } from '../json.ts';
import { unseal } from '../seal.ts';
import type { Settings } from '../world.ts';
import { type PlacedBlock, placedBlocks } from './blocks.ts';
import { systemBlocks } from './cache.ts';
import { type AnthropicError, invalidRequest } from './errors.ts';
import type { AnthropicModel } from './models.ts';

/**
 * What a signature of thinking holds: the model, the text's hash, the account, the hashes of what stood before
 * (system, tools, messages without thinking), and the thinking block before it.
 */
export type Binding = {
  readonly model: string;
  readonly text: string;
  readonly account: string;
  readonly system: string;
  readonly tools: string;
  readonly messages: string;
  readonly before: string;
};

/** What became of the thinking in a request. */
export type ThinkingCheck = {
  readonly error: AnthropicError | undefined;
  /** Blocks that the model does not get to read, by their paths. They are not billed. */
  readonly dropped: ReadonlySet<string>;
  /** The `input_transformations` of the answer; `undefined` when the request did not ask for them. */
  readonly transformations: JsonObject[] | undefined;
};

/** What the check depends on beside the body. */
export type ThinkingContext = {
  readonly model: AnthropicModel;
  readonly account: string;
  readonly betas: ReadonlySet<string>;
  readonly settings: Settings;
  readonly secret: string;
  /** Signatures of each turn with tool calls that was given out, by the first call's id. */
  readonly issued: ReadonlyMap<string, readonly string[]>;
};

const BINDING_BETA = 'thinking-binding-controls-2026-08-01';

/** Checks every thinking block: its signature, its place in the latest assistant turn, its binding to what precedes. */
export function checkThinking(body: JsonObject, context: ThinkingContext): ThinkingCheck {
  const dropped = new Set<string>();
  const wantsReport = context.betas.has(BINDING_BETA);
  const reports: JsonObject[] = [];
  const fail = (error: AnthropicError): ThinkingCheck => ({ error, dropped, transformations: undefined });
  const latest = latestTurnError(body, context) ?? firstBlockError(body, context);
  if (latest !== undefined) return fail(latest);
  const mode = modeOf(body, context);
  let before = '';
  for (const { placed, prefix } of thinkingBlocks(body, context.model.binding !== 'none')) {
    const signature = asString(placed.block.signature) ?? asString(placed.block.data) ?? '';
    const binding = unseal(signature, context.secret) as Binding | undefined;
    const text = asString(placed.block.thinking) ?? '';
    const isChanged = placed.block.type === 'thinking' && text !== '' && binding?.text !== sha256(text);
    if (binding === undefined || isChanged) {
      return fail(invalidRequest(`${placed.path}: Invalid \`signature\` in \`thinking\` block`));
    }
    const drop = (reason: string) => {
      dropped.add(placed.path);
      reports.push({ type: 'thinking_dropped', path: placed.path, reason });
    };
    if (binding.model !== context.model.id) drop('model_binding_mismatch');
    else if (context.model.binding !== 'none' && binding.account !== context.account) {
      drop('organization_binding_mismatch');
    } else if (mode !== 'off') {
      const changed = changeOf(binding, prefix, before);
      if (changed !== undefined && mode === 'enforced')
        return fail(mismatch(placed.path, wantsReport, changed));
      if (changed !== undefined && mode === 'drop_block') drop('prefix_binding_mismatch');
      if (changed !== undefined && mode === 'recorded') {
        reports.push({ type: 'thinking_mismatch_allowed', path: placed.path });
      }
    }
    before = sha256(signature);
  }
  return { error: undefined, dropped, transformations: wantsReport ? reports : undefined };
}

/** What stands before the answer that the model is about to give, for its signatures. */
export function bindingOf(body: JsonObject, model: AnthropicModel, account: string): Omit<Binding, 'text'> {
  const last = [...thinkingBlocks(body, false)].at(-1)?.placed.block;
  const signature = asString(last?.signature) ?? asString(last?.data);
  const before = signature === undefined ? '' : sha256(signature);
  if (model.binding === 'none') {
    return { model: model.id, account, system: '', tools: '', messages: '', before };
  }
  const walk = prefixWalk(body);
  for (const message of asObjects(body.messages)) walk.add(message);
  return { model: model.id, account, ...walk.prefix(), before };
}

type Mode = 'enforced' | 'drop_block' | 'recorded' | 'off';

function modeOf(body: JsonObject, { model, settings, betas }: ThinkingContext): Mode {
  if (model.binding === 'none') return 'off';
  const wish = asString(asObject(asObject(body.thinking)?.block_binding)?.prefix_mismatch_behavior);
  if (wish === 'drop_block' && betas.has(BINDING_BETA))
    return settings.binding === 'off' ? 'off' : 'drop_block';
  if (settings.binding !== 'model') return settings.binding;
  if (wish === 'error' || model.binding === 'enforced') return 'enforced';
  const isNew = settings.rules['anthropic.new-account'];
  return model.binding === 'enforced-new-accounts' && isNew ? 'enforced' : 'recorded';
}

/** The first difference between what was signed and what stands there now, in words. */
function changeOf(
  binding: Binding,
  prefix: { readonly system: string; readonly tools: string; readonly messages: string },
  before: string,
): string | undefined {
  if (binding.system !== prefix.system) return 'The `system` prompt changed.';
  if (binding.tools !== prefix.tools) return 'The `tools` changed.';
  if (binding.messages !== prefix.messages) return 'An earlier message changed.';
  // Oldest thinking may be left out; what is left must follow each other as it was given out.
  if (before !== '' && binding.before !== before)
    return 'An earlier thinking block is missing or was put back.';
  return undefined;
}

function mismatch(path: string, hasBeta: boolean, changed: string): AnthropicError {
  const words =
    'Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';
  const beta = hasBeta ? '' : ` This setting needs the beta header \`${BINDING_BETA}\`.`;
  return invalidRequest(`${path}: ${words}${beta} ${changed}`);
}

/** In the latest assistant turn with calls, thinking must stand as it was given out, or be gone altogether. */
function latestTurnError(body: JsonObject, context: ThinkingContext): AnthropicError | undefined {
  const messages = asObjects(body.messages);
  const index = messages.findLastIndex((message) => message.role === 'assistant');
  const blocks = placedBlocks(messages[index] ?? {}, index);
  const firstCall = blocks.find(({ block }) => block.type === 'tool_use')?.block.id;
  const issued = context.issued.get(asString(firstCall) ?? '');
  const present = blocks
    .filter(({ block }) => isThinking(block))
    .map(({ block }) => block.signature ?? block.data);
  if (issued === undefined || present.length === 0) return undefined;
  if (JSON.stringify(present) === JSON.stringify(issued)) return undefined;
  const path = blocks.find(({ block }) => isThinking(block))?.path ?? `messages.${index}`;
  return invalidRequest(
    `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );
}

/** Older rule: with thinking enabled, the assistant turn before the last results begins with thinking. */
function firstBlockError(body: JsonObject, { settings }: ThinkingContext): AnthropicError | undefined {
  if (!settings.rules['anthropic.thinking-first-in-tool-turn']) return undefined;
  const messages = asObjects(body.messages);
  const index = messages.findLastIndex((message) => message.role === 'assistant');
  const [first] = placedBlocks(messages[index] ?? {}, index);
  const isLoop = asObjects(messages.at(-1)?.content).some((block) => block.type === 'tool_result');
  if (
    asObject(body.thinking)?.type !== 'enabled' ||
    first === undefined ||
    !isLoop ||
    isThinking(first.block)
  ) {
    return undefined;
  }
  return invalidRequest(
    `${first.path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${asString(first.block.type) ?? ''}\`.`,
  );
}

function isThinking(block: JsonObject): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

type Prefix = { readonly system: string; readonly tools: string; readonly messages: string };

/** All thinking blocks in order, each with the hashes of what stands before its message. */
function* thinkingBlocks(
  body: JsonObject,
  withPrefix: boolean,
): Generator<{ placed: PlacedBlock; prefix: Prefix }> {
  const walk = withPrefix ? prefixWalk(body) : undefined;
  for (const [index, message] of asObjects(body.messages).entries()) {
    if (message.role === 'assistant') {
      const prefix = walk?.prefix() ?? { system: '', tools: '', messages: '' };
      for (const placed of placedBlocks(message, index))
        if (isThinking(placed.block)) yield { placed, prefix };
    }
    walk?.add(message);
  }
}

/** Hashes system, tools and messages as the binding sees them: no marks, no thinking, members in any order. */
function prefixWalk(body: JsonObject): {
  readonly add: (message: JsonObject) => void;
  readonly prefix: () => Prefix;
} {
  const system = sha256(systemBlocks(body).map(sorted).join('\n'));
  const tools = sha256(
    asObjects(body.tools)
      .filter((tool) => tool.defer_loading !== true)
      .map(sorted)
      .join('\n'),
  );
  let messages = '';
  return {
    add: (message) => {
      for (const { block } of placedBlocks(message, 0)) {
        if (!isThinking(block))
          messages = sha256(`${messages}\n${asString(message.role) ?? ''}\n${sorted(block)}`);
      }
    },
    prefix: () => ({ system, tools, messages }),
  };
}

function sorted(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const keys = Object.keys(value)
    .filter((key) => key !== 'cache_control')
    .sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${sorted(value[key] ?? null)}`).join(',')}}`;
}

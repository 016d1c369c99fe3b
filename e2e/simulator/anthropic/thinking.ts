import { sha256 } from '../ids.ts';
import { asObject, asObjects, asString, type JsonObject } from '../json.ts';
import { unseal } from '../seal.ts';
import type { Settings } from '../world.ts';
import { type Binding, type Prefix, type Sender, signatureOf, thinkingBlocks } from './binding.ts';
import { isThinking, type PlacedBlock, placedBlocks, roleRuns } from './blocks.ts';
import { type AnthropicError, invalidRequest } from './errors.ts';
import type { AnthropicModel } from './models.ts';

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
  readonly sender: Sender;
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
  const latest = latestTurnError(body, context) ?? demandedError(body, context);
  if (latest !== undefined) return fail(latest);
  const mode = modeOf(body, context);
  let before = '';
  let fallen: string | undefined;
  for (const { placed, prefix } of thinkingBlocks(body, context.model.binding !== 'none')) {
    const binding = bindingIn(placed.block, context.secret);
    if (binding === undefined) {
      return fail(invalidRequest(`${placed.path}: Invalid \`signature\` in \`thinking\` block`));
    }
    const drop = (reason: string) => {
      dropped.add(placed.path);
      reports.push({ type: 'thinking_dropped', path: placed.path, reason });
    };
    const sender = senderMismatch(binding, context);
    if (sender !== undefined) drop(sender);
    else if (mode !== 'off') {
      const changed = changeOf(binding, prefix, before);
      const follows = mode === 'drop_block' && fallen !== undefined && isNextTo(placed.path, fallen);
      if (changed !== undefined && mode === 'enforced')
        return fail(mismatch(placed.path, wantsReport, changed));
      // The rest of a turn's consecutive thinking falls with its first block.
      if (follows || (changed !== undefined && mode === 'drop_block')) {
        drop('prefix_binding_mismatch');
        fallen = placed.path;
      } else if (changed !== undefined) {
        const reason = 'prefix_binding_mismatch';
        reports.push({ type: 'thinking_mismatch_allowed', path: placed.path, reason });
      }
    }
    before = sha256(signatureOf(placed.block) ?? '');
  }
  return { error: undefined, dropped, transformations: wantsReport ? reports : undefined };
}

/** What the signature of a block holds; `undefined` when signature or text were changed. */
function bindingIn(block: JsonObject, secret: string): Binding | undefined {
  const binding = unseal(signatureOf(block) ?? '', secret) as Binding | undefined;
  const text = asString(block.thinking) ?? '';
  const isChanged = block.type === 'thinking' && text !== '' && binding?.text !== sha256(text);
  return typeof binding?.index !== 'number' || isChanged ? undefined : binding;
}

/** Checks in the provider's order: organization, end user, model. The first two only on models that bind thinking. */
function senderMismatch(binding: Binding, { model, sender }: ThinkingContext): string | undefined {
  if (model.binding !== 'none' && binding.account !== sender.account) return 'organization_binding_mismatch';
  if (model.binding !== 'none' && binding.user !== sender.user) return 'end_user_binding_mismatch';
  return binding.model === model.id ? undefined : 'model_binding_mismatch';
}

function isNextTo(path: string, before: string): boolean {
  const place = (text: string) => /^(.*)\.(\d+)$/.exec(text);
  const [, message, at] = place(path) ?? [];
  const [, other, last] = place(before) ?? [];
  return message === other && Number(at) === Number(last) + 1;
}

type Mode = 'enforced' | 'drop_block' | 'recorded' | 'off';

function modeOf(body: JsonObject, { model, settings, betas }: ThinkingContext): Mode {
  if (model.binding === 'none') return 'off';
  const wish = asString(asObject(asObject(body.thinking)?.block_binding)?.prefix_mismatch_behavior);
  if (wish === 'drop_block' && betas.has(BINDING_BETA))
    return settings.binding === 'off' ? 'off' : 'drop_block';
  if (settings.binding === 'dropped') return 'drop_block';
  if (settings.binding !== 'model') return settings.binding;
  if (wish === 'error' || model.binding === 'enforced') return 'enforced';
  const { rules } = settings;
  if (model.binding === 'recorded') return rules['anthropic.unsure-models-enforce'] ? 'enforced' : 'recorded';
  return rules['anthropic.new-account'] ? 'enforced' : 'recorded';
}

/** The first difference between what was signed and what stands there now, in words. */
function changeOf(binding: Binding, prefix: Prefix, before: string): string | undefined {
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

/**
 * In the latest assistant message thinking stands as it was given out, or is gone altogether: the blocks of each
 * answer whole and in order, with text or without.
 */
function latestTurnError(body: JsonObject, context: ThinkingContext): AnthropicError | undefined {
  const messages = asObjects(body.messages);
  const index = messages.findLastIndex((message) => message.role === 'assistant');
  const thinking = placedBlocks(messages[index] ?? {}, index).filter(({ block }) => isThinking(block));
  let expected = 0;
  let broken: PlacedBlock | undefined;
  let last: Binding | undefined;
  for (const placed of thinking) {
    const binding = unseal(signatureOf(placed.block) ?? '', context.secret) as Binding | undefined;
    // A signature that does not verify has an error of its own.
    if (typeof binding?.index !== 'number') return undefined;
    if (binding.index !== expected) broken ??= placed;
    expected = binding.index + 1 === binding.count ? 0 : binding.index + 1;
    last = binding;
  }
  if (broken === undefined && (last === undefined || expected === 0)) return undefined;
  const path = broken?.path ?? thinking.at(-1)?.path ?? '';
  return invalidRequest(
    `${path}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
  );
}

/**
 * Older rule: with thinking `enabled`, the assistant turn before the last results begins with thinking. A turn that
 * this simulator gave out without thinking is let through.
 */
function demandedError(body: JsonObject, context: ThinkingContext): AnthropicError | undefined {
  if (!context.settings.rules['anthropic.thinking-first-in-tool-turn']) return undefined;
  const messages = asObjects(body.messages);
  const isLoop = asObjects(messages.at(-1)?.content).some((block) => block.type === 'tool_result');
  if (asObject(body.thinking)?.type !== 'enabled' || !isLoop) return undefined;
  const blocks = roleRuns(messages).findLast((run) => run.role === 'assistant')?.blocks ?? [];
  const [first] = blocks;
  const call = blocks.find(({ block }) => block.type === 'tool_use')?.block.id;
  const isBare = context.issued.get(asString(call) ?? '')?.length === 0;
  if (first === undefined || isThinking(first.block) || isBare) return undefined;
  return invalidRequest(
    `${first.path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${asString(first.block.type) ?? ''}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
  );
}

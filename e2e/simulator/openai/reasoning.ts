import { sha256 } from '../ids.ts';
import { asObject, asString, type JsonObject } from '../json.ts';
import type { Rules } from '../rules.ts';
import { seal, unseal } from '../seal.ts';
import { inputItems } from './cache.ts';
import { invalidInput, type OpenAiError } from './errors.ts';
import { isModelItem, prefixHashes, renderedItem } from './items.ts';
import type { OpenAiModel } from './models.ts';

/** What the encrypted content of a reasoning item holds. */
export type SealedReasoning = {
  readonly text: string;
  readonly model: string;
  /** Hash of the input that the reasoning followed. */
  readonly prefix: string;
} & ReasoningSender;

/** Who a request comes from: the organization, and the end user where it names one. */
export type ReasoningSender = { readonly account: string; readonly user: string };

/** What became of the reasoning in a request. */
export type ReasoningCheck = {
  readonly error: OpenAiError | undefined;
  /** Indexes of input items that the model does not get to read. */
  readonly dropped: ReadonlySet<number>;
  readonly transformations: JsonObject[];
};

/** What the check depends on beside the input. */
export type ReasoningContext = {
  readonly model: OpenAiModel;
  readonly sender: ReasoningSender;
  readonly rules: Rules;
  readonly secret: string;
};

/** Encrypts the reasoning of one answer to a body. */
export function reasoningSealer(body: JsonObject, context: ReasoningContext) {
  const { model, sender, rules, secret } = context;
  const prefix = model.dropsOnPrefixMismatch
    ? (prefixHashes(inputItems(body), baseOf(body, rules)).at(-1) ?? '')
    : '';
  return (text: string): string => seal({ text, model: model.id, ...sender, prefix }, secret);
}

/** What stands before the input and counts as prefix: nothing, or tools and instructions where the switch is on. */
function baseOf(body: JsonObject, rules: Rules): string {
  if (!rules['openai.prefix-includes-tools']) return '';
  return sha256(`${renderedItem(body.tools ?? [])}\n${asString(body.instructions) ?? ''}`);
}

/**
 * Checks the ciphertexts of reasoning and compaction items. Models that bind reasoning to its prefix drop what no
 * longer fits and say so; the request still succeeds.
 */
export function checkReasoning(body: JsonObject, context: ReasoningContext): ReasoningCheck {
  const items = inputItems(body);
  const dropped = new Set<number>();
  const transformations: JsonObject[] = [];
  const drops = context.model.dropsOnPrefixMismatch && context.rules['openai.prefix-mismatch-drops'];
  const hashes = drops ? prefixHashes(items, baseOf(body, context.rules)) : [];
  const isCurrentOnly = asObject(body.reasoning)?.context === 'current_turn';
  const turnStart = isCurrentOnly ? items.findLastIndex((item) => item.role === 'user') : -1;
  for (const [index, item] of items.entries()) {
    if (item.type !== 'reasoning' && item.type !== 'compaction') continue;
    const ciphertext = asString(item.encrypted_content);
    if (ciphertext === undefined || !context.rules['openai.encrypted-content']) continue;
    const content = unseal(ciphertext, context.secret);
    const isReplaced = item.type === 'compaction' && item.id !== undefined && content?.id !== item.id;
    if (content === undefined || isReplaced) {
      return { error: unverifiable(ciphertext), dropped, transformations };
    }
    if (!drops || item.type === 'compaction') continue;
    const isOlder = index < turnStart;
    const reason = isOlder
      ? 'turn_boundary'
      : mismatchOf(content as SealedReasoning, context, () => boundaries(items, hashes, index));
    if (reason === undefined) continue;
    dropped.add(index);
    transformations.push({ type: 'reasoning', id: item.id ?? null, action: 'removed', reason });
  }
  return { error: undefined, dropped, transformations };
}

function unverifiable(ciphertext: string): OpenAiError {
  return invalidInput(
    `The encrypted content ${ciphertext.slice(0, 8)}... could not be verified.`,
    null,
    'invalid_encrypted_content',
  );
}

function mismatchOf(
  content: SealedReasoning,
  context: ReasoningContext,
  prefixes: () => string[],
): string | undefined {
  if (content.account !== context.sender.account) return 'organization_mismatch';
  if (content.user !== context.sender.user) return 'end_user_mismatch';
  if (content.model !== context.model.id) return 'model_mismatch';
  return prefixes().includes(content.prefix) ? undefined : 'prefix_mismatch';
}

/** Hashes of all prefixes that the answer holding this item can have followed. */
function boundaries(items: readonly JsonObject[], hashes: readonly string[], index: number): string[] {
  const found: string[] = [];
  for (let at = index; at >= 0; at -= 1) {
    found.push(hashes[at] ?? '');
    if (!isModelItem(items[at - 1])) break;
  }
  return found;
}

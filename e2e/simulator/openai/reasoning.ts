import { asString, type JsonObject } from '../json.ts';
import type { Rules } from '../rules.ts';
import { seal, unseal } from '../seal.ts';
import { invalidInput, type OpenAiError } from './errors.ts';
import { isModelItem, prefixHashes } from './items.ts';
import type { OpenAiModel } from './models.ts';

/** What the encrypted content of a reasoning item holds. */
export type SealedReasoning = {
  readonly text: string;
  readonly model: string;
  readonly account: string;
  /** Hash of the input that the reasoning followed. */
  readonly prefix: string;
};

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
  readonly account: string;
  readonly rules: Rules;
  readonly secret: string;
};

/** Encrypts the reasoning of one answer to an input. */
export function reasoningSealer(items: readonly JsonObject[], context: Omit<ReasoningContext, 'rules'>) {
  const prefix = context.model.dropsOnPrefixMismatch ? (prefixHashes(items).at(-1) ?? '') : '';
  return (text: string): string =>
    seal({ text, model: context.model.id, account: context.account, prefix }, context.secret);
}

/**
 * Checks the ciphertexts of reasoning and compaction items. Models that bind reasoning to its prefix drop what no
 * longer fits and say so; the request still succeeds.
 */
export function checkReasoning(items: readonly JsonObject[], context: ReasoningContext): ReasoningCheck {
  const dropped = new Set<number>();
  const transformations: JsonObject[] = [];
  const drops = context.model.dropsOnPrefixMismatch && context.rules['openai.prefix-mismatch-drops'];
  const hashes = drops ? prefixHashes(items) : [];
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
    const reason = mismatchOf(content as SealedReasoning, context, () => boundaries(items, hashes, index));
    if (reason === undefined) continue;
    dropped.add(index);
    transformations.push({ id: item.id ?? null, action: 'removed', reason });
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
  if (content.account !== context.account) return 'organization_mismatch';
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

import { sha256 } from '../ids.ts';
import { asNumber, asObjects, asString, type Json, type JsonObject } from '../json.ts';
import type { Rules } from '../rules.ts';
import { extractiveSummary } from '../script/summary.ts';
import type { Turn } from '../script/types.ts';
import { seal, unseal } from '../seal.ts';
import { inputItems } from './cache.ts';
import { invalidInput, type OpenAiError } from './errors.ts';
import { prefixHashes, renderedItem } from './items.ts';

/** What the ciphertext of a compaction item holds. `window` is there where `/responses/compact` made it. */
type SealedCompaction = {
  readonly id: string;
  readonly summary: string;
  /** Hash of the items that it stands for. */
  readonly covers?: string;
  /** Hash of the items that were given out before it. */
  readonly window?: string;
};

/** A compaction item for a body; with `kept`, the items that are given out before it and belong to it. */
export function compactionItem(
  id: string,
  turn: Turn,
  body: JsonObject,
  secret: string,
  kept?: readonly JsonObject[],
): JsonObject {
  const covers = prefixHashes(inputItems(body)).at(-1) ?? '';
  const window = kept === undefined ? {} : { window: windowHash(kept) };
  const sealed = seal({ id, summary: extractiveSummary(turn), covers, ...window }, secret);
  return { id, type: 'compaction', encrypted_content: sealed };
}

/** What a compaction item's ciphertext holds; `undefined` when it does not verify. */
export function openCompaction(item: JsonObject, secret: string): SealedCompaction | undefined {
  if (item.type !== 'compaction') return undefined;
  return unseal(asString(item.encrypted_content) ?? '', secret) as SealedCompaction | undefined;
}

/** Places of triggers, entries of `context_management`, and windows that are passed whole. */
export function compactionError(
  body: JsonObject,
  items: readonly JsonObject[],
  secret: string,
  rules: Rules,
): OpenAiError | undefined {
  const early = items.findIndex(
    (item, index) => item.type === 'compaction_trigger' && index < items.length - 1,
  );
  if (early >= 0) {
    return invalidInput(
      'A `compaction_trigger` must be the final input item.',
      `input[${early}]`,
      'invalid_value',
    );
  }
  const other = asObjects(body.context_management).findIndex((entry) => entry.type !== 'compaction');
  if (other >= 0) {
    const type = asString(asObjects(body.context_management)[other]?.type) ?? '';
    return invalidInput(
      `Invalid value: '${type}'. Supported values are: 'compaction'.`,
      `context_management[${other}].type`,
      'invalid_value',
    );
  }
  if (!rules['openai.compacted-window-whole']) return undefined;
  for (const [index, item] of items.entries()) {
    const window = openCompaction(item, secret)?.window;
    if (window === undefined || window === windowHash(items.slice(0, index))) continue;
    return invalidInput(
      'The compacted window was changed. Pass the whole output of the compaction, unpruned, at the start of the input.',
      `input[${index}]`,
    );
  }
  return undefined;
}

function windowHash(items: readonly JsonObject[]): string {
  return sha256(items.map((item) => renderedItem(item)).join('\n'));
}

/** Indexes of items that the model does not read, since a compaction item behind them stands for them. */
export function coveredItems(items: readonly JsonObject[], secret: string): Set<number> {
  const index = items.findLastIndex((item) => item.type === 'compaction');
  const covers = index <= 0 ? undefined : openCompaction(items[index] ?? {}, secret)?.covers;
  if (covers === undefined || prefixHashes(items.slice(0, index)).at(-1) !== covers) return new Set();
  return new Set(Array.from({ length: index }, (_none, at) => at));
}

/** True when the request asks for a compaction at that many tokens. */
export function compactsAt(body: JsonObject, tokens: number): boolean {
  return asObjects(body.context_management).some((entry) => {
    const threshold = asNumber(entry.compact_threshold);
    return entry.type === 'compaction' && threshold !== undefined && tokens >= threshold;
  });
}

/** The summaries of an input's compaction items, which the model reads. */
export function summariesIn(input: Json | undefined, secret: string): string[] {
  return asObjects(input).flatMap((item) => openCompaction(item, secret)?.summary ?? []);
}

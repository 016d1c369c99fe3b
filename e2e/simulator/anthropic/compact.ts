import { asObjects, type JsonObject } from '../json.ts';
import { extractiveSummary } from '../script/summary.ts';
import { tokensOfLength } from '../tokens.ts';
import type { CacheSplit } from './cache.ts';
import { compactEdit, compactionBlock } from './compaction.ts';
import { type Serving, splitPrompt, tokensOf } from './serving.ts';
import { iterationOf } from './usage.ts';

/** A compaction that an answer begins with. */
export type Compacted = {
  readonly part: { readonly kind: 'block'; readonly block: JsonObject };
  /** What the model reads behind it. */
  readonly body: JsonObject;
  /** True when the answer holds nothing else. */
  readonly ends: boolean;
  readonly split: CacheSplit;
  readonly outputTokens: number;
  readonly publish: () => void;
  /** `usage.iterations` of the answer: the compaction, and the sampling behind it if there is one. */
  readonly iterations: (split: CacheSplit, outputTokens: number | undefined) => JsonObject[];
};

/** A request with `compaction`: the answer is one signed block and nothing else. */
export function compactAlone(serving: Serving): Compacted {
  return compact(serving, true, true);
}

/** The `compact_20260112` edit: above its trigger the prompt is summarized before the model answers. */
export function compactFirst(serving: Serving): Compacted | undefined {
  const edit = compactEdit(serving.body);
  if (edit === undefined || tokensOf(serving.body, serving.rule) < edit.triggerTokens) return undefined;
  return compact(serving, false, edit.pauses);
}

function compact(serving: Serving, isSigned: boolean, ends: boolean): Compacted {
  const { world, model, rule, body } = serving;
  const summary = summaryOf(serving);
  const block = compactionBlock(summary, world.secret, isSigned);
  const outputTokens = tokensOfLength(summary.length, rule);
  const { split, publish } = splitPrompt(serving, body);
  const left = { ...body, messages: [{ role: 'assistant', content: [block] }, ...lastPrompt(body)] };
  return {
    part: { kind: 'block', block },
    body: left,
    ends,
    split,
    outputTokens,
    publish,
    iterations: (sampled, sampledOutput) => [
      iterationOf(split, outputTokens),
      ...(sampledOutput === undefined ? [] : [iterationOf(sampled, sampledOutput, model.id)]),
    ],
  };
}

/** A scenario for compactions says the summary itself; else it is the built-in one. */
function summaryOf({ call }: Serving): string {
  if (call.turn.kind !== 'compaction' || call.plan.scenario.startsWith('builtin:')) {
    return extractiveSummary(call.turn);
  }
  return call.plan.parts.map((part) => (part.kind === 'text' ? part.chunks.join('') : '')).join('');
}

/** The last user message is read beside the summary of what stands before it. */
function lastPrompt(body: JsonObject): JsonObject[] {
  const last = asObjects(body.messages).at(-1);
  const isResult = asObjects(last?.content).some((block) => block.type === 'tool_result');
  return last?.role === 'user' && !isResult ? [last] : [];
}

import type { Usage } from '../../conversation/index.ts';
import type { Calibration } from './calibration.ts';

/** What is known of the next prompt of a thread. Tokens; those of `estimate…` before the calibration's factor. */
export interface NextPrompt {
  /** The provider's count of the last answer's prompt, cache buckets included; null: none is known for this view. */
  readonly lastInput: number | null;
  /** Its count of that answer, reasoning included: the answer is part of the next prompt. */
  readonly lastOutput: number;
  /** Estimate of what stands behind that answer; where no count is known, of the whole prompt. */
  readonly newElements: number;
  /** Estimate of what was in that prompt or is in its answer and is not sent again. */
  readonly leftOut: number;
  /** Reported tokens of reasoning: what is left out of what was counted, and what is kept where nothing was counted. */
  readonly reasoningLeftOut: number;
  readonly reasoningKept: number;
}

/**
 * Estimated tokens of a thread's next prompt: what the provider counted last, and estimates for the rest. Without a count
 * it is the estimate of the whole. Never below what is new.
 */
export function promptTokens(next: NextPrompt, { factor }: Pick<Calibration, 'factor'>): number {
  const added = next.newElements * factor;
  if (next.lastInput === null) return Math.ceil(added + next.reasoningKept);
  const counted = next.lastInput + next.lastOutput;
  const gone = next.leftOut * factor + next.reasoningLeftOut;
  return Math.ceil(added + Math.max(0, counted - gone));
}

/** All tokens of a prompt by the provider's count; null where it gave none. */
export function inputTokens(usage: Usage | null): number | null {
  if (usage === null) return null;
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, cacheWriteOther } = usage;
  const known = [input, cacheRead, cacheWrite5m, cacheWrite1h, cacheWriteOther].filter((one) => one !== null);
  return known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
}

/** All tokens of an answer by the provider's count, reasoning included; 0 where it gave none. */
export function outputTokens(usage: Usage | null): number {
  return (usage?.output ?? 0) + (usage?.reasoning ?? 0);
}

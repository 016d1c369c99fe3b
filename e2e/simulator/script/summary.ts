import type { Turn } from './types.ts';

/** Length of a compaction summary in characters, at most. It is fixed, so that runs can be compared. */
export const SUMMARY_CHARACTERS = 4000;

/**
 * The deterministic summary that compaction requests get: the start of every text that was typed, oldest first,
 * until the length is used up. It simulates the mechanism of compaction, not a model's judgement.
 */
export function extractiveSummary(turn: Turn): string {
  const typed = turn.typed.filter((text) => text.trim() !== '');
  const share = Math.max(40, Math.floor(SUMMARY_CHARACTERS / Math.max(1, typed.length)) - 8);
  const entries = typed.map(
    (text, index) => `${index + 1}. ${text.replace(/\s+/g, ' ').trim().slice(0, share)}`,
  );
  return ['The conversation so far, by what was asked:', ...entries].join('\n').slice(0, SUMMARY_CHARACTERS);
}

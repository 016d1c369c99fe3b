import type { Passage } from './match.ts';

/** What nearness, literals and having every word add to a document's score. Chosen on the tuning part of the evaluation. */
export const NEARNESS = 0.6;
const EVERY_WORD = 0.15;
const LITERAL = 0.5;

/** Kinds of text that repeat what stands elsewhere, or that nobody said: they give way to the others. */
const SECONDARY: Readonly<Record<string, number>> = {
  injected: 0.8,
  system: 0.8,
  compaction: 0.8,
  reasoning: 0.95,
};

/**
 * A document's final score.
 * @param share how much of the query's worth (the rarity of its words) the document holds, 0 to 1
 */
export function weigh(base: number, share: number, passage: Passage, kind: string): number {
  const together = base + NEARNESS * passage.nearness;
  const whole = share > 0.999 ? 1 + EVERY_WORD : 1;
  return together * whole * (1 + LITERAL * passage.literals) * (SECONDARY[kind] ?? 1);
}

export { blockQuestion, factLine, lexicalJudge, makeBlock, ranked } from './block.ts';
export { RULES_AUTHOR } from './extraction/rules.ts';
export { isTypedTurn, learnByRules } from './learn.ts';
export { normalPredicate, slotName, toValue, usualArity } from './normal-form.ts';
export { type FactPlace, type Scope, scopeOfTyped } from './place.ts';
export type { NoReopen } from './reopen.ts';
export type { AsOf } from './replay.ts';
export type { MemoryCounts, TurnCount } from './store/counts.ts';
export { drawnFacts } from './store/erasure.ts';
export type { FittingFact } from './store/fitting.ts';
export type { FactFilter, ListedFact, ListedSlot, SlotPage } from './store/lists.ts';
export {
  createMemoryReader,
  type Fact,
  type MemoryAct,
  type MemoryReader,
  type SlotRecord,
  type SlotView,
} from './store/reader.ts';
export type * from './store/review-types.ts';
export type { StoredStatement } from './store/rows.ts';
export type * from './store/types.ts';
export { createMemoryWriter, type MemoryWriterOptions } from './store/writer.ts';
export type * from './types.ts';
export { wordsOfFact } from './words.ts';

export { extractByRules, RULES_AUTHOR } from './extraction/rules.ts';
export type { Extracted, KnownFact, LearnedTurn, TurnPart } from './extraction/types.ts';
export { foldSlot } from './fold.ts';
export { type FactPlace, type Scope, scopesOf } from './place.ts';
export type { NoReopen } from './reopen.ts';
export type { AsOf } from './replay.ts';
export { forgetDocuments, forgetFacts, forgetScopes } from './store/erasure.ts';
export {
  createMemoryReader,
  type Fact,
  type MemoryAct,
  type MemoryReader,
  type SlotRecord,
  type SlotView,
} from './store/reader.ts';
export type * from './store/types.ts';
export { createMemoryWriter, type MemoryWriterOptions } from './store/writer.ts';
export type * from './types.ts';

export { type Boundary, type BoundaryElement, chooseBoundary, type NoBoundary } from './boundary.ts';
export { type IndexedMessage, indexEntries } from './entries.ts';
export type * from './index-entries.ts';
export { restoreIndex } from './index-pieces.ts';
export {
  docidsIn,
  INDEX_RENDERER,
  type IndexOptions,
  type RenderedIndex,
  renderIndex,
  timeIn,
} from './index-text.ts';
export {
  type Budgets,
  budgetsOf,
  contextLimitOf,
  DEFAULT_RECALL,
  PRESETS,
  type Preset,
  type RecallSettings,
} from './limits.ts';
export { Mirror, type MirrorOptions } from './mirror/mirror.ts';
export { syncMirror, withMirror } from './mirror/with-mirror.ts';
export {
  type Because,
  decideMoment,
  type LayoutReason,
  type Moment,
  type MomentQuestion,
  type MomentState,
  NOTHING_DUE,
} from './moments.ts';
export { type LayoutPlan, type PlanQuestion, planLayout } from './plan.ts';
export type * from './preview.ts';
export { createRecallReader } from './read.ts';
export type * from './read-types.ts';
export {
  type AnswerOptions,
  ambiguousAnswer,
  documentAnswer,
  type FoundPlace,
  LATE_ANSWER,
  missingAnswer,
  type ReadDocument,
  searchAnswer,
} from './retrieval-answers.ts';
export {
  RETRIEVAL_TOOL,
  RETRIEVAL_TOOL_RULES,
  type RetrievalCall,
  readRetrievalCall,
  retrievalToolJson,
} from './retrieval-tool.ts';
export { isIn, type Pause, readPause, writePause } from './store/pause.ts';
export { createRecallStore, type RecallStoreOptions } from './store/store.ts';
export {
  DEFAULT_SWITCHES,
  INHERITED,
  mergeSwitches,
  readSwitches,
  type SetSwitches,
  SWITCH_BOUNDS,
  writeSwitches,
} from './store/switches.ts';
export type * from './stored.ts';
export { isCommandTool, TRIM_ABOVE_TOKENS, TRIMMING_RULES, trimmed } from './trimming.ts';
export { compactionPoint, type ModelWindow, modelWindow, WINDOWS_CHECKED } from './windows.ts';

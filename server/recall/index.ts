export { type Boundary, type BoundaryElement, chooseBoundary, type NoBoundary } from './boundary.ts';
export { type IndexedMessage, indexEntries } from './entries.ts';
export type * from './index-entries.ts';
export {
  docidsIn,
  INDEX_RENDERER,
  type IndexOptions,
  type RenderedIndex,
  renderIndex,
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
export {
  type Because,
  decideMoment,
  type LayoutReason,
  type Moment,
  type MomentQuestion,
  type MomentState,
  NOTHING_DUE,
} from './moments.ts';
export { compactionPoint, type ModelWindow, modelWindow } from './windows.ts';

export { CONSOLE_COOKIE, CONSOLE_HEADER, callerOf, refusalOf } from './guard.ts';
export { handleRest, handleTrpc } from './http.ts';
export type { WireLedgerGroups, WireLedgerLine, WireLedgerRequest, WireLedgerTotals } from './ledger.ts';
export type {
  WireFact,
  WireFactAct,
  WireMemoryAct,
  WireReviewEntry,
  WireSlot,
  WireSlotHistory,
} from './memory-schemas.ts';
export { answerOperations, operationsAnswer } from './operations.ts';
export type { WirePause } from './pause.ts';
export type { WireProject } from './projects.ts';
export type { WireRecallChanges, WireRecallState } from './recall-settings.ts';
export type { AppRouter } from './router.ts';
export type {
  WireConnection,
  WireDocument,
  WireLogRow,
  WireRequest,
  WireSearchHit,
  WireSession,
  WireUsage,
} from './schemas.ts';
export type {
  ApiServices,
  ConsoleAccess,
  Health,
  LiveEvent,
  PauseKeeper,
  RecallActs,
  SwitchKeeper,
} from './services.ts';
export type { WireAccountSettings } from './settings.ts';
export type { PublicError } from './trpc.ts';
export { VERSION } from './version.ts';
export type { WireViewMessage, WireViewPart, WireViews } from './views.ts';
export type { WireLayout, WireLayoutDetail, WireLayoutPreview } from './window.ts';

export type { LocatedRepository, LocateRepository } from './place.ts';
export type { Retention } from './retention.ts';
export { type AccountTools, ensureAccount, ensureLocalAccount } from './store/account.ts';
export { type AskingPlace, type AskingReader, createAskingReader } from './store/asking.ts';
export { StaleRead } from './store/connection.ts';
export type { Drawn } from './store/drawn.ts';
export type { RetentionReport } from './store/expiry.ts';
export { fillTouches } from './store/file-touches.ts';
export { createArchiveTransfer } from './store/import.ts';
export {
  type ArchiveHousekeeper,
  type ArchiveKeeper,
  createArchiveHousekeeper,
  createArchiveKeeper,
} from './store/keeper.ts';
export { LIVE_CHANNEL, type LiveEvent, listenLive } from './store/live.ts';
export type { DeletionTarget } from './store/planned-deletions.ts';
export { createArchiveReader } from './store/reader.ts';
export { createTurnsToLearn, type TurnsToLearn, type UnlearnedTurn } from './store/unlearned.ts';
export { createArchiveWriter, type WriterOptions } from './store/writer.ts';
export type * from './types.ts';

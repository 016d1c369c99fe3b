export type { LocatedRepository, LocateRepository } from './place.ts';
export { type AccountTools, ensureAccount, ensureLocalAccount } from './store/account.ts';
export { StaleRead } from './store/connection.ts';
export { fillTouches } from './store/file-touches.ts';
export { LIVE_CHANNEL, type LiveEvent, listenLive } from './store/live.ts';
export { createArchiveReader } from './store/reader.ts';
export { createArchiveWriter, type WriterOptions } from './store/writer.ts';
export type * from './types.ts';

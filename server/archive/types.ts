// The words of the archive: what is written into it and what is read from it.
export type { DocId, MessageHash, SliceHash, StoredMessage } from '../conversation/index.ts';
export type * from './read-types.ts';
export type * from './record-types.ts';
export type * from './view.ts';

export type { FirstRequest } from './follow-up.ts';
export { type LoopParts, retrievalLoop } from './loop.ts';
export { createRetrieval, type RetrievalParts } from './retrieval.ts';
export type * from './types.ts';

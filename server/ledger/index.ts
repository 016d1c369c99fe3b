export type { Feature, Line, Lines, PricedBody, PricedRow } from './arms/lines.ts';
export { addLines, FEATURES, linesOf } from './arms/lines.ts';
export {
  addTokens,
  amountOf,
  bookCall,
  type CallToBook,
  NO_TOKENS,
  priceOfCall,
  promptOf,
} from './booking/book-call.ts';
export type * from './booking/types.ts';
export { type CacheUse, placesLookedAt, takePrompt, type UsedCache } from './cache/prompt-cache.ts';
export type * from './cache/types.ts';
export { type Overrides, overridesIn, withOverrides } from './prices/overrides.ts';
export { costOf, type PricedTokens, priceOf } from './prices/price.ts';
export { PRICE_ROWS } from './prices/rows.ts';
export type * from './prices/types.ts';
export { createLedgerReader } from './read.ts';
export type * from './read-types.ts';
export {
  AMOUNTS,
  BODIES,
  type CallRow,
  COUNTS,
  type Comparison,
  createLedgerWriter,
  type LedgerWriter,
  LINE_TOKENS,
  type PlaceEntries,
  type RequestRow,
} from './store.ts';

export { costOf, type PricedTokens, priceOf } from './prices/price.ts';
export type * from './prices/types.ts';

/** How long an entry of the prompt cache lives; see {@link CacheRules.lifetimes}. */
export type Lifetime = 'short' | 'long';

/** A place in a prompt up to which it can be cached. */
export interface CachePosition {
  /** Stands for everything up to and with this place, in the provider's order. */
  readonly hash: string;
  /** Tokens up to and with this place; they need not be whole. */
  readonly tokens: number;
  /** A breakpoint stands here. */
  readonly mark: Lifetime | null;
}

/** How a provider's prompt cache works for one request (providers.md 2.1 and 3.6). */
export interface CacheRules {
  /** Tokens below which nothing is cached. */
  readonly minimum: number;
  /** Positions that a read looks at, from where it begins backwards, that one counted. */
  readonly lookBack: number;
  /** A read begins at each breakpoint, or at the prompt's end alone. */
  readonly readsFrom: 'marks' | 'end';
  /** Written is at breakpoints, and billed; or at every position, for nothing. */
  readonly writes: 'marks' | 'everywhere';
  /** Which lifetime a written token is billed at: up to the last long breakpoint long; or each stretch as its own end. */
  readonly longUpTo: 'last' | 'each';
  /** Read tokens are counted in whole steps of so many. */
  readonly step: number;
  /** In milliseconds. */
  readonly lifetimes: { readonly [K in Lifetime]: number };
}

/** A prompt as its cache sees it. */
export interface CachedPrompt {
  readonly positions: readonly CachePosition[];
  readonly rules: CacheRules;
}

/** What the cache holds up to one place. Moments in milliseconds since 1970. */
export interface CacheEntry {
  readonly lifetimeMs: number;
  readonly expiresAt: number;
  /** When the answer began whose request wrote it: it can be read from then on. */
  readonly readableAt: number;
}

/** How a prompt divides; the four add up to all of it. Whole tokens. */
export interface PromptSplit {
  readonly input: number;
  readonly write: number;
  readonly writeLong: number;
  readonly read: number;
}

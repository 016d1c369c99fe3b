import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { Lines } from './arms/lines.ts';
import type { UsedTokens } from './booking/types.ts';

/** What rows of the ledger are gathered by. */
export type Grouping = 'session' | 'project' | 'model' | 'day' | 'quarter';

/** Which rows are read. All filters together; left out: all. */
export interface LedgerFilter {
  readonly from?: Millis;
  /** The first moment that is not read any more. */
  readonly to?: Millis;
  readonly session?: Uuid;
  readonly project?: Uuid;
  readonly model?: string;
}

/** Money and tokens of some requests. Nano-dollars. */
export interface LedgerTotals {
  readonly requests: number;
  readonly calls: number;
  readonly tokens: UsedTokens;
  readonly searches: number;
  /** All that is priced. */
  readonly actual: bigint;
  /**
   * Requests that were compared with their clients' own: `direct` and all lines lead to `actual`, which is of these alone.
   */
  readonly compared: {
    readonly requests: number;
    readonly direct: bigint;
    readonly directTokens: number;
    readonly lines: Lines;
    readonly actual: bigint;
  };
  /** Of the compared those whose clients' own body would have passed the window: no part of a saving that is headlined. */
  readonly capped: { readonly requests: number; readonly direct: bigint; readonly actual: bigint };
  /** Requests that could not be compared. */
  readonly uncompared: { readonly requests: number; readonly actual: bigint };
  /** Requests with a model that has no price. */
  readonly unpriced: number;
  /** Requests whose tokens are an estimate, or what was told before they broke off. */
  readonly estimated: number;
  readonly partial: number;
}

/** Money that was paid, and what subscriptions' requests would have cost at list price, which was not billed. */
export interface LedgerSums {
  readonly billed: LedgerTotals;
  readonly subscription: LedgerTotals;
}

/** The sums of one group. */
export interface LedgerGroup extends LedgerSums {
  /** Session, project or model; day as `YYYY-MM-DD` in the zone asked for; quarter as its first moment. Null: none, or deleted. */
  readonly key: string | null;
  /** Title or name; null: it has none of its own. */
  readonly name: string | null;
}

/** A request's row. */
export interface LedgerRequest extends LedgerTotals {
  readonly id: Uuid;
  readonly sessionId: Uuid | null;
  readonly at: Millis;
  readonly model: string;
  readonly agent: string;
  readonly subscription: boolean;
  readonly kind: 'compared' | 'capped' | 'uncompared' | 'unpriced';
  readonly state: 'reported' | 'partial' | 'estimated';
  /** Milliseconds to the first byte: the provider's part and ours; null: it is not known. */
  readonly firstByteMs: number | null;
  readonly ownMs: number | null;
  /** The layout in force was made for this request, by its reason; null: none was made. */
  readonly layoutMade: string | null;
}

/** A call of a request. */
export interface LedgerCall {
  readonly n: number;
  readonly feature: string | null;
  readonly model: string;
  readonly state: string;
  readonly tokens: UsedTokens;
  readonly searches: number;
  readonly amount: bigint | null;
  /** Prices in force. */
  readonly prices: unknown;
}

/** Reads the ledger. */
export interface LedgerReader {
  /** Everything that the filter leaves, in one sum. */
  total(accountId: Uuid, filter: LedgerFilter): Promise<LedgerSums>;
  /** Groups in the order of their keys; days and quarters by time. @param zone an IANA time zone, for days */
  groups(accountId: Uuid, by: Grouping, filter: LedgerFilter, zone: string): Promise<readonly LedgerGroup[]>;
  /** Requests, oldest first. @param after the place behind which to go on */
  requests(
    accountId: Uuid,
    filter: LedgerFilter,
    page: { readonly limit: number; readonly after: { readonly at: Millis; readonly id: Uuid } | null },
  ): Promise<readonly LedgerRequest[]>;
  /** One request with its calls; null: the ledger has none of this id. */
  request(
    accountId: Uuid,
    id: Uuid,
  ): Promise<{ readonly row: LedgerRequest; readonly calls: readonly LedgerCall[] } | null>;
  /** Models that were used and have no price, with their requests. */
  unpricedModels(accountId: Uuid): Promise<readonly { readonly model: string; readonly requests: number }[]>;
}

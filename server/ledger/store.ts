import type pg from 'pg';
import type { Uuid } from '../kernel/ids.ts';
import type { Feature, Lines } from './arms/lines.ts';
import type { BookedCall, UsageState, UsedTokens } from './booking/types.ts';
import type { CacheEntry } from './cache/types.ts';

type Pool = Pick<pg.Pool, 'query'>;

/** Bodies that have a cache of their own in the ledger's reckoning, in the order of its fixed row. */
export const BODIES = ['client', 'trimmed', 'laidOut', 'withTool', 'sent'] as const;

/** What the caches of the bodies hold at one place; null: nothing. In the order of {@link BODIES}. */
export type PlaceEntries = readonly (CacheEntry | null)[];

/** How far a request could be compared with its client's own. */
export type Comparison =
  /** `capped`: the client's own body would pass the window, where its agent would have compacted. */
  | {
      readonly kind: 'compared' | 'capped';
      readonly direct: bigint;
      readonly directTokens: number;
      readonly lines: Lines;
    }
  | { readonly kind: 'uncompared' }
  /** A model of it has no price: its tokens are booked, and no money. */
  | { readonly kind: 'unpriced' };

/** A call of a request in the ledger, and the feature that made it; null: the client's own. */
export interface CallRow extends BookedCall {
  readonly model: string;
  readonly feature: Feature | null;
}

/** A request in the ledger. */
export interface RequestRow {
  readonly accountId: Uuid;
  readonly requestId: Uuid;
  readonly at: number;
  readonly model: string;
  readonly agent: string;
  readonly subscription: boolean;
  readonly state: UsageState;
  readonly tokens: UsedTokens;
  readonly searches: number;
  /** Zero where it is unpriced. */
  readonly actual: bigint;
  readonly comparison: Comparison;
  readonly calls: readonly CallRow[];
}

/** What the ledger keeps. */
export interface LedgerWriter {
  /** Books a request with its calls, once; a second time nothing happens. */
  book(row: RequestRow): Promise<void>;
  /** What the caches hold at these places. */
  placesOf(accountId: Uuid, places: readonly string[]): Promise<ReadonlyMap<string, PlaceEntries>>;
  /** Keeps what they hold from now on, and forgets what no cache holds any more. */
  keepPlaces(accountId: Uuid, places: ReadonlyMap<string, PlaceEntries>, at: number): Promise<void>;
}

/** Numbers of a row, in the order of its columns. */
export const COUNTS = [
  'requests',
  'calls',
  'input',
  'write',
  'write_long',
  'read',
  'output',
  'reasoning',
  'searches',
] as const;
/** Money and tokens of the lines, in the order of their columns. */
export const AMOUNTS = [
  'actual',
  'direct',
  'trimming',
  'recall',
  'eviction',
  'retrieval',
  'memory',
  'estimate',
] as const;
export const LINE_TOKENS = [
  'direct_tokens',
  'trimming_tokens',
  'recall_tokens',
  'eviction_tokens',
  'retrieval_tokens',
  'memory_tokens',
  'estimate_tokens',
] as const;
const NUMBERS = [...COUNTS, ...AMOUNTS, ...LINE_TOKENS];

/** Rows whose caches hold nothing any more are deleted so many at a time. */
const FORGOTTEN_AT_ONCE = 1000;

/** The ledger's writer. A request's session is the one that its row in the archive names at that moment. */
export function createLedgerWriter(pool: Pool): LedgerWriter {
  return {
    async book(row) {
      const values = [
        row.accountId,
        row.requestId,
        new Date(row.at),
        plain(row.model),
        row.agent,
        row.subscription,
        row.comparison.kind,
        row.state,
        ...numbersOf(row),
        JSON.stringify(row.calls.map(callOf)),
      ];
      await pool.query({
        name: 'ledger_book',
        text: BOOK,
        values: values.map((one) => (typeof one === 'bigint' ? `${one}` : one)),
      });
    },

    async placesOf(accountId, places) {
      const { rows } = await pool.query<{
        place: string;
        lifetimes: string[];
        expires: string[];
        readable: string[];
      }>({
        name: 'ledger_places',
        text: 'SELECT place, lifetimes, expires, readable FROM ledger_cache WHERE account_id = $1 AND place = ANY($2::text[])',
        values: [accountId, places],
      });
      return new Map(rows.map((row) => [row.place, entriesOf(row)]));
    },

    async keepPlaces(accountId, places, at) {
      if (places.size === 0) return;
      const rows = [...places].map(([place, entries]) => ({
        place,
        lifetimes: entries.map((one) => one?.lifetimeMs ?? 0),
        expires: entries.map((one) => Math.round(one?.expiresAt ?? 0)),
        readable: entries.map((one) => Math.round(one?.readableAt ?? 0)),
        until: new Date(Math.max(...entries.map((one) => one?.expiresAt ?? 0))),
      }));
      await pool.query({ name: 'ledger_keep', text: KEEP, values: [accountId, JSON.stringify(rows)] });
      await pool.query({
        name: 'ledger_forget',
        text: FORGET,
        values: [accountId, new Date(at - FORGOTTEN_AFTER_MS)],
      });
    },
  };
}

/** An answer may be booked long after its request: what it could have read must still be there. */
const FORGOTTEN_AFTER_MS = 3_600_000;

/** The request's row is locked, so that its session cannot go between: a deletion finds this row or comes before it. */
const BOOK = `
WITH placed AS (
  SELECT session_id FROM request WHERE account_id = $1 AND id = $2 FOR KEY SHARE
), written AS (
  INSERT INTO ledger_request (account_id, request_id, session_id, at, model, agent, subscription, kind, state, ${NUMBERS.join(', ')})
  SELECT $1, $2, (SELECT session_id FROM placed), $3, $4, $5, $6, $7, $8, ${NUMBERS.map((_name, at) => `$${at + 9}`).join(', ')}
  ON CONFLICT (account_id, request_id) DO NOTHING
  RETURNING request_id
)
INSERT INTO ledger_call (account_id, request_id, n, feature, model, state, input, write, write_long, read, output, reasoning,
  searches, amount, prices)
SELECT $1, written.request_id, c.n, c.feature, c.model, c.state, c.input, c.write, c.write_long, c.read, c.output, c.reasoning,
  c.searches, c.amount, c.prices
FROM written CROSS JOIN json_to_recordset($${NUMBERS.length + 9}::json) AS c(n int, feature text, model text, state text,
  input bigint, write bigint, write_long bigint, read bigint, output bigint, reasoning bigint, searches bigint, amount bigint,
  prices json)`;

const KEEP = `
INSERT INTO ledger_cache AS c (account_id, place, lifetimes, expires, readable, until)
SELECT $1, p.place, p.lifetimes, p.expires, p.readable, p.until
FROM json_to_recordset($2::json) AS p(place text, lifetimes bigint[], expires bigint[], readable bigint[], until timestamptz)
ON CONFLICT (account_id, place) DO UPDATE SET lifetimes = EXCLUDED.lifetimes, expires = EXCLUDED.expires,
  readable = EXCLUDED.readable, until = GREATEST(c.until, EXCLUDED.until)`;

const FORGET = `
DELETE FROM ledger_cache WHERE account_id = $1 AND place IN (
  SELECT place FROM ledger_cache WHERE account_id = $1 AND until < $2 LIMIT ${FORGOTTEN_AT_ONCE} FOR UPDATE SKIP LOCKED)`;

function numbersOf({
  calls,
  tokens,
  searches,
  actual,
  comparison,
}: RequestRow): readonly (bigint | number)[] {
  const counts = [
    1,
    calls.length,
    tokens.input,
    tokens.write,
    tokens.writeLong,
    tokens.read,
    tokens.output,
    tokens.reasoning,
    searches,
  ];
  const isCompared = comparison.kind === 'compared' || comparison.kind === 'capped';
  if (!isCompared) return [...counts, actual, ...Array<number>(NUMBERS.length - counts.length - 1).fill(0)];
  const { direct, directTokens, lines } = comparison;
  const ordered = [
    lines.trimming,
    lines.recall,
    lines.eviction,
    lines.retrieval,
    lines.memory,
    lines.estimate,
  ];
  return [
    ...counts,
    actual,
    direct,
    ...ordered.map((line) => line.amount),
    directTokens,
    ...ordered.map((line) => line.tokens),
  ];
}

function callOf({ feature, model, state, tokens, searches, amount, prices }: CallRow, n: number) {
  return {
    n,
    feature,
    model: plain(model),
    state,
    input: tokens.input,
    write: tokens.write,
    write_long: tokens.writeLong,
    read: tokens.read,
    output: tokens.output,
    reasoning: tokens.reasoning,
    searches,
    amount: amount === null ? null : `${amount}`,
    prices,
  };
}

function entriesOf(row: { lifetimes: string[]; expires: string[]; readable: string[] }): PlaceEntries {
  return row.lifetimes.map((lifetime, at): CacheEntry | null => {
    const lifetimeMs = Number(lifetime);
    if (lifetimeMs === 0) return null;
    return { lifetimeMs, expiresAt: Number(row.expires[at]), readableAt: Number(row.readable[at]) };
  });
}

/** A name as PostgreSQL can hold it. */
function plain(name: string): string {
  return name.replaceAll('\0', '').slice(0, 200);
}

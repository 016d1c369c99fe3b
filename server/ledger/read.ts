import type pg from 'pg';
import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import { nanoDollars } from '../kernel/money.ts';
import { FEATURES, type Feature, type Lines } from './arms/lines.ts';
import type {
  Grouping,
  LedgerCall,
  LedgerFilter,
  LedgerGroup,
  LedgerReader,
  LedgerRequest,
  LedgerSums,
  LedgerTotals,
} from './read-types.ts';
import { AMOUNTS, COUNTS, LINE_TOKENS } from './store.ts';

type Pool = Pick<pg.Pool, 'query'>;
type Row = Readonly<Record<string, string | number | null>>;

const NUMBERS = [...COUNTS, ...AMOUNTS, ...LINE_TOKENS];
const COLUMNS = ['at', 'model', 'agent', 'subscription', 'kind', 'state', ...NUMBERS].join(', ');

/** What is left of deleted requests counts where no session and no project is asked for: it belongs to none any more. */
const ROWS = `
rows AS (
  SELECT r.session_id, s.project_id, ${prefixed('r')}
  FROM ledger_request r LEFT JOIN session s ON s.account_id = r.account_id AND s.id = r.session_id
  WHERE r.account_id = $1 AND ($2::timestamptz IS NULL OR r.at >= $2) AND ($3::timestamptz IS NULL OR r.at < $3)
    AND ($4::uuid IS NULL OR r.session_id = $4) AND ($5::uuid IS NULL OR s.project_id = $5) AND ($6::text IS NULL OR r.model = $6)
  UNION ALL
  SELECT NULL::uuid, NULL::uuid, ${COLUMNS} FROM ledger_sum
  WHERE account_id = $1 AND ($2::timestamptz IS NULL OR at >= $2) AND ($3::timestamptz IS NULL OR at < $3)
    AND $4::uuid IS NULL AND $5::uuid IS NULL AND ($6::text IS NULL OR model = $6)
)`;

const SUMS = NUMBERS.map((name) => `sum(${name})::text AS ${name}`).join(', ');

const KEYS: { readonly [K in Grouping]: string } = {
  session: 'session_id::text',
  project: 'project_id::text',
  model: 'model',
  day: `to_char(at AT TIME ZONE $7, 'YYYY-MM-DD')`,
  quarter: `to_char(date_bin('15 minutes', at, '2000-01-01T00:00:00Z') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`,
};

const NAMES: { readonly [K in Grouping]: string } = {
  session: "(SELECT NULLIF(title, '') FROM session s WHERE s.account_id = $1 AND s.id::text = g.key)",
  project: '(SELECT name FROM project p WHERE p.account_id = $1 AND p.id::text = g.key)',
  model: 'NULL',
  day: 'NULL',
  quarter: 'NULL',
};

const REQUEST = `
SELECT r.request_id, r.session_id, ${prefixed('r')}, q.first_byte_ms, q.own_ms, q.view->>'made' AS made
FROM ledger_request r LEFT JOIN session s ON s.account_id = r.account_id AND s.id = r.session_id
LEFT JOIN request q ON q.account_id = r.account_id AND q.id = r.request_id
WHERE r.account_id = $1`;

/** The ledger's reader. Every sum is made of the rows themselves, so that all levels add up. */
export function createLedgerReader(pool: Pool): LedgerReader {
  return {
    async total(accountId, filter) {
      const { rows } = await pool.query<Row>(
        `WITH ${ROWS} SELECT subscription, kind, state, ${SUMS} FROM rows GROUP BY subscription, kind, state`,
        valuesOf(accountId, filter),
      );
      return sumsOf(rows);
    },

    async groups(accountId, by, filter, zone) {
      const values = valuesOf(accountId, filter);
      const { rows } = await pool.query<Row>(
        `WITH ${ROWS}, g AS (
           SELECT ${KEYS[by]} AS key, subscription, kind, state, ${SUMS} FROM rows GROUP BY 1, 2, 3, 4)
         SELECT g.*, ${NAMES[by]} AS name FROM g ORDER BY key NULLS LAST`,
        by === 'day' ? [...values, zone] : values,
      );
      return groupsOf(rows);
    },

    async requests(accountId, filter, { limit, after }) {
      const { rows } = await pool.query<Row>(
        `${REQUEST} AND ($2::timestamptz IS NULL OR r.at >= $2) AND ($3::timestamptz IS NULL OR r.at < $3)
           AND ($4::uuid IS NULL OR r.session_id = $4) AND ($5::uuid IS NULL OR s.project_id = $5)
           AND ($6::text IS NULL OR r.model = $6)
           AND ($7::timestamptz IS NULL OR (r.at, r.request_id) > ($7, $8::uuid))
         ORDER BY r.at, r.request_id LIMIT $9`,
        [
          ...valuesOf(accountId, filter),
          after === null ? null : new Date(after.at),
          after?.id ?? null,
          limit,
        ],
      );
      return rows.map(requestOf);
    },

    async request(accountId, id) {
      const found = await pool.query<Row>(`${REQUEST} AND r.request_id = $2`, [accountId, id]);
      const [row] = found.rows;
      if (row === undefined) return null;
      const calls = await pool.query<Row & { prices: unknown }>(
        `SELECT n, feature, model, state, input, write, write_long, read, output, reasoning, searches, amount, prices
         FROM ledger_call WHERE account_id = $1 AND request_id = $2 ORDER BY n`,
        [accountId, id],
      );
      return { row: requestOf(row), calls: calls.rows.map(callOf) };
    },

    async unpricedModels(accountId) {
      const { rows } = await pool.query<{ model: string; requests: string }>(
        `SELECT model, sum(requests)::text AS requests FROM (
           SELECT model, requests FROM ledger_request WHERE account_id = $1 AND kind = 'unpriced'
           UNION ALL SELECT model, requests FROM ledger_sum WHERE account_id = $1 AND kind = 'unpriced') r
         GROUP BY model ORDER BY model`,
        [accountId],
      );
      return rows.map(({ model, requests }) => ({ model, requests: Number(requests) }));
    },
  };
}

function valuesOf(accountId: Uuid, { from, to, session, project, model }: LedgerFilter): unknown[] {
  return [
    accountId,
    from === undefined ? null : new Date(from),
    to === undefined ? null : new Date(to),
    session ?? null,
    project ?? null,
    model ?? null,
  ];
}

function prefixed(table: string): string {
  return COLUMNS.split(', ')
    .map((name) => `${table}.${name}`)
    .join(', ');
}

function groupsOf(rows: readonly Row[]): readonly LedgerGroup[] {
  const groups = new Map<string | null, Row[]>();
  for (const row of rows) {
    const key = row.key as string | null;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups].map(([key, of]) => ({
    key,
    name: (of[0]?.name ?? null) as string | null,
    ...sumsOf(of),
  }));
}

function sumsOf(rows: readonly Row[]): LedgerSums {
  const of = (subscription: boolean) =>
    totalsOf(rows.filter((row) => Boolean(row.subscription) === subscription));
  return { billed: of(false), subscription: of(true) };
}

/** Rows of any kinds and states as one sum. */
function totalsOf(rows: readonly Row[]): LedgerTotals {
  const money = (name: string, ...kinds: string[]) =>
    rows.reduce(
      (sum, row) =>
        kinds.length === 0 || kinds.includes(`${row.kind}`) ? sum + BigInt(row[name] ?? 0) : sum,
      0n,
    );
  const count = (name: string, ...kinds: string[]) => Number(money(name, ...kinds));
  const states = (state: string) =>
    rows.reduce((sum, row) => (row.state === state ? sum + Number(row.requests) : sum), 0);
  const line = (feature: Feature) =>
    [feature, { amount: nanoDollars(money(feature)), tokens: count(`${feature}_tokens`) }] as const;
  return {
    requests: count('requests'),
    calls: count('calls'),
    tokens: {
      input: count('input'),
      write: count('write'),
      writeLong: count('write_long'),
      read: count('read'),
      output: count('output'),
      reasoning: count('reasoning'),
    },
    searches: count('searches'),
    actual: money('actual'),
    compared: {
      requests: count('requests', 'compared', 'capped'),
      direct: money('direct'),
      directTokens: count('direct_tokens'),
      lines: Object.fromEntries(FEATURES.map(line)) as unknown as Lines,
      actual: money('actual', 'compared', 'capped'),
    },
    capped: {
      requests: count('requests', 'capped'),
      direct: money('direct', 'capped'),
      actual: money('actual', 'capped'),
    },
    uncompared: { requests: count('requests', 'uncompared'), actual: money('actual', 'uncompared') },
    unpriced: count('requests', 'unpriced'),
    estimated: states('estimated'),
    partial: states('partial'),
  };
}

function requestOf(row: Row): LedgerRequest {
  return {
    ...totalsOf([row]),
    id: row.request_id as Uuid,
    sessionId: row.session_id as Uuid | null,
    at: new Date(row.at as string).getTime() as Millis,
    model: `${row.model}`,
    agent: `${row.agent}`,
    subscription: Boolean(row.subscription),
    kind: row.kind as LedgerRequest['kind'],
    state: row.state as LedgerRequest['state'],
    firstByteMs: row.first_byte_ms as number | null,
    ownMs: row.own_ms as number | null,
    layoutMade: (row.made ?? null) as string | null,
  };
}

function callOf(row: Row & { readonly prices: unknown }): LedgerCall {
  return {
    n: Number(row.n),
    feature: row.feature as string | null,
    model: `${row.model}`,
    state: `${row.state}`,
    tokens: {
      input: Number(row.input),
      write: Number(row.write),
      writeLong: Number(row.write_long),
      read: Number(row.read),
      output: Number(row.output),
      reasoning: Number(row.reasoning),
    },
    searches: Number(row.searches),
    amount: row.amount === null || row.amount === undefined ? null : BigInt(row.amount),
    prices: row.prices,
  };
}

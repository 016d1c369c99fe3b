import type { Millis } from '../../../server/kernel/clock.ts';
import type { Uuid } from '../../../server/kernel/ids.ts';
import { nanoDollars } from '../../../server/kernel/money.ts';
import {
  FEATURES,
  type Feature,
  type Grouping,
  type LedgerFilter,
  type LedgerReader,
  type LedgerRequest,
  type LedgerSums,
  type LedgerTotals,
  type Lines,
} from '../../../server/ledger/index.ts';
import { type FakeSession, fixedId } from './sessions.ts';

const MODELS = ['claude-opus-5-5', 'claude-sonnet-5-5', 'gpt-6.2-sol', 'a-model-of-theirs'] as const;

/** What a fake request's lines are, in nano-dollars; the direct arm is what leads from them to the actual cost. */
function linesAt(at: number, made: boolean): Lines {
  const amounts: { readonly [K in Feature]: number } = {
    trimming: -4_200_000 - at * 1_000,
    recall: made ? 31_000_000 : -9_700_000,
    eviction: 0,
    retrieval: at % 7 === 0 ? 6_400_000 : 310_000,
    memory: 0,
    estimate: (at % 3) * 41_000 - 40_000,
  };
  return Object.fromEntries(
    FEATURES.map((feature) => [
      feature,
      { amount: nanoDollars(amounts[feature]), tokens: Math.round(amounts[feature] / 400) },
    ]),
  ) as unknown as Lines;
}

/** The row of a session's request. */
function rowOf(session: FakeSession, index: number, at: number): LedgerRequest {
  const { row } = session;
  const model = MODELS[index % MODELS.length] ?? MODELS[0];
  const made = at % 11 === 10;
  const kind = index % 4 === 3 ? 'unpriced' : at % 17 === 16 ? 'capped' : 'compared';
  const lines = linesAt(at, made);
  const sum = FEATURES.reduce((all, feature) => all + lines[feature].amount, 0n);
  const direct = 26_000_000n + BigInt(at) * 900_000n;
  const isPriced = kind !== 'unpriced';
  const actual = isPriced ? direct + sum : 0n;
  return {
    id: fixedId(5_000_000 + index * 1_000 + at) as Uuid,
    sessionId: row.id,
    at: (row.lastSeenAt - (40 - at) * 90_000) as Millis,
    model,
    agent: row.agent,
    subscription: index % 5 === 4,
    kind,
    state: at % 13 === 12 ? 'partial' : 'reported',
    firstByteMs: 640 + at * 9,
    ownMs: 3.4,
    layoutMade: made ? 'window' : null,
    requests: 1,
    calls: at % 7 === 0 ? 2 : 1,
    tokens: { input: 12, write: 2_400, writeLong: 0, read: 30_000 + at * 1_800, output: 640, reasoning: 120 },
    searches: 0,
    actual,
    compared: {
      requests: isPriced ? 1 : 0,
      direct: isPriced ? direct : 0n,
      directTokens: isPriced ? 34_000 + at * 1_800 : 0,
      lines: isPriced ? lines : NO_LINES,
      actual,
    },
    capped: kind === 'capped' ? { requests: 1, direct, actual } : { requests: 0, direct: 0n, actual: 0n },
    uncompared: { requests: 0, actual: 0n },
    unpriced: isPriced ? 0 : 1,
    estimated: 0,
    partial: at % 13 === 12 ? 1 : 0,
  };
}

const NO_LINES = Object.fromEntries(
  FEATURES.map((feature) => [feature, { amount: nanoDollars(0), tokens: 0 }]),
) as unknown as Lines;

/** A ledger in memory: forty requests at most of each session that is there. */
export function fakeLedger(sessions: readonly FakeSession[]): LedgerReader {
  const rows = (filter: LedgerFilter) =>
    sessions
      .slice(0, 60)
      .flatMap((session, index) =>
        Array.from({ length: Math.min(40, Math.max(1, session.row.requests)) }, (_none, at) => ({
          session,
          row: rowOf(session, index, at),
        })),
      )
      .filter(
        ({ session, row }) =>
          (filter.from === undefined || row.at >= filter.from) &&
          (filter.to === undefined || row.at < filter.to) &&
          (filter.session === undefined || row.sessionId === filter.session) &&
          (filter.project === undefined || session.row.project?.id === filter.project) &&
          (filter.model === undefined || row.model === filter.model),
      )
      .toSorted((one, other) => one.row.at - other.row.at);
  const keyOf = (by: Grouping, { session, row }: ReturnType<typeof rows>[number], zone: string) => {
    if (by === 'session') return row.sessionId;
    if (by === 'project') return session.row.project?.id ?? null;
    if (by === 'model') return row.model;
    const day = new Intl.DateTimeFormat('en-CA', { timeZone: by === 'day' ? zone : 'UTC' }).format(row.at);
    return by === 'day' ? day : `${day}T00:00:00Z`;
  };
  return {
    total: async (_account, filter) => sumsOf(rows(filter).map(({ row }) => row)),
    async groups(_account, by, filter, zone) {
      const found = new Map<string | null, ReturnType<typeof rows>>();
      for (const one of rows(filter)) {
        const key = keyOf(by, one, zone);
        found.set(key, [...(found.get(key) ?? []), one]);
      }
      return [...found].map(([key, of]) => ({
        key,
        name:
          by === 'session'
            ? (of[0]?.session.row.title ?? null)
            : by === 'project'
              ? (of[0]?.session.row.project?.name ?? null)
              : null,
        ...sumsOf(of.map(({ row }) => row)),
      }));
    },
    async requests(_account, filter, { limit, after }) {
      const all = rows(filter).map(({ row }) => row);
      const from = after === null ? 0 : all.findIndex(({ id }) => id === after.id) + 1;
      return all.slice(from, from + limit);
    },
    async request(_account, id) {
      const row = rows({}).find((one) => one.row.id === id)?.row;
      return row === undefined ? null : { row, calls: [] };
    },
    unpricedModels: async () => [{ model: 'a-model-of-theirs', requests: 1 }],
  };
}

function sumsOf(rows: readonly LedgerRequest[]): LedgerSums {
  return {
    billed: totalsOf(rows.filter(({ subscription }) => !subscription)),
    subscription: totalsOf(rows.filter(({ subscription }) => subscription)),
  };
}

function totalsOf(rows: readonly LedgerRequest[]): LedgerTotals {
  const count = (of: (row: LedgerRequest) => number) => rows.reduce((sum, row) => sum + of(row), 0);
  const money = (of: (row: LedgerRequest) => bigint) => rows.reduce((sum, row) => sum + of(row), 0n);
  const line = (feature: Feature) => ({
    amount: nanoDollars(money((row) => row.compared.lines[feature].amount)),
    tokens: count((row) => row.compared.lines[feature].tokens),
  });
  return {
    requests: count((row) => row.requests),
    calls: count((row) => row.calls),
    tokens: {
      input: count((row) => row.tokens.input),
      write: count((row) => row.tokens.write),
      writeLong: count((row) => row.tokens.writeLong),
      read: count((row) => row.tokens.read),
      output: count((row) => row.tokens.output),
      reasoning: count((row) => row.tokens.reasoning),
    },
    searches: 0,
    actual: money((row) => row.actual),
    compared: {
      requests: count((row) => row.compared.requests),
      direct: money((row) => row.compared.direct),
      directTokens: count((row) => row.compared.directTokens),
      lines: Object.fromEntries(FEATURES.map((feature) => [feature, line(feature)])) as unknown as Lines,
      actual: money((row) => row.compared.actual),
    },
    capped: {
      requests: count((row) => row.capped.requests),
      direct: money((row) => row.capped.direct),
      actual: money((row) => row.capped.actual),
    },
    uncompared: { requests: 0, actual: 0n },
    unpriced: count((row) => row.unpriced),
    estimated: 0,
    partial: count((row) => row.partial),
  };
}

import { z } from 'zod';
import type { Millis } from '../kernel/clock.ts';
import { ContextModeError } from '../kernel/errors.ts';
import { isUuid, type Uuid } from '../kernel/ids.ts';
import { dollarsText, nanoDollars } from '../kernel/money.ts';
import {
  FEATURES,
  type Grouping,
  type LedgerCall,
  type LedgerFilter,
  type LedgerRequest,
  type LedgerSums,
  type LedgerTotals,
} from '../ledger/index.ts';
import { pageOf } from './schemas.ts';
import { reading, router } from './trpc.ts';
import { isoOf } from './wire.ts';

const count = z.int();
const dollars = z.string().describe('dollars, nine places');
const features = z.enum(FEATURES);

const tokens = z.object({
  input: count,
  write: count.describe('written to the cache for the shorter lifetime'),
  writeLong: count.describe('for the longer one'),
  read: count.describe('read from the cache'),
  output: count.describe('without reasoning'),
  reasoning: count,
});

const line = z.object({
  feature: features,
  tokens: count,
  amount: dollars.describe('above zero: it cost more; below: it saved'),
});

const totals = z
  .object({
    requests: count,
    calls: count.describe('upstream calls, those of our own among them'),
    tokens,
    searches: count.describe("web searches of the provider's own"),
    actual: dollars,
    compared: z
      .object({
        requests: count,
        direct: dollars,
        directTokens: count,
        actual: dollars,
        lines: z.array(line),
      })
      .describe("requests compared with their clients' own: direct and all lines add up to actual"),
    capped: z
      .object({ requests: count, direct: dollars, actual: dollars })
      .describe('of the compared those that would have passed the window: no part of the saving'),
    uncompared: z.object({ requests: count, actual: dollars }),
    unpriced: count.describe('requests with a model that has no price: tokens, and no money'),
    estimated: count.describe('requests whose tokens the provider did not tell'),
    partial: count.describe('requests that broke off: what was told before'),
    saved: dollars.describe('direct less actual of what was compared and is not capped'),
  })
  .meta({ id: 'LedgerTotals' });

const sums = z.object({
  billed: totals,
  subscription: totals.describe('requests with a subscription: at list price, not billed'),
});

/** Sums of the ledger by something. */
export const ledgerGroups = z.object({
  by: z.enum(['feature', 'session', 'project', 'model', 'day', 'quarter']),
  timeZone: z.string().describe('whose days are summed'),
  rows: z.array(
    sums.extend({
      key: z.string().nullable().describe('null: none, or deleted'),
      name: z.string().nullable(),
    }),
  ),
  lines: z.array(line).describe('by feature, of what was billed'),
  total: sums,
});

/** What is summed, and by what. */
export const ledgerInput = z.object({
  by: z.enum(['feature', 'session', 'project', 'model', 'day', 'quarter']).default('feature'),
  from: z.iso.datetime({ offset: true }).optional().describe('the first moment'),
  to: z.iso.datetime({ offset: true }).optional().describe('the first moment that is out'),
  tz: z.string().max(64).default('UTC').describe('IANA name of the zone whose days are summed'),
  session: z.string().optional(),
  project: z.string().optional(),
  model: z.string().optional(),
});

/** Which requests of the ledger are listed. */
export const ledgerRequestsInput = ledgerInput.omit({ by: true, tz: true }).extend({
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: z.string().nullish(),
});

/** A request of the ledger. */
export const ledgerRequest = z
  .object({
    id: z.string(),
    sessionId: z.string().nullable(),
    at: z.string(),
    model: z.string(),
    agent: z.string(),
    subscription: z.boolean().describe('at list price, not billed'),
    kind: z.enum(['compared', 'capped', 'uncompared', 'unpriced']),
    state: z.enum(['reported', 'partial', 'estimated']),
    calls: count,
    tokens,
    actual: dollars.nullable(),
    direct: dollars.nullable(),
    directTokens: count.nullable(),
    lines: z.array(line),
    firstByteMs: z.number().nullable(),
    ownMs: z.number().nullable().describe('our part of it'),
    layoutMade: z.string().nullable().describe('why a layout was made for it; null: none was'),
  })
  .meta({ id: 'LedgerRequest' });

/** A request with its upstream calls and the prices in force. */
export const ledgerDetail = ledgerRequest.extend({
  upstream: z.array(
    z.object({
      feature: z.string().nullable().describe("null: the client's own"),
      state: z.string(),
      tokens,
      searches: count,
      amount: dollars.nullable(),
      prices: z.unknown().describe('in force when it was booked; nano-dollars for each token'),
    }),
  ),
});

/** Sums as they leave. */
export type WireLedgerGroups = z.infer<typeof ledgerGroups>;
/** Totals as they leave. */
export type WireLedgerTotals = z.infer<typeof totals>;
/** A request as it leaves. */
export type WireLedgerRequest = z.infer<typeof ledgerRequest>;
/** A line as it leaves. */
export type WireLedgerLine = z.infer<typeof line>;

function money(amount: bigint): string {
  return dollarsText(nanoDollars(amount));
}

function linesOf({ compared }: LedgerTotals): WireLedgerLine[] {
  return FEATURES.map((feature) => ({
    feature,
    tokens: compared.lines[feature].tokens,
    amount: money(compared.lines[feature].amount),
  }));
}

function wireTotals(of: LedgerTotals): WireLedgerTotals {
  const { compared, capped, uncompared } = of;
  return {
    requests: of.requests,
    calls: of.calls,
    tokens: { ...of.tokens },
    searches: of.searches,
    actual: money(of.actual),
    compared: {
      requests: compared.requests,
      direct: money(compared.direct),
      directTokens: compared.directTokens,
      actual: money(compared.actual),
      lines: linesOf(of),
    },
    capped: { requests: capped.requests, direct: money(capped.direct), actual: money(capped.actual) },
    uncompared: { requests: uncompared.requests, actual: money(uncompared.actual) },
    unpriced: of.unpriced,
    estimated: of.estimated,
    partial: of.partial,
    saved: money(compared.direct - capped.direct - (compared.actual - capped.actual)),
  };
}

function wireSums({ billed, subscription }: LedgerSums) {
  return { billed: wireTotals(billed), subscription: wireTotals(subscription) };
}

function wireRow(row: LedgerRequest): WireLedgerRequest {
  const isCompared = row.kind === 'compared' || row.kind === 'capped';
  return {
    id: row.id,
    sessionId: row.sessionId,
    at: isoOf(row.at),
    model: row.model,
    agent: row.agent,
    subscription: row.subscription,
    kind: row.kind,
    state: row.state,
    calls: row.calls,
    tokens: { ...row.tokens },
    actual: row.kind === 'unpriced' ? null : money(row.actual),
    direct: isCompared ? money(row.compared.direct) : null,
    directTokens: isCompared ? row.compared.directTokens : null,
    lines: isCompared ? linesOf(row) : [],
    firstByteMs: row.firstByteMs,
    ownMs: row.ownMs,
    layoutMade: row.layoutMade,
  };
}

function wireCall({ feature, state, tokens: used, searches, amount, prices }: LedgerCall) {
  return {
    feature,
    state,
    tokens: { ...used },
    searches,
    amount: amount === null ? null : money(amount),
    prices,
  };
}

type Filters = Omit<z.infer<typeof ledgerRequestsInput>, 'limit' | 'cursor'>;

function filterOf({ from, to, session, project, model }: Filters): LedgerFilter {
  return {
    ...(from === undefined ? {} : { from: Date.parse(from) as Millis }),
    ...(to === undefined ? {} : { to: Date.parse(to) as Millis }),
    ...(session === undefined ? {} : { session: idOf('session', session) }),
    ...(project === undefined ? {} : { project: idOf('project', project) }),
    ...(model === undefined ? {} : { model }),
  };
}

function idOf(what: string, text: string): Uuid {
  if (isUuid(text)) return text;
  throw new ContextModeError('bad_request', `\`${what}\` is no id.`, {
    hint: `Ids of ${what}s stand in the lists of the API; leave it out for all.`,
  });
}

function zoneOf(name: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    throw new ContextModeError('bad_request', 'There is no time zone of this name.', {
      hint: 'Give `tz` an IANA name such as Europe/Berlin, or leave it out for UTC.',
    });
  }
}

/** Where a list of requests goes on: the last row's moment and id. */
function placeOf(cursor: string | null | undefined): { readonly at: Millis; readonly id: Uuid } | null {
  if (cursor === null || cursor === undefined) return null;
  const [at = '', id = ''] = cursor.split('_');
  if (/^\d+$/.test(at) && isUuid(id)) return { at: Number(at) as Millis, id };
  throw new ContextModeError('bad_request', 'This cursor was not given by the list.', {
    hint: 'Begin without a cursor.',
  });
}

/** What requests cost, what their clients' own would have, and what each feature made of it. */
export const ledgerRouter = router({
  sums: reading
    .input(ledgerInput)
    .output(ledgerGroups)
    .query(async ({ ctx, input }) => {
      const { ledger, accountId } = ctx.services;
      const filter = filterOf(input);
      const timeZone = zoneOf(input.tz);
      const by: Grouping | null = input.by === 'feature' ? null : input.by;
      const [total, groups] = await Promise.all([
        ledger.total(accountId, filter),
        by === null ? [] : ledger.groups(accountId, by, filter, timeZone),
      ]);
      return {
        by: input.by,
        timeZone,
        rows: groups.map((group) => ({ key: group.key, name: group.name, ...wireSums(group) })),
        lines: linesOf(total.billed),
        total: wireSums(total),
      };
    }),

  requests: reading
    .input(ledgerRequestsInput)
    .output(pageOf(ledgerRequest))
    .query(async ({ ctx, input }) => {
      const { ledger, accountId } = ctx.services;
      const page = { limit: input.limit + 1, after: placeOf(input.cursor) };
      const rows = await ledger.requests(accountId, filterOf(input), page);
      const shown = rows.slice(0, input.limit);
      const last = shown.at(-1);
      const next = rows.length > input.limit && last !== undefined ? `${last.at}_${last.id}` : null;
      return { items: shown.map(wireRow), next };
    }),

  request: reading
    .input(z.object({ id: z.string() }))
    .output(ledgerDetail)
    .query(async ({ ctx, input }) => {
      const { ledger, accountId } = ctx.services;
      const found = isUuid(input.id) ? await ledger.request(accountId, input.id) : null;
      if (found !== null) return { ...wireRow(found.row), upstream: found.calls.map(wireCall) };
      throw new ContextModeError('not_found', 'The ledger has no request of this id.', {
        hint: 'Requests that the provider refused were not billed. Ids stand at /api/v1/ledger/requests.',
      });
    }),

  unpriced: reading
    .output(z.object({ items: z.array(z.object({ model: z.string(), requests: count })) }))
    .query(async ({ ctx }) => {
      const { ledger, accountId } = ctx.services;
      return { items: (await ledger.unpricedModels(accountId)).map((one) => ({ ...one })) };
    }),
});

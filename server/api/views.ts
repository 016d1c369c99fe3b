import { z } from 'zod';
import type { RequestDetail, RequestView } from '../archive/types.ts';
import { ContextModeError } from '../kernel/errors.ts';
import { isUuid } from '../kernel/ids.ts';
import type { ChainMessage } from '../recall/index.ts';
import { requestInput } from './requests.ts';
import { agentName, itemKind, role, usage } from './schemas.ts';
import type { ApiContext } from './trpc.ts';
import { reading, router } from './trpc.ts';
import { viewMoney } from './view-money.ts';
import { viewPartsOf } from './view-parts.ts';
import { isoOf } from './wire.ts';

const count = z.int();
const dollars = z.string().describe('dollars, nine places');

const stretch = {
  from: count.describe("the client's messages, counted from 0: the first of the stretch"),
  to: count.describe('the one behind its last'),
  items: count,
  bytes: count.describe('of the stored texts'),
};

/** A part of what the model saw, in its order. */
const viewPart = z.discriminatedUnion('is', [
  z.object({ is: z.literal('kept'), ...stretch }),
  z.object({ is: z.literal('left_out'), ...stretch }),
  z.object({
    is: z.literal('changed'),
    what: z.enum(['trimmed', 'filled', 'reasoning_left_out', 'joined']),
    ...stretch,
  }),
  z.object({
    is: z.literal('ours'),
    what: z.enum(['tool', 'head', 'memory', 'index', 'hidden_round']),
    bytes: count,
    record: z.string().nullable().describe('of a hidden round: the id for /requests/{id}/hidden/{record}'),
  }),
  z.object({
    is: z.literal('missing').describe('the archive does not hold the messages of this stretch'),
    was: z.enum(['kept', 'left_out', 'changed']),
  }),
]);

/** One form in which a request went out. */
const form = {
  edited: z.boolean().describe('the model saw something else than the client sent'),
  sent: z.object({
    messages: count.describe("the client's messages that the model got, changed ones among them"),
    bytes: count,
    tokens: count.nullable().describe('estimate of the whole prompt'),
  }),
  limit: count.nullable().describe('context limit in tokens; null: the window is not known'),
  layout: z
    .object({
      message: z.string().describe('for /sessions/{id}/layouts/{message}'),
      madeHere: z.boolean(),
      reason: z.string().nullable(),
      at: z.string().nullable(),
    })
    .nullable()
    .describe('the layout in force; null: none'),
  because: z.string().nullable().describe('why no layout was made, or nothing was put together'),
  unedited: z
    .object({ reason: z.string(), detail: z.string() })
    .nullable()
    .describe("why the client's own bytes went out although something was to change"),
  parts: z.array(viewPart).describe('what the model saw, in its order'),
};

/** What the client sent, what the model saw, and what differs. */
export const requestViews = z
  .object({
    id: z.string(),
    sessionId: z.string().nullable(),
    sessionTitle: z.string().nullable(),
    agent: agentName,
    model: z.string().nullable(),
    kind: z.string(),
    receivedAt: z.string(),
    client: z.object({
      messages: count,
      items: count,
      bytes: count.describe("of the client's whole body, as it was sent"),
      tokens: count.nullable().describe('estimate of the whole prompt'),
    }),
    ...form,
    again: z
      .object({ refused: z.string().describe('too_large, binding or pairing'), ...form })
      .nullable()
      .describe('the form that went out once the provider had refused the first; null: there was none'),
    usage: usage.nullable(),
    money: z
      .object({
        cost: dollars.nullable(),
        leftOut: z.object({ tokens: count, asRead: dollars, asInput: dollars }).nullable(),
        checked: z.string().describe('day on which the list price was last checked'),
      })
      .nullable()
      .describe('null: the model has no price'),
  })
  .meta({ id: 'RequestViews' });

/** Which of a request's messages are read. */
export const viewMessagesInput = z.object({
  id: z.string(),
  from: z.coerce.number().int().min(0).default(0).describe('the first, counted from 0'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  clip: z.coerce.number().int().min(0).max(100_000).default(400).describe('characters of each text at most'),
});

/** Messages as the client sent them, masked. */
export const viewMessages = z.object({
  total: count,
  items: z.array(
    z.object({
      at: count.describe('counted from 0'),
      role,
      seenAt: z.string(),
      items: z.array(
        z.object({
          docid: z.string(),
          kind: itemKind,
          tool: z.string().nullable(),
          mainInput: z.string().nullable(),
          isError: z.boolean(),
          text: z.string(),
          length: count.describe('characters of the whole text'),
          masked: z.boolean(),
          media: count,
        }),
      ),
    }),
  ),
});

/** A hidden round of a request. */
export const hiddenInput = z.object({ id: z.string(), record: z.string() });

/** The calls of a hidden round, as they were sent. */
export const hiddenRound = z.object({
  calls: z
    .array(z.object({ input: z.string(), result: z.string().nullable() }))
    .describe('empty: what it showed was deleted'),
});

/** Views as they leave. */
export type WireViews = z.infer<typeof requestViews>;
/** A form of a request as it leaves. */
type WireForm = Omit<NonNullable<WireViews['again']>, 'refused'>;
/** A part of a view as it leaves. */
export type WireViewPart = WireViews['parts'][number];
/** A message of a view as it leaves. */
export type WireViewMessage = z.infer<typeof viewMessages>['items'][number];

async function detailOf({ services }: ApiContext, text: string): Promise<RequestDetail> {
  const found = isUuid(text) ? await services.archive.getRequest(services.accountId, text) : null;
  if (found !== null) return found;
  throw new ContextModeError('not_found', 'There is no request with this id.', {
    hint: 'It may have been deleted with its session. Request ids stand in the lists at /api/v1/requests.',
  });
}

async function viewsOf(ctx: ApiContext, text: string): Promise<WireViews> {
  const { archive, layouts, accountId } = ctx.services;
  const row = await detailOf(ctx, text);
  const { view, sessionId } = row;
  const [chain, session] = await Promise.all([
    layouts.chain(accountId, row.id),
    sessionId === null ? null : archive.getSession(accountId, sessionId),
  ]);
  const again = view?.again ?? null;
  const [first, second] = await Promise.all([
    formOf(ctx, row, view, chain),
    again === null ? null : formOf(ctx, row, again.view, chain),
  ]);
  // What was paid is for the form that the provider took.
  const paid = again?.view ?? view;
  return {
    id: row.id,
    sessionId,
    sessionTitle: session?.title ?? null,
    agent: row.agent,
    model: row.model,
    kind: row.kind,
    receivedAt: isoOf(row.receivedAt),
    ...first,
    again: second === null || again === null ? null : { refused: again.refused, ...second },
    client: {
      messages: chain.length,
      items: chain.reduce((sum, one) => sum + one.items, 0),
      bytes: row.requestBytes,
      tokens: view?.tokens.client || null,
    },
    usage: row.usage,
    money: viewMoney({
      model: row.model,
      at: row.receivedAt,
      usage: row.usage,
      tokens: paid !== null && paid.runs.length > 0 ? paid.tokens : null,
    }),
  };
}

/** A form in which a request went out, beside the client's messages. @param view null: as the client sent it */
async function formOf(
  { services }: ApiContext,
  { sessionId, requestBytes }: RequestDetail,
  view: RequestView | null,
  chain: readonly ChainMessage[],
): Promise<WireForm> {
  const { layouts, accountId } = services;
  const layout =
    sessionId === null || view === null || view.layout === null
      ? null
      : await layouts.layout(accountId, sessionId, view.layout);
  const parts = viewPartsOf(view, chain);
  const left = parts.reduce((sum, part) => (part.is === 'left_out' ? sum + part.to - part.from : sum), 0);
  return {
    edited: (view?.runs.length ?? 0) > 0,
    sent: {
      messages: chain.length - left,
      bytes: view?.sentBytes ?? requestBytes,
      tokens: view?.tokens.sent || null,
    },
    limit: view?.tokens.limit ?? null,
    layout:
      view === null || view.layout === null
        ? null
        : {
            message: view.layout,
            madeHere: view.made !== null,
            reason: layout?.reason ?? view.made,
            at: layout === null ? null : isoOf(layout.at),
          },
    because: view === null ? 'as_sent' : view.because,
    unedited: view?.unedited ?? null,
    parts: [...parts],
  };
}

/** What the model saw of a request, beside what its client sent. */
export const viewsRouter = router({
  get: reading
    .input(requestInput)
    .output(requestViews)
    .query(({ ctx, input }) => viewsOf(ctx, input.id)),

  messages: reading
    .input(viewMessagesInput)
    .output(viewMessages)
    .query(async ({ ctx, input }) => {
      const { layouts, accountId } = ctx.services;
      const row = await detailOf(ctx, input.id);
      const chain = await layouts.chain(accountId, row.id);
      const wanted = chain.slice(input.from, input.from + input.limit).map(({ hash }) => hash);
      const found = await layouts.messages(accountId, wanted, input.clip);
      const places = new Map(wanted.map((hash, at) => [hash, input.from + at]));
      return {
        total: chain.length,
        items: found.map(({ hash, role, at, items }) => ({
          at: places.get(hash) ?? input.from,
          role,
          seenAt: isoOf(at),
          items: items.map((item) => ({ ...item })),
        })),
      };
    }),

  hidden: reading
    .input(hiddenInput)
    .output(hiddenRound)
    .query(async ({ ctx, input }) => {
      await detailOf(ctx, input.id);
      const { layouts, accountId } = ctx.services;
      const calls = isUuid(input.record) ? await layouts.hiddenRound(accountId, input.record) : null;
      if (calls !== null) return { calls: calls.map((call) => ({ ...call })) };
      throw new ContextModeError('not_found', 'This request has no hidden round of that id.', {
        hint: 'The ids stand in the `record` of the parts at /requests/{id}/views.',
      });
    }),
});

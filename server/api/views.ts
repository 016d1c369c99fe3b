import { z } from 'zod';
import type { RequestDetail } from '../archive/types.ts';
import { ContextModeError } from '../kernel/errors.ts';
import { isUuid } from '../kernel/ids.ts';
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
    edited: z.boolean().describe('the model saw something else than the client sent'),
    client: z.object({
      messages: count,
      items: count,
      bytes: count.describe("of the client's whole body, as it was sent"),
      tokens: count.nullable().describe('estimate of the whole prompt'),
    }),
    sent: z.object({
      messages: count.describe("the client's messages that the model got, changed ones among them"),
      bytes: count,
      tokens: count.nullable().describe('estimate of the whole prompt'),
    }),
    limit: count.nullable().describe('context limit in tokens; null: the window is not known'),
    usage: usage.nullable(),
    layout: z
      .object({
        message: z.string().describe('for /sessions/{id}/layouts/{message}'),
        madeHere: z.boolean(),
        reason: z.string().nullable(),
        at: z.string().nullable(),
      })
      .nullable()
      .describe('the layout in force; null: none'),
    because: z.string().nullable().describe('why no layout was made'),
    unedited: z
      .object({ reason: z.string(), detail: z.string() })
      .nullable()
      .describe("why the client's own bytes went out although something was to change"),
    money: z
      .object({
        cost: dollars.nullable(),
        leftOut: z.object({ tokens: count, asRead: dollars, asInput: dollars }).nullable(),
        checked: z.string().describe('day on which the list price was last checked'),
      })
      .nullable()
      .describe('null: the model has no price'),
    parts: z.array(viewPart).describe('what the model saw, in its order'),
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
  const [chain, session, layout] = await Promise.all([
    layouts.chain(accountId, row.id),
    sessionId === null ? null : archive.getSession(accountId, sessionId),
    sessionId === null || view === null || view.layout === null
      ? null
      : layouts.layout(accountId, sessionId, view.layout),
  ]);
  const parts = viewPartsOf(view, chain);
  const left = parts.reduce((sum, part) => (part.is === 'left_out' ? sum + part.to - part.from : sum), 0);
  const edited = (view?.runs.length ?? 0) > 0;
  return {
    id: row.id,
    sessionId,
    sessionTitle: session?.title ?? null,
    agent: row.agent,
    model: row.model,
    kind: row.kind,
    receivedAt: isoOf(row.receivedAt),
    edited,
    client: {
      messages: chain.length,
      items: chain.reduce((sum, one) => sum + one.items, 0),
      bytes: row.requestBytes,
      tokens: view?.tokens.client || null,
    },
    sent: {
      messages: chain.length - left,
      bytes: view?.sentBytes ?? row.requestBytes,
      tokens: view?.tokens.sent || null,
    },
    limit: view?.tokens.limit ?? null,
    usage: row.usage,
    layout:
      view === null || view.layout === null
        ? null
        : {
            message: view.layout,
            madeHere: view.made !== null,
            reason: layout?.reason ?? view.made,
            at: layout === null ? null : isoOf(layout.at),
          },
    because: view?.because ?? null,
    unedited: view?.unedited ?? null,
    money: viewMoney({
      model: row.model,
      at: row.receivedAt,
      usage: row.usage,
      tokens: edited && view !== null ? view.tokens : null,
    }),
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

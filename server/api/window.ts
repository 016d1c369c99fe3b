import { z } from 'zod';
import { ContextModeError } from '../kernel/errors.ts';
import type { LayoutDetail, LayoutRow, UndoResult } from '../recall/index.ts';
import {
  changeRecall,
  recallState,
  recallStateOf,
  sessionRecallChanges,
  sessionScope,
} from './recall-settings.ts';
import { sessionIdOf, sessionInput } from './sessions.ts';
import { changing, reading, router } from './trpc.ts';
import { previewMoney } from './view-money.ts';
import { isoOf } from './wire.ts';

const count = z.int();
const dollars = z.string().describe('dollars, nine places');

/** A layout of a session, as the list of its window shows it. */
export const layout = z
  .object({
    message: z.string().describe('its name: the message at which it was made'),
    thread: z.string().describe('`main`, or the id of a sub-agent'),
    reason: z
      .string()
      .describe('`pause`, `window`, `cost`, `person`, `undo`, `too_large`, `fallback` or `unseen`'),
    at: z.string(),
    tokensBefore: count.describe('estimate of the prompt before it'),
    tokensAfter: count.describe('and behind it'),
    content: z
      .object({
        boundary: z.string().describe('oldest message that stayed'),
        boundarySeq: count.nullable().describe("where it stands in the session's log"),
        indexTokens: count,
        hasMemory: z.boolean(),
        settings: z.object({
          keepRecent: z.union([z.string(), z.number()]),
          contextLimit: z.number().nullable(),
          minGain: z.number(),
          timeZone: z.string(),
        }),
        renderer: count,
      })
      .nullable()
      .describe("null: the client's own bytes went out from here on"),
    choices: z.object({ tool: count.nullable(), trimming: count.nullable() }),
  })
  .meta({ id: 'Layout' });

/** All layouts of a session. */
export const layouts = z.object({ items: z.array(layout) });

/** A layout by session and message. */
export const layoutInput = z.object({ id: z.string(), message: z.string() });

/** A layout with its texts. */
export const layoutDetail = layout.extend({
  index: z.string().nullable().describe('null: there is none, or typed words of it were deleted'),
  masked: count.describe('typed texts that are masked here, and were sent as they were typed'),
  memory: z.string().nullable(),
  left: count.describe('messages in front of the boundary'),
});

/** What the next layout would be. */
export const layoutPreview = z.object({
  preview: z
    .object({
      model: z.string(),
      tokensNow: count.describe('estimated tokens of the prompt as it is'),
      tokensThen: count.describe('and under the new layout'),
      limit: count.nullable(),
      indexTokens: count,
      leaves: count.describe('messages that would leave the view'),
      due: z.string().nullable().describe('what would make it at the next request; null: nothing is due'),
      keepRecent: z.union([z.string(), z.number()]),
      money: z
        .object({
          readNow: dollars,
          readThen: dollars,
          write: dollars.describe('at most: the whole new prompt'),
          breakEven: count
            .nullable()
            .describe('requests after which the cheaper reads have paid the writing'),
          checked: z.string(),
        })
        .nullable()
        .describe('null: the model has no price'),
    })
    .nullable()
    .describe('null: there is nothing to lay out'),
});

/** What became of a wish to take a layout back. */
export const undoneLayout = z.object({
  undone: z.boolean(),
  reason: z.string().nullable().describe('a sentence that says why not'),
});

/** A layout as it leaves. */
export type WireLayout = z.infer<typeof layout>;
/** A layout with its texts as it leaves. */
export type WireLayoutDetail = z.infer<typeof layoutDetail>;
/** A preview as it leaves. */
export type WireLayoutPreview = NonNullable<z.infer<typeof layoutPreview>['preview']>;

/** What of a session's settings is set anew. */
export const sessionSettingsInput = sessionRecallChanges.extend({ id: z.string() });

function wireLayout(row: LayoutRow): WireLayout {
  const { content } = row;
  return {
    message: row.message,
    thread: row.thread,
    reason: row.reason,
    at: isoOf(row.at),
    tokensBefore: row.tokensBefore,
    tokensAfter: row.tokensAfter,
    content: content === null ? null : { ...content, settings: { ...content.settings } },
    choices: { tool: row.choices.tool, trimming: row.choices.trimming },
  };
}

function wireDetail(found: LayoutDetail): WireLayoutDetail {
  const { index, masked, memory, left } = found;
  return { ...wireLayout(found), index, masked, memory, left };
}

/** Why a layout was not taken back, in a sentence. */
export function refusalOfUndo(result: UndoResult): string | null {
  if (result.undone) return null;
  switch (result.why) {
    case 'nothing':
      return 'No layout is in force, so there is nothing to take back.';
    case 'over_limit':
      return (
        `Without it the prompt would have about ${result.tokens} tokens (an estimate), ` +
        `more than the limit of ${result.limit}.`
      );
    case 'unknown_state':
      return 'The conversation is not known well enough at the moment: its next request makes it so.';
    case 'busy':
      return 'The database did not answer in time. Try again in a moment.';
  }
}

/** The window of a session: its layouts, the next one, and its settings. */
export const windowRouter = router({
  layouts: reading
    .input(sessionInput)
    .output(layouts)
    .query(async ({ ctx, input }) => {
      const found = await ctx.services.layouts.layouts(ctx.services.accountId, sessionIdOf(input.id));
      return { items: found.map(wireLayout) };
    }),

  layout: reading
    .input(layoutInput)
    .output(layoutDetail)
    .query(async ({ ctx, input }) => {
      const { layouts: reader, accountId } = ctx.services;
      const isHash = /^[0-9a-f]{64}$/.test(input.message);
      const found = isHash ? await reader.layout(accountId, sessionIdOf(input.id), input.message) : null;
      if (found !== null) return wireDetail(found);
      throw new ContextModeError('not_found', 'This session has no layout of that name.', {
        hint: 'The names stand in the `message` of the items at /sessions/{id}/layouts.',
      });
    }),

  preview: reading
    .input(sessionInput)
    .output(layoutPreview)
    .query(async ({ ctx, input }) => {
      const found = await ctx.services.recall.preview(sessionIdOf(input.id));
      if (found === null) return { preview: null };
      const { model, tokensNow, tokensThen, limit, indexTokens, leaves, due, settings, cacheMark } = found;
      const at = ctx.services.clock.now();
      const money = previewMoney({ model, at, tokensNow, tokensThen, cacheMark });
      const { keepRecent } = settings;
      return {
        preview: { model, tokensNow, tokensThen, limit, indexTokens, leaves, due, keepRecent, money },
      };
    }),

  undo: changing
    .input(sessionInput)
    .output(undoneLayout)
    .mutation(async ({ ctx, input }) => {
      const result = await ctx.services.recall.undo(sessionIdOf(input.id));
      return { undone: result.undone, reason: refusalOfUndo(result) };
    }),

  settings: reading
    .input(sessionInput)
    .output(recallState)
    .query(async ({ ctx, input }) => recallStateOf(ctx, await sessionScope(ctx, input.id))),

  updateSettings: changing
    .input(sessionSettingsInput)
    .output(recallState)
    .mutation(async ({ ctx, input: { id, ...given } }) =>
      changeRecall(ctx, await sessionScope(ctx, id), given),
    ),
});

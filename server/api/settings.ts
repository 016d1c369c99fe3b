import { z } from 'zod';
import { deleted, plan, planned, plannedIn, undo, undone } from './deletions.ts';
import { accountScope, changeRecall, recallChanges, recallState, recallStateOf } from './recall-settings.ts';
import { retention } from './retention.ts';
import type { ApiContext } from './trpc.ts';
import { changing, reading, router } from './trpc.ts';
import { isoOf } from './wire.ts';

/** What is set for the account, and how much room its archive takes. */
export const accountSettings = recallState.extend({
  retention,
  overdue: z.int().describe('sessions that are older than they are kept and will be deleted'),
  databaseBytes: z.int().describe('the whole database on disk, without its log'),
  freeBytes: z.int().nullable().describe('free where the archive lies; null: the system does not tell'),
  leastFreeBytes: z.int().describe('below it new sessions pass unrecorded; 0: never'),
  deletesAt: z.string().nullable().describe('set while the deletion of the whole archive waits'),
});

/** The account's settings as they leave. */
export type WireAccountSettings = z.infer<typeof accountSettings>;

/** What of the account's settings is set anew; what is left out stays. */
export const settingsInput = recallChanges.extend({ retention: retention.optional() });

async function settingsOf(ctx: ApiContext): Promise<z.infer<typeof accountSettings>> {
  const { keeper, accountId, clock, env } = ctx.services;
  const [recall, said, databaseBytes, freeBytes, all] = await Promise.all([
    recallStateOf(ctx, accountScope(ctx)),
    keeper.retention(accountId, clock.now()),
    keeper.databaseBytes(),
    ctx.services.freeBytes(),
    plannedIn(ctx),
  ]);
  const due = all.get(accountId);
  return {
    ...recall,
    retention: said.account,
    overdue: said.due,
    databaseBytes,
    freeBytes,
    leastFreeBytes: env.leastFreeBytes,
    deletesAt: due === undefined ? null : isoOf(due),
  };
}

/** What a person sets for the account, and the deletion of all of its archive. */
export const settingsRouter = router({
  get: reading.output(accountSettings).query(({ ctx }) => settingsOf(ctx)),

  update: changing
    .input(settingsInput)
    .output(accountSettings)
    .mutation(async ({ ctx, input: { retention: kept, ...recall } }) => {
      const { keeper, accountId, clock } = ctx.services;
      await changeRecall(ctx, accountScope(ctx), recall);
      if (kept !== undefined) await keeper.setRetention(accountId, accountId, kept, clock.now());
      return settingsOf(ctx);
    }),

  /** Deletes everything at once: for scripts, which ask on purpose. */
  deleteArchive: changing.output(deleted).mutation(async ({ ctx }) => {
    const { keeper, accountId, clock } = ctx.services;
    await keeper.deleteArchive(accountId, clock.now());
    return { deleted: true };
  }),

  /** Deletes everything after a wait in which `undoArchiveDeletion` takes it back: for the console. */
  planArchiveDeletion: changing
    .output(planned)
    .mutation(({ ctx }) => plan(ctx, { kind: 'archive', subject: ctx.services.accountId })),

  undoArchiveDeletion: changing.output(undone).mutation(({ ctx }) => undo(ctx, ctx.services.accountId)),
});

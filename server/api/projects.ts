import { z } from 'zod';
import { ContextModeError } from '../kernel/errors.ts';
import { isUuid, type Uuid } from '../kernel/ids.ts';
import { deleted, plan, planned, plannedIn, undo, undone } from './deletions.ts';
import { changeRecall, projectScope, recallChanges, recallState, recallStateOf } from './recall-settings.ts';
import { retention } from './retention.ts';
import { project } from './schemas.ts';
import { type ApiContext, changing, reading, router } from './trpc.ts';
import { isoOf } from './wire.ts';

/** A project by its id. */
export const projectInput = z.object({ id: z.string() });

const projectRetention = z
  .union([retention, z.literal('account')])
  .describe('`account`: as the account says');

/** What is set for a project: how long its sessions are kept, and Recall. */
export const projectSettingsInput = recallChanges.extend({
  id: z.string(),
  retention: projectRetention.optional(),
});

/** What holds for a project. */
export const projectSettings = recallState.extend({ retention: projectRetention });

/** A project with what was set for it. */
const projectWithSettings = project.extend({
  retention: projectRetention,
  deletesAt: z.string().nullable().describe('set while a deletion waits and can be undone'),
});

/** A project as it leaves. */
export type WireProject = z.infer<typeof projectWithSettings>;

/** All projects of the account, each with what was set for it. */
export const projectPage = z.object({ items: z.array(projectWithSettings) });

function projectIdOf(text: string): Uuid {
  if (isUuid(text)) return text;
  throw noProject();
}

function noProject(): ContextModeError {
  return new ContextModeError('not_found', 'There is no project with this id.', {
    hint: 'It may have been deleted. The projects are listed at /api/v1/projects.',
  });
}

async function settingsOf(ctx: ApiContext, text: string): Promise<z.infer<typeof projectSettings>> {
  const { keeper, accountId, clock } = ctx.services;
  const [recall, said] = await Promise.all([
    recallStateOf(ctx, await projectScope(ctx, text)),
    keeper.retention(accountId, clock.now()),
  ]);
  return { ...recall, retention: said.projects.get(projectIdOf(text)) ?? 'account' };
}

/** Projects, what is set for them, and their deletion. */
export const projectsRouter = router({
  list: reading.output(projectPage).query(async ({ ctx }) => {
    const { archive, keeper, accountId, clock } = ctx.services;
    const [projects, all, said] = await Promise.all([
      archive.listProjects(accountId),
      plannedIn(ctx),
      keeper.retention(accountId, clock.now()),
    ]);
    const items = projects.map((one) => {
      const due = all.get(one.id) ?? all.get(accountId);
      return {
        ...one,
        retention: said.projects.get(one.id) ?? ('account' as const),
        deletesAt: due === undefined ? null : isoOf(due),
      };
    });
    return { items };
  }),

  /** Deletes at once: for scripts, which ask on purpose. */
  delete: changing
    .input(projectInput)
    .output(deleted)
    .mutation(async ({ ctx, input }) => {
      const { keeper, accountId, clock } = ctx.services;
      if (!(await keeper.deleteProject(accountId, projectIdOf(input.id), clock.now()))) throw noProject();
      return { deleted: true };
    }),

  /** Deletes after a wait in which `undoDeletion` takes it back: for the console. */
  planDeletion: changing
    .input(projectInput)
    .output(planned)
    .mutation(({ ctx, input }) => plan(ctx, { kind: 'project', subject: projectIdOf(input.id) })),

  undoDeletion: changing
    .input(projectInput)
    .output(undone)
    .mutation(({ ctx, input }) => undo(ctx, projectIdOf(input.id))),

  settings: reading
    .input(projectInput)
    .output(projectSettings)
    .query(({ ctx, input }) => settingsOf(ctx, input.id)),

  update: changing
    .input(projectSettingsInput)
    .output(projectSettings)
    .mutation(async ({ ctx, input: { id, retention: kept, ...recall } }) => {
      const { keeper, accountId, clock } = ctx.services;
      if (kept !== undefined) {
        const value = kept === 'account' ? null : kept;
        if (!(await keeper.setRetention(accountId, projectIdOf(id), value, clock.now()))) throw noProject();
      }
      await changeRecall(ctx, await projectScope(ctx, id), recall);
      return settingsOf(ctx, id);
    }),
});

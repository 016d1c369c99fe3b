import { z } from 'zod';
import { ContextModeError } from '../kernel/errors.ts';
import { isUuid, type Uuid } from '../kernel/ids.ts';
import { deleted, plan, planned, plannedIn, undo, undone } from './deletions.ts';
import { retention } from './retention.ts';
import { project } from './schemas.ts';
import { changing, reading, router } from './trpc.ts';
import { isoOf } from './wire.ts';

/** A project by its id. */
export const projectInput = z.object({ id: z.string() });

/** What is set for a project: how long its sessions are kept. */
export const projectSettingsInput = z.object({
  id: z.string(),
  retention: z.union([retention, z.literal('account')]).describe('`account`: as the account says'),
});

/** A project with what was set for it. */
const projectWithSettings = project.extend({
  retention: z.union([retention, z.literal('account')]),
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

  update: changing
    .input(projectSettingsInput)
    .output(z.object({ retention: projectSettingsInput.shape.retention }))
    .mutation(async ({ ctx, input }) => {
      const { keeper, accountId, clock } = ctx.services;
      const value = input.retention === 'account' ? null : input.retention;
      const set = await keeper.setRetention(accountId, projectIdOf(input.id), value, clock.now());
      if (!set) throw noProject();
      return { retention: input.retention };
    }),
});

import { z } from 'zod';
import type { RequestRow } from '../archive/types.ts';
import { ContextModeError } from '../kernel/errors.ts';
import { isUuid } from '../kernel/ids.ts';
import { pageOf, request } from './schemas.ts';
import { sessionIdOf } from './sessions.ts';
import type { ApiContext } from './trpc.ts';
import { reading, router } from './trpc.ts';
import { wirePage, wireRequest } from './wire.ts';

/** Which requests are listed, and from where on. */
export const listRequestsInput = z.object({
  session: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  cursor: z.string().nullish(),
});

/** A request by its id. */
export const requestInput = z.object({ id: z.string() });

/** Turns rows as they leave: with what Recall did to each. */
async function wireOf({ services }: ApiContext, rows: readonly RequestRow[]) {
  const marks = await services.layouts.marks(
    services.accountId,
    rows.map(({ id }) => id),
  );
  return (row: RequestRow) => wireRequest(row, marks.get(row.id) ?? null);
}

/** Requests through the doors, newest first. */
export const requestsRouter = router({
  list: reading
    .input(listRequestsInput)
    .output(pageOf(request))
    .query(async ({ ctx, input }) => {
      const page = await ctx.services.archive.listRequests(ctx.services.accountId, {
        limit: input.limit,
        ...(input.session === undefined ? {} : { sessionId: sessionIdOf(input.session) }),
        ...(input.cursor === undefined || input.cursor === null ? {} : { cursor: input.cursor }),
      });
      return wirePage(page, await wireOf(ctx, page.items));
    }),

  get: reading
    .input(requestInput)
    .output(request)
    .query(async ({ ctx, input }) => {
      const found = isUuid(input.id)
        ? await ctx.services.archive.getRequest(ctx.services.accountId, input.id)
        : null;
      if (found !== null) return (await wireOf(ctx, [found]))(found);
      throw new ContextModeError('not_found', 'There is no request with this id.', {
        hint: 'Request ids stand in the x-context-mode-request-id header of each answer.',
      });
    }),
});

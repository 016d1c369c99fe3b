import { z } from 'zod';
import { ContextModeError } from '../kernel/errors.ts';
import { isUuid } from '../kernel/ids.ts';
import { pageOf, request } from './schemas.ts';
import { sessionIdOf } from './sessions.ts';
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
      return wirePage(page, wireRequest);
    }),

  get: reading
    .input(requestInput)
    .output(request)
    .query(async ({ ctx, input }) => {
      const found = isUuid(input.id)
        ? await ctx.services.archive.getRequest(ctx.services.accountId, input.id)
        : null;
      if (found !== null) return wireRequest(found);
      throw new ContextModeError('not_found', 'There is no request with this id.', {
        hint: 'Request ids stand in the x-context-mode-request-id header of each answer.',
      });
    }),
});

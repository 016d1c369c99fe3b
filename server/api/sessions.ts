import { z } from 'zod';
import type { SessionRow } from '../archive/types.ts';
import type { Millis } from '../kernel/clock.ts';
import { ContextModeError } from '../kernel/errors.ts';
import { isUuid, type Uuid } from '../kernel/ids.ts';
import { deleted, type Planned, plan, planned, plannedIn, undo, undone, whenGoes } from './deletions.ts';
import { agentName, logMatches, logPage, logRow, pageOf, project, session } from './schemas.ts';
import type { ApiContext } from './trpc.ts';
import { changing, reading, router } from './trpc.ts';
import { wireLogRow, wirePage, wireSession } from './wire.ts';

const moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text) as Millis);

/** Which sessions are listed, and from where on. */
export const listSessionsInput = z.object({
  agent: agentName.optional(),
  project: z.string().optional(),
  q: z.string().max(500).optional().describe('words in the title'),
  from: moment.optional(),
  to: moment.optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  cursor: z.string().nullish(),
});

/** A session by its id. */
export const sessionInput = z.object({ id: z.string() });

/** Which rows of a session's log are read, and how many characters of each. */
export const logInput = z.object({
  id: z.string(),
  match: z.string().max(1000).optional().describe('sought anywhere in a row'),
  matchMode: z
    .enum(['like', 'literal'])
    .default('like')
    .describe(
      '`like`: `match` is a pattern of SQL LIKE, ASCII case ignored; `literal`: as it is written, any case',
    ),
  kinds: z.string().optional().describe('comma-separated'),
  before: z.coerce.number().int().optional(),
  after: z.coerce.number().int().optional(),
  limit: z.coerce.number().int().min(1).max(5000).default(200),
  clip: z.coerce
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(4000)
    .describe('characters of each body at most'),
});

/** What is looked for in a session's log. */
export const matchesInput = z.object({
  id: z.string(),
  q: z.string().min(1).max(1000).describe('sought as it is written, in any case'),
  after: z.coerce.number().int().optional().describe('only rows behind this log position'),
  limit: z.coerce.number().int().min(1).max(10_000).default(5000),
});

/** A row of a session's log by its position. */
export const logEntryInput = z.object({ id: z.string(), seq: z.coerce.number().int() });

/** The id as one of ours. @throws ContextModeError `not_found` for a text that is no id at all. */
export function sessionIdOf(text: string): Uuid {
  if (isUuid(text)) return text;
  throw noSession();
}

function noSession(): ContextModeError {
  return new ContextModeError('not_found', 'There is no session with this id.', {
    hint: 'It may have been deleted. The list of sessions is at /archive.',
  });
}

async function sessionOf(ctx: ApiContext, text: string): Promise<SessionRow> {
  const found = await ctx.services.archive.getSession(ctx.services.accountId, sessionIdOf(text));
  if (found === null) throw noSession();
  return found;
}

const wire = (ctx: ApiContext, all: Planned) => (row: SessionRow) =>
  wireSession(row, whenGoes(ctx, all, row));

/** Sessions, their logs, and their deletion. */
export const sessionsRouter = router({
  list: reading
    .input(listSessionsInput)
    .output(pageOf(session))
    .query(async ({ ctx, input }) => {
      const { agent, project: projectId, q, from, to, limit, cursor } = input;
      const page = await ctx.services.archive.listSessions(ctx.services.accountId, {
        limit,
        ...(agent === undefined ? {} : { agent }),
        ...(projectId === undefined || !isUuid(projectId) ? {} : { projectId }),
        ...(q === undefined || q === '' ? {} : { text: q }),
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
        ...(cursor === undefined || cursor === null ? {} : { cursor }),
      });
      return wirePage(page, wire(ctx, await plannedIn(ctx)));
    }),

  get: reading
    .input(sessionInput)
    .output(session)
    .query(async ({ ctx, input }) => wire(ctx, await plannedIn(ctx))(await sessionOf(ctx, input.id))),

  projects: reading.output(z.object({ items: z.array(project) })).query(async ({ ctx }) => ({
    items: [...(await ctx.services.archive.listProjects(ctx.services.accountId))],
  })),

  log: reading
    .input(logInput)
    .output(logPage)
    .query(async ({ ctx, input }) => {
      const { id, match, matchMode, kinds, before, after, limit, clip } = input;
      await sessionOf(ctx, id);
      const page = await ctx.services.archive.readLog(ctx.services.accountId, sessionIdOf(id), {
        limit,
        clip,
        ...(match === undefined || match === '' ? {} : { match }),
        ...(matchMode === 'like' ? {} : { matchMode }),
        ...(kinds === undefined || kinds === '' ? {} : { kinds: kinds.split(',') }),
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      });
      return { matched: page.matched, showing: page.showing, rows: page.rows.map(wireLogRow) };
    }),

  matches: reading
    .input(matchesInput)
    .output(logMatches)
    .query(async ({ ctx, input }) => {
      const { id, q, after, limit } = input;
      await sessionOf(ctx, id);
      const found = await ctx.services.archive.findMatches(ctx.services.accountId, sessionIdOf(id), {
        text: q,
        limit,
        ...(after === undefined ? {} : { after }),
      });
      return { ...found, items: [...found.items] };
    }),

  logEntry: reading
    .input(logEntryInput)
    .output(logRow)
    .query(async ({ ctx, input }) => {
      const found = await ctx.services.archive.readEvent(
        ctx.services.accountId,
        sessionIdOf(input.id),
        input.seq,
      );
      if (found !== null) return wireLogRow(found);
      throw new ContextModeError('not_found', `This session has no event at position ${input.seq}.`, {
        hint: 'Positions count from the beginning of the session without gaps.',
      });
    }),

  /** Deletes at once: for scripts, which ask on purpose. */
  delete: changing
    .input(sessionInput)
    .output(deleted)
    .mutation(async ({ ctx, input }) => {
      const { archive, accountId, clock } = ctx.services;
      if (!(await archive.deleteSession(accountId, sessionIdOf(input.id), clock.now()))) throw noSession();
      return { deleted: true };
    }),

  /** Deletes after a wait in which `undoDeletion` takes it back: for the console. */
  planDeletion: changing
    .input(sessionInput)
    .output(planned)
    .mutation(({ ctx, input }) => plan(ctx, { kind: 'session', subject: sessionIdOf(input.id) })),

  undoDeletion: changing
    .input(sessionInput)
    .output(undone)
    .mutation(({ ctx, input }) => undo(ctx, sessionIdOf(input.id))),
});

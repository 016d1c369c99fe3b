import { z } from 'zod';
import type { SearchAnswer, SearchFilter, SearchHit } from '../archive/types.ts';
import type { Millis } from '../kernel/clock.ts';
import { ContextModeError } from '../kernel/errors.ts';
import { isUuid, type Uuid } from '../kernel/ids.ts';
import { itemKind, pageOf, role, searchHit, type WireSearchHit } from './schemas.ts';
import { type ApiContext, reading, router } from './trpc.ts';
import { isoOf } from './wire.ts';

const moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text) as Millis);
const filled = z.string().max(1000).optional();

/** What a search takes: the words, and filters that must all fit. */
export const searchInput = z.object({
  q: z.string().max(2000).describe('words in any order; "a phrase", -not, prefix*'),
  session: filled.describe('id of a session'),
  project: filled.describe('id of a project'),
  thread: filled.describe('`main`, or the id of a sub-agent'),
  kind: filled.describe('comma-separated, such as `input,answer`'),
  role: role.optional(),
  tool: filled.describe('name of a tool'),
  path: filled.describe("a file's path, or the end of one"),
  from: moment.optional(),
  to: moment.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  cursor: z.string().nullish(),
});

/** A page of hits, best first, and what should be known of how it came about. */
export const searchAnswer = pageOf(searchHit).extend({
  notes: z.array(z.string()).describe('sentences for a person'),
});

/** The store's filter of a call. @throws ContextModeError `bad_request` for a kind or an id that is none. */
export function searchFilterOf(input: z.output<typeof searchInput>): SearchFilter {
  const { q, session, project, thread, kind, role, tool, path, from, to, limit, cursor } = input;
  return {
    q,
    limit,
    ...(given(session) ? { sessionId: idOf('session', session) } : {}),
    ...(given(project) ? { projectId: idOf('project', project) } : {}),
    ...(given(thread) ? { thread } : {}),
    ...(given(kind) ? { kinds: kindsOf(kind) } : {}),
    ...(role === undefined ? {} : { role }),
    ...(given(tool) ? { tool } : {}),
    ...(given(path) ? { path } : {}),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(cursor === undefined || cursor === null ? {} : { cursor }),
  };
}

function given(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

function idOf(what: string, text: string): Uuid {
  if (isUuid(text)) return text;
  throw new ContextModeError('bad_request', `\`${text}\` is not the id of a ${what}.`, {
    hint: `The ids of ${what}s stand in the answers of /api/v1/sessions.`,
  });
}

function kindsOf(text: string): SearchFilter['kinds'] & object {
  return text.split(',').map((word) => {
    const known = itemKind.safeParse(word.trim());
    if (known.success) return known.data;
    throw new ContextModeError('bad_request', `There is no kind \`${word.trim()}\`.`, {
      hint: `The kinds are: ${itemKind.options.join(', ')}.`,
    });
  });
}

/** Looks for documents in the whole archive. @throws ContextModeError `bad_request` for words that cannot be read. */
export function findIn(ctx: ApiContext, input: z.output<typeof searchInput>): Promise<SearchAnswer> {
  return ctx.services.archive.search(ctx.services.accountId, searchFilterOf(input));
}

/** A hit as it leaves. */
export function wireSearchHit(hit: SearchHit): WireSearchHit {
  const { snippet } = hit;
  return {
    ...hit,
    at: isoOf(hit.at),
    snippet: { text: snippet.text, marks: snippet.marks.map(([start, end]) => [start, end]) },
  };
}

/** Search over everything that is archived. */
export const searchRouter = router({
  find: reading
    .input(searchInput)
    .output(searchAnswer)
    .query(async ({ ctx, input }) => {
      const { items, next, notes } = await findIn(ctx, input);
      return { items: items.map(wireSearchHit), next, notes: [...notes] };
    }),
});

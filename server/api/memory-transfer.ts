import { z } from 'zod';
import type { Millis } from '../kernel/clock.ts';
import { ContextModeError } from '../kernel/errors.ts';
import { isUuid } from '../kernel/ids.ts';
import type { FactDraft, Refusal, Scope } from '../memory/index.ts';
import { attachment, type FileEndpoint, INERT, linesOf, streamOf } from './file-endpoint.ts';
import { arity, scopeKind } from './memory-schemas.ts';
import { createCaller } from './router.ts';
import type { ApiContext } from './trpc.ts';
import type { UploadEndpoint } from './upload-endpoint.ts';

/** Facts that a write takes at most. */
const AT_ONCE = 200;
/** Longest line of an import, in characters. */
const LINE_CHARS = 100_000;

const moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text) as Millis);

/** A line of an import: what is read of a fact as it is exported. */
const factLine = z.object({
  subject: z.string().trim().min(1).max(500),
  predicate: z.string().trim().min(1).max(500),
  object: z.string().trim().min(1).max(2000),
  arity: arity.optional(),
  scope: scopeKind.default('project'),
  validFrom: moment,
  validTo: moment.nullish(),
});

async function* factLines(ctx: ApiContext, query: URLSearchParams): AsyncGenerator<string> {
  const caller = createCaller(ctx);
  const given = { status: 'all', ...Object.fromEntries(query) };
  for (let cursor: string | null = null; ; ) {
    const page = await caller.memory.facts({ ...given, limit: 200, cursor } as never);
    for (const one of page.items) yield JSON.stringify(one);
    cursor = page.next;
    if (cursor === null) return;
  }
}

/** Facts as a file, by the filters of their list. */
export const EXPORT_FACTS: FileEndpoint = {
  path: '/export/facts',
  operationId: 'exportFacts',
  summary: 'Facts as JSON Lines, by the filters of /facts; closed ones too where `status` is left out',
  mime: 'application/x-ndjson',
  parameters: ['status', 'validAt', 'knownAt', 'q', 'project', 'worktree', 'scope', 'session'].map(
    (name) => ({
      name,
      in: 'query' as const,
      description: 'as for /facts',
      optional: true,
    }),
  ),
  async answer(ctx, _params, query) {
    return new Response(streamOf(linesOf(factLines(ctx, query))), {
      headers: {
        ...INERT,
        'content-type': 'application/x-ndjson',
        'content-disposition': attachment('facts.jsonl'),
      },
    });
  },
};

const importedFacts = z.object({
  written: z.int().describe('statements that are new'),
  known: z.int().describe('statements that were there already'),
  refused: z.array(z.object({ line: z.int(), why: z.enum(['secret', 'gone', 'unfit']) })),
});

/** Facts from a file into a project. What is there already writes nothing. */
export const IMPORT_FACTS: UploadEndpoint = {
  path: '/facts-import',
  operationId: 'importFacts',
  summary: 'Facts from JSON Lines, as exported or by hand, into a project',
  mime: 'application/x-ndjson',
  parameters: [{ name: 'project', description: 'id of the project that they go into' }],
  output: importedFacts,
  async answer(ctx, body, query) {
    const project = query.get('project') ?? '';
    if (!isUuid(project))
      throw bad('It is not said which project the facts go into.', 'Give its id as `project`.');
    const scope: Scope = { kind: 'project', id: project };
    const lines = await textLines(body);
    const result = { written: 0, known: 0, refused: [] as { line: number; why: Refusal }[] };
    for (let at = 0; at < lines.length; at += AT_ONCE)
      await importSome(ctx, scope, lines.slice(at, at + AT_ONCE), result);
    return result;
  },
};

interface Line {
  readonly line: number;
  readonly text: string;
}

async function importSome(
  { services }: ApiContext,
  scope: Scope,
  lines: readonly Line[],
  result: { written: number; known: number; readonly refused: { line: number; why: Refusal }[] },
): Promise<void> {
  const drafts = lines.flatMap(({ line, text }) =>
    draftsOf(line, text, scope).map((draft) => ({ line, draft })),
  );
  const report = await services.memory.writer.write(
    services.accountId,
    drafts.map(({ draft }) => draft),
    { authority: 'import', name: 'import' },
  );
  result.written += report.written.length;
  result.known += report.known;
  const refused = new Map<number, Refusal>();
  for (const [index, why] of report.refused) refused.set(drafts[index]?.line ?? 0, why);
  result.refused.push(...[...refused].map(([line, why]) => ({ line, why })));
}

/** A value from when it was true, and its end where it has one. */
function draftsOf(line: number, text: string, scope: Scope): readonly FactDraft[] {
  const read = factLine.safeParse(parsed(text));
  if (!read.success)
    throw bad(`Line ${line} is no fact: ${z.prettifyError(read.error)}`, 'Nothing of this part was written.');
  const { subject, predicate, object, validFrom, validTo, arity: given } = read.data;
  const same = { scope, subject, predicate, value: object, source: null };
  const counts = given === undefined ? {} : { arity: given };
  const value: FactDraft = { ...same, ...counts, kind: 'value', from: validFrom };
  const hasEnd = validTo != null && given !== 'event';
  return hasEnd ? [value, { ...same, kind: 'end', from: validTo }] : [value];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function textLines(body: AsyncIterable<Uint8Array>): Promise<readonly Line[]> {
  const decoder = new TextDecoder();
  const lines: Line[] = [];
  let rest = '';
  let line = 0;
  const take = (text: string) => {
    line += 1;
    if (text.length > LINE_CHARS) throw bad(`Line ${line} is too long.`, 'A fact is a short line.');
    if (text.trim() !== '') lines.push({ line, text });
  };
  for await (const piece of body) {
    const parts = `${rest}${decoder.decode(piece, { stream: true })}`.split('\n');
    rest = parts.pop() ?? '';
    parts.forEach(take);
    if (rest.length > LINE_CHARS) take(rest);
  }
  if (rest !== '') take(rest);
  return lines;
}

function bad(message: string, hint: string): ContextModeError {
  return new ContextModeError('bad_request', message, { hint });
}

import type { z } from 'zod';
import { ContextModeError } from '../kernel/errors.ts';
import { FEATURES } from '../ledger/index.ts';
import { type Cell, csvLine } from './csv.ts';
import { attachment, type FileEndpoint, INERT, linesOf, streamOf } from './file-endpoint.ts';
import { ledgerRequestsInput, type WireLedgerRequest } from './ledger.ts';
import { createCaller } from './router.ts';
import type { WireSearchHit, WireSession } from './schemas.ts';
import { searchInput } from './search.ts';
import { listSessionsInput } from './sessions.ts';
import type { ApiContext } from './trpc.ts';

/** Hits that one export gives at most. */
const MOST_HITS = 10_000;

type Caller = ReturnType<typeof createCaller>;
type Given = Record<string, string>;

/** A list that can be saved by the filters that it is shown by. */
interface Listed<Row> {
  /** Names of the columns of a table, and a row's cells under them. */
  readonly columns: readonly string[];
  cellsOf(row: Row): readonly Cell[];
  readonly most: number;
  pageOf(
    caller: Caller,
    given: Given,
    cursor: string | undefined,
  ): Promise<{ readonly items: readonly Row[]; readonly next: string | null }>;
}

const HITS: Listed<WireSearchHit> = {
  columns: [
    'at',
    'kind',
    'role',
    'tool',
    'path',
    'session',
    'title',
    'project',
    'thread',
    'position',
    'document',
    'offset',
    'snippet',
  ],
  cellsOf: (hit) => [
    hit.at,
    hit.kind,
    hit.role,
    hit.tool,
    hit.path,
    hit.sessionId,
    hit.sessionTitle,
    hit.project?.name ?? null,
    hit.thread,
    hit.seq,
    hit.docid,
    hit.offset,
    hit.snippet.text,
  ],
  most: MOST_HITS,
  pageOf: (caller, given, cursor) => caller.search.find({ q: '', ...given, limit: 100, cursor }),
};

const SESSIONS: Listed<WireSession> = {
  columns: [
    'id',
    'agent',
    'agentSession',
    'title',
    'project',
    'folder',
    'branch',
    'startedAt',
    'lastSeenAt',
    'turns',
    'requests',
    'threads',
  ],
  cellsOf: (session) => [
    session.id,
    session.agent,
    session.clientSessionId,
    session.title,
    session.project?.name ?? null,
    session.worktree?.path ?? null,
    session.worktree?.branch ?? null,
    session.startedAt,
    session.lastSeenAt,
    session.turns,
    session.requests,
    session.threads,
  ],
  most: Number.POSITIVE_INFINITY,
  pageOf: (caller, given, cursor) => caller.sessions.list({ ...(given as object), limit: 500, cursor }),
};

const LEDGER: Listed<WireLedgerRequest> = {
  columns: [
    'at',
    'request',
    'session',
    'agent',
    'model',
    'subscription',
    'kind',
    'state',
    'calls',
    'input',
    'write',
    'writeLong',
    'read',
    'output',
    'reasoning',
    'direct',
    'trimming',
    'recall',
    'eviction',
    'retrieval',
    'memory',
    'estimate',
    'actual',
    'layoutMade',
  ],
  cellsOf: ({ tokens, ...row }) => [
    row.at,
    row.id,
    row.sessionId,
    row.agent,
    row.model,
    String(row.subscription),
    row.kind,
    row.state,
    row.calls,
    tokens.input,
    tokens.write,
    tokens.writeLong,
    tokens.read,
    tokens.output,
    tokens.reasoning,
    row.direct,
    ...FEATURES.map((feature) => row.lines.find((line) => line.feature === feature)?.amount ?? null),
    row.actual,
    row.layoutMade,
  ],
  most: Number.POSITIVE_INFINITY,
  pageOf: (caller, given, cursor) => caller.ledger.requests({ ...(given as object), limit: 1000, cursor }),
};

/** Lists as files: JSON Lines, or CSV with `format=csv`. */
export const EXPORTS: readonly FileEndpoint[] = [
  {
    path: '/export/search',
    operationId: 'exportSearch',
    summary: `Hits of a search as JSON Lines or CSV, best first, at most ${MOST_HITS}`,
    mime: 'application/x-ndjson',
    parameters: parametersOf(searchInput),
    answer: (ctx, _params, query) => exported(ctx, query, 'search', HITS),
  },
  {
    path: '/export/sessions',
    operationId: 'exportSessions',
    summary: 'The list of sessions as JSON Lines or CSV, last seen first',
    mime: 'application/x-ndjson',
    parameters: parametersOf(listSessionsInput),
    answer: (ctx, _params, query) => exported(ctx, query, 'sessions', SESSIONS),
  },
  {
    path: '/export/ledger',
    operationId: 'exportLedger',
    summary: 'Requests with what they cost as JSON Lines or CSV, oldest first',
    mime: 'application/x-ndjson',
    parameters: parametersOf(ledgerRequestsInput),
    answer: (ctx, _params, query) => exported(ctx, query, 'ledger', LEDGER),
  },
];

function parametersOf(input: z.ZodObject): FileEndpoint['parameters'] {
  const names = Object.keys(input.shape).filter((name) => name !== 'limit' && name !== 'cursor');
  return [
    ...names.map((name) => ({
      name,
      in: 'query' as const,
      description: `as for the list${name === 'q' ? ': the words' : ''}`,
      optional: name !== 'q' || input !== searchInput,
    })),
    { name: 'format', in: 'query', description: '`jsonl` (as it is without) or `csv`', optional: true },
  ];
}

/** The first page is asked for before the answer begins, so that a broken filter is told as an error. */
async function exported<Row>(
  ctx: ApiContext,
  query: URLSearchParams,
  name: string,
  listed: Listed<Row>,
): Promise<Response> {
  const { format = 'jsonl', cursor: _, limit: _limit, ...given } = Object.fromEntries(query) as Given;
  if (format !== 'jsonl' && format !== 'csv') {
    throw new ContextModeError('bad_request', `There is no format \`${format}\`.`, {
      hint: 'The formats are jsonl and csv.',
    });
  }
  const caller = createCaller(ctx);
  const first = await listed.pageOf(caller, given, undefined);
  const rows = rowsOf(listed, caller, given, first);
  return new Response(streamOf(linesOf(format === 'csv' ? tableOf(listed, rows) : jsonOf(rows))), {
    headers: {
      ...INERT,
      'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
      'content-disposition': attachment(`${name}.${format}`),
    },
  });
}

async function* rowsOf<Row>(
  listed: Listed<Row>,
  caller: Caller,
  given: Given,
  first: { readonly items: readonly Row[]; readonly next: string | null },
): AsyncGenerator<Row> {
  let page = first;
  let left = listed.most;
  for (;;) {
    yield* page.items.slice(0, left);
    left -= page.items.length;
    if (page.next === null || left <= 0) return;
    page = await listed.pageOf(caller, given, page.next);
  }
}

async function* jsonOf(rows: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const row of rows) yield JSON.stringify(row);
}

async function* tableOf<Row>(listed: Listed<Row>, rows: AsyncIterable<Row>): AsyncGenerator<string> {
  yield `${csvLine(listed.columns)}\r\n`;
  for await (const row of rows) yield `${csvLine(listed.cellsOf(row))}\r\n`;
}

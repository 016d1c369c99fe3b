import { expect, it } from 'vitest';
import type { ArchiveKeeper } from '../archive/index.ts';
import type {
  ArchiveReader,
  ArchiveTransfer,
  SearchFilter,
  SearchHit,
  SessionRow,
} from '../archive/types.ts';
import { manualClock } from '../kernel/clock.ts';
import { readEnv } from '../kernel/env.ts';
import { ContextModeError } from '../kernel/errors.ts';
import { LOCAL_ACCOUNT } from '../kernel/ids.ts';
import { createLogger } from '../kernel/log.ts';
import { handleRest } from './http.ts';
import type { ApiServices } from './services.ts';
import { recallServices } from './testing.ts';

const HOST = '127.0.0.1:4141';
const ID = '01a229f1-2be8-754e-9327-4168d49aa17a';

const hitAt = (seq: number) =>
  ({
    docid: `context-mode-msg-${seq}`,
    sessionId: ID,
    seq,
    sessionTitle: '=cmd()',
    project: null,
    thread: 'main',
    kind: 'answer',
    role: 'assistant',
    tool: null,
    path: null,
    at: 0,
    offset: 2,
    snippet: { text: 'a "quoted",\nword', marks: [[0, 1]] },
    score: 1,
  }) as unknown as SearchHit;

const sessionAt = (number: number) =>
  ({
    id: `s${number}`,
    agent: 'codex',
    title: `S ${number}`,
    startedAt: 0,
    lastSeenAt: 0,
    turns: 1,
    requests: 1,
    threads: 1,
    clientSessionId: null,
    agentVersion: null,
    project: null,
    worktree: null,
    head: null,
  }) as unknown as SessionRow;

/** An archive of `count` hits and sessions, in pages. */
function setUp(count: number) {
  const asked: { limit: number; cursor?: string }[] = [];
  const page = <Row>(make: (at: number) => Row, filter: { limit: number; cursor?: string }) => {
    asked.push(filter);
    const start = Number(filter.cursor ?? 0);
    const end = Math.min(count, start + filter.limit);
    const items = Array.from({ length: end - start }, (_, at) => make(start + at));
    return { items, next: end < count ? `${end}` : null };
  };
  const archive = {
    search: async (_account: string, filter: SearchFilter) => {
      if (filter.q === '')
        throw new ContextModeError('bad_request', 'There is nothing to look for.', { hint: 'Name a word.' });
      return { ...page(hitAt, filter), notes: [] };
    },
    listSessions: async (_account: string, filter: { limit: number; cursor?: string }) =>
      page(sessionAt, filter),
  } as unknown as ArchiveReader;
  const services: ApiServices = {
    env: readEnv({ NODE_ENV: 'test' }),
    clock: manualClock(0),
    log: createLogger('silent', 'test'),
    accountId: LOCAL_ACCOUNT,
    archive,
    transfer: {} as ArchiveTransfer,
    transcripts: { importSession: async () => null },
    ...recallServices(),
    links: { keyNeeded: false, makeLink: (url) => url },
    live: { subscribe: () => () => undefined },
    health: async () => ({ ready: true, parts: [] }),
    keeper: { plannedDeletions: async () => new Map() } as unknown as ArchiveKeeper,
    freeBytes: async () => null,
  };
  const get = (path: string) =>
    handleRest(new Request(`http://${HOST}/api/v1${path}`, { headers: { host: HOST } }), services);
  return { get, asked };
}

it('an export holds what all pages of its list hold, under the same filters', async () => {
  const { get, asked } = setUp(250);
  const answer = await get(`/export/search?q=refund&kind=answer&session=${ID}&limit=1&cursor=9`);
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="search.jsonl"');
  expect(answer.headers.get('content-security-policy')).toContain('sandbox');
  const rows = (await answer.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(rows.map((one) => one.seq)).toEqual(Array.from({ length: 250 }, (_, at) => at));
  expect(rows[0].snippet.marks).toEqual([[0, 1]]);
  expect(asked).toHaveLength(3);
  expect(asked[2]).toMatchObject({
    q: 'refund',
    kinds: ['answer'],
    sessionId: ID,
    limit: 100,
    cursor: '200',
  });
});

it('hits end at ten thousand, sessions do not', async () => {
  const hits = setUp(10_150);
  expect((await (await hits.get('/export/search?q=x')).text()).trimEnd().split('\n')).toHaveLength(10_000);
  const sessions = setUp(10_150);
  expect((await (await sessions.get('/export/sessions')).text()).trimEnd().split('\n')).toHaveLength(10_150);
});

it('a table has a heading, quotes what must be, and holds no formula', async () => {
  const { get } = setUp(1);
  const answer = await get('/export/search?q=x&format=csv');
  expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [heading, ...rest] = (await answer.text()).split('\r\n');
  expect(heading?.split(',')).toHaveLength(13);
  expect(rest.join('\r\n')).toContain(`'=cmd()`);
  expect(rest.join('\r\n')).toContain('"a ""quoted"",\nword"');
  const list = await (await get('/export/sessions?format=csv')).text();
  expect(list).toContain('s0,codex,,S 0');
});

it('a filter, a format or words that cannot be read are told as an error, not as an empty file', async () => {
  const { get } = setUp(1);
  for (const query of ['q=', 'q=x&format=xlsx', 'q=x&from=yesterday', 'q=x&kind=poem', 'q=x&session=7']) {
    const answer = await get(`/export/search?${query}`);
    expect(answer.status, query).toBe(400);
    expect((await answer.json()).error.hint, query).not.toBe('');
  }
});

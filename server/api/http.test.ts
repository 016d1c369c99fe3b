import { describe, expect, it } from 'vitest';
import type { ArchiveKeeper } from '../archive/index.ts';
import type {
  ArchiveReader,
  ArchiveTransfer,
  DocId,
  Document,
  LogRow,
  SessionRow,
} from '../archive/types.ts';
import { type Millis, manualClock } from '../kernel/clock.ts';
import { readEnv } from '../kernel/env.ts';
import { LOCAL_ACCOUNT, type Uuid } from '../kernel/ids.ts';
import { createLogger } from '../kernel/log.ts';
import { ENDPOINTS } from './endpoints.ts';
import { FILE_ENDPOINTS } from './files.ts';
import { handleRest, handleTrpc } from './http.ts';
import { createCaller } from './router.ts';
import type { ApiServices } from './services.ts';
import { recallServices } from './testing.ts';
import { UPLOAD_ENDPOINTS } from './uploads.ts';

const ID = '01a229f1-2be8-754e-9327-4168d49aa17a';
const HOST = '127.0.0.1:4141';

const row = {
  id: ID,
  clientSessionId: 's',
  agent: 'codex',
  agentVersion: null,
  title: 'A session',
  project: null,
  worktree: null,
  startedAt: 0,
  lastSeenAt: 1,
  turns: 1,
  requests: 2,
  head: null,
  threads: 1,
} as SessionRow;

const logged = {
  seq: 3,
  at: 1_796_000_000_000,
  kind: 'answer',
  role: 'assistant',
  thread: 'main',
  docid: null,
  tool: null,
  mainInput: null,
  body: 'x',
  length: 1,
  durationMs: null,
  data: null,
  media: 0,
  callId: null,
  isError: false,
} as LogRow;

/** A keeper that plans in memory and notes what is deleted at once. */
function fakeKeeper(calls: unknown[]): ArchiveKeeper {
  const planned = new Map<Uuid, Millis>();
  let account: number | 'forever' = 'forever';
  const projects = new Map<Uuid, number | 'forever'>();
  return {
    async deleteProject(_account, id) {
      calls.push(['project', id]);
      return id === ID;
    },
    async deleteArchive() {
      calls.push('everything');
    },
    async planDeletion(_account, { subject }, at) {
      if (subject !== ID && subject !== LOCAL_ACCOUNT) return null;
      planned.set(subject, (at + 12_000) as Millis);
      return planned.get(subject) ?? null;
    },
    undoDeletion: async (_account, subject) => planned.delete(subject),
    plannedDeletions: async () => planned,
    retention: async () => ({ account, projects, setAt: null, due: 3 }),
    async setRetention(_account, scope, retention) {
      if (scope === LOCAL_ACCOUNT) account = retention ?? 'forever';
      else if (retention === null) projects.delete(scope);
      else projects.set(scope, retention);
      return scope === LOCAL_ACCOUNT || scope === ID;
    },
    databaseBytes: async () => 1_234,
  };
}

function setUp(over: Partial<ArchiveReader> = {}) {
  const calls: unknown[] = [];
  const archive = {
    listSessions: async (_account: string, filter: unknown) => {
      calls.push(filter);
      return { items: [row], next: 'more' };
    },
    getSession: async (_account: string, id: string) => (id === ID ? row : null),
    listProjects: async () => [{ id: ID, name: 'billing', sessions: 1 }],
    readLog: async (_account: string, _id: string, filter: unknown) => {
      calls.push(filter);
      return { matched: 9, showing: 1, rows: [logged] };
    },
    readEvent: async (_account: string, _id: string, seq: number) => (seq === 3 ? logged : null),
    readDocument: async (_account: string, docid: string) =>
      docid === 'context-mode-msg-a'
        ? { ambiguous: ['context-mode-msg-aa', 'context-mode-msg-ab'] }
        : { missing: true },
    readBlob: async (_account: string, hash: string) => ({
      mime: hash === 'svg' ? 'image/svg+xml' : 'image/png',
      bytes: new Uint8Array([1, 2, 3]),
    }),
    exportSession: async function* () {
      yield '{"header":true}';
      yield '{"row":1}\n';
    },
    deleteSession: async () => {
      calls.push('deleted');
      return true;
    },
    ...over,
  } as unknown as ArchiveReader;
  const services: ApiServices = {
    env: readEnv({ NODE_ENV: 'test' }),
    clock: manualClock(1_796_000_000_000),
    log: createLogger('silent', 'test'),
    accountId: LOCAL_ACCOUNT,
    archive,
    transfer: {} as ArchiveTransfer,
    transcripts: { importSession: async () => null },
    ...recallServices({ scopes: [LOCAL_ACCOUNT, ID as Uuid] }),
    links: { keyNeeded: true, makeLink: (baseUrl) => `${baseUrl}/open/once` },
    live: { subscribe: () => () => undefined },
    health: async () => ({ ready: true, parts: [] }),
    keeper: fakeKeeper(calls),
    freeBytes: async () => 5_000,
  };
  const rest = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
    handleRest(
      new Request(`http://${HOST}/api/v1${path}`, { ...init, headers: { host: HOST, ...init.headers } }),
      services,
    );
  return { services, rest, calls };
}

it('sessions come as a cursor page with ISO times', async () => {
  const { rest, calls } = setUp();
  const answer = await rest('/sessions?limit=7&agent=codex&from=2026-11-30T00:00:00.000Z');
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    items: [{ id: ID, startedAt: '1970-01-01T00:00:00.000Z', deletesAt: null }],
    next: 'more',
  });
  expect(calls).toEqual([{ limit: 7, agent: 'codex', from: Date.UTC(2026, 10, 30) }]);
});

it('a log passes its filters on and keeps the names matched, showing, rows', async () => {
  const { rest, calls } = setUp();
  const answer = await rest(
    `/sessions/${ID}/log?match=%25x%25&kinds=input,answer&before=9&after=2&limit=5&clip=10`,
  );
  expect(await answer.json()).toMatchObject({
    matched: 9,
    showing: 1,
    rows: [{ seq: 3, kind: 'answer', body: 'x' }],
  });
  expect(calls).toEqual([
    { match: '%x%', kinds: ['input', 'answer'], before: 9, after: 2, limit: 5, clip: 10 },
  ]);
});

it('every error has the one shape, with a request id that the header repeats', async () => {
  const { rest } = setUp({ listSessions: () => Promise.reject(new Error('password=hunter2')) });
  const cases = [
    ['/sessions/none', 404, 'not_found'],
    [`/sessions/${ID}/log/4`, 404, 'not_found'],
    ['/documents/context-mode-msg-f', 404, 'not_found'],
    ['/documents/context-mode-msg-a', 409, 'conflict'],
    [`/sessions/${ID}/log?limit=0`, 400, 'bad_request'],
    ['/there-is-no-such-call', 404, 'not_found'],
    ['/sessions', 500, 'internal'],
    ['/export/session', 404, 'not_found'],
  ] as const;
  for (const [path, status, code] of cases) {
    const answer = await rest(path);
    const body = await answer.json();
    expect([path, answer.status, body.error.code]).toEqual([path, status, code]);
    expect(body.error.hint).not.toBe('');
    expect(body.error.requestId).toBe(answer.headers.get('x-context-mode-request-id'));
    expect(JSON.stringify(body)).not.toContain('hunter2');
  }
});

it('an ambiguous id lists its candidates', async () => {
  const { rest } = setUp();
  const body = await (await rest('/documents/context-mode-msg-a')).json();
  expect(body.error.message).toContain('context-mode-msg-aa, context-mode-msg-ab');
});

it('a stored picture is inert, and one that could run is only ever saved', async () => {
  const { rest } = setUp();
  const png = await rest('/blobs/png');
  expect(png.headers.get('content-type')).toBe('image/png');
  expect(png.headers.get('content-security-policy')).toContain('sandbox');
  const svg = await rest('/blobs/svg');
  expect(svg.headers.get('content-type')).toBe('application/octet-stream');
  for (const answer of [png, svg]) {
    expect(answer.headers.get('content-disposition')).toContain('attachment');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
});

it('raw bytes come as they are stored, in pieces that are asked for one by one', async () => {
  const bytes = Uint8Array.from({ length: 9_000_001 }, (_, at) => (at * 7) % 256);
  const asked: number[] = [];
  const { rest } = setUp({
    readBytes: async (_account, docid, { offset, length }) => {
      asked.push(offset);
      const part = bytes.subarray(offset, offset + length);
      return { found: { docid: `${docid}23` as DocId, bytes: part, total: bytes.length } };
    },
  });
  const answer = await rest('/documents/context-mode-msg-1/raw');
  expect(asked).toEqual([0]);
  expect(answer.headers.get('content-length')).toBe('9000001');
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="context-mode-msg-123.txt"');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(Buffer.compare(Buffer.from(await answer.arrayBuffer()), bytes)).toBe(0);
  expect(asked).toEqual([0, 4_194_304, 8_388_608]);
});

it('raw bytes of an id that names nothing, or several documents, are an error that says so', async () => {
  const { rest } = setUp({
    readBytes: async (_account, docid) =>
      docid === 'a' ? { ambiguous: ['context-mode-msg-aa' as DocId] } : { missing: true },
  });
  const several = await rest('/documents/a/raw');
  expect([several.status, (await several.json()).error.message]).toEqual([
    409,
    expect.stringContaining('context-mode-msg-aa'),
  ]);
  expect((await rest('/documents/b/raw')).status).toBe(404);
});

it('a text is sought in a log as it is written when that is asked for', async () => {
  const asked: unknown[] = [];
  const { rest, calls } = setUp({
    findMatches: async (_account, _id, filter) => {
      asked.push(filter);
      return { total: 3, matched: 1, items: [{ seq: 4, docid: null, count: 3 }] };
    },
  });
  const found = await rest(`/sessions/${ID}/matches?q=100%25_&after=3&limit=7`);
  expect(await found.json()).toEqual({ total: 3, matched: 1, items: [{ seq: 4, docid: null, count: 3 }] });
  expect(asked).toEqual([{ text: '100%_', after: 3, limit: 7 }]);
  expect((await rest(`/sessions/${ID}/matches`)).status).toBe(400);
  await rest(`/sessions/${ID}/log?match=100%25&matchMode=literal`);
  expect(calls).toEqual([expect.objectContaining({ match: '100%', matchMode: 'literal' })]);
});

it('an export is one JSON object a line', async () => {
  const { rest } = setUp();
  expect(await (await rest(`/export/session?id=${ID}`)).text()).toBe('{"header":true}\n{"row":1}\n');
});

it('a script deletes at once; a page without the proof does not', async () => {
  const { rest, calls } = setUp();
  const foreign = await rest(`/sessions/${ID}`, { method: 'DELETE', headers: { origin: `http://${HOST}` } });
  expect(foreign.status).toBe(403);
  expect(calls).toEqual([]);
  expect(await (await rest(`/sessions/${ID}`, { method: 'DELETE' })).json()).toEqual({ deleted: true });
});

it('the description lists every call with its parameters, and nothing unresolved', async () => {
  const { rest } = setUp();
  const described = await (await rest('/openapi.json')).json();
  expect(described.openapi).toBe('3.1.0');
  const listed = new Set(
    [...ENDPOINTS, ...FILE_ENDPOINTS, ...UPLOAD_ENDPOINTS].map((endpoint) => `/api/v1${endpoint.path}`),
  );
  expect(new Set(Object.keys(described.paths))).toEqual(listed);
  const log = described.paths['/api/v1/sessions/{id}/log'].get;
  expect(log.parameters.find((one: { name: string }) => one.name === 'id')).toMatchObject({
    in: 'path',
    required: true,
  });
  expect(log.parameters.find((one: { name: string }) => one.name === 'limit')).toMatchObject({
    in: 'query',
    required: false,
  });
  expect(JSON.stringify(described)).not.toContain('$ref');
});

it("the console's calls are refused to foreign names and pages", async () => {
  const { services } = setUp();
  const ask = (headers: Record<string, string>) =>
    handleTrpc(new Request(`http://${HOST}/api/trpc/status.settings`, { headers }), services);
  expect((await ask({ host: 'rebound.example' })).status).toBe(403);
  expect((await ask({ host: HOST, origin: 'https://evil.example' })).status).toBe(403);
  const own = await ask({ host: HOST });
  expect(own.status).toBe(200);
  expect((await own.json()).result.data).toMatchObject({
    baseUrl: `http://${HOST}`,
    database: { kind: 'embedded' },
  });
});

it("a plain form's post changes nothing", async () => {
  const { services, calls } = setUp();
  const answer = await handleTrpc(
    new Request(`http://${HOST}/api/trpc/sessions.delete`, {
      method: 'POST',
      headers: { host: HOST, origin: `http://${HOST}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: `id=${ID}`,
    }),
    services,
  );
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(calls).toEqual([]);
});

it('a document says where its text goes on and what became of it; no character is lost on the way', async () => {
  const found = {
    docid: 'context-mode-msg-1',
    kind: 'answer',
    role: 'assistant',
    tool: null,
    input: null,
    text: 'b\0\ud83d',
    offset: 1,
    length: 6,
    nextOffset: 4,
    bytes: 6,
    sha256: 'h',
    at: 0,
    durationMs: null,
    sessionId: ID,
    seq: 1,
    resultSeq: null,
    place: null,
    masked: false,
    confirmed: true,
    media: [{ hash: 'ab', mime: 'image/png', bytes: 3 }],
    changed: { docid: 'context-mode-msg-2', at: 1000, path: '/w/a', kind: 'edit' },
    fresh: { docid: 'context-mode-msg-3', at: 2000 },
    sessions: { total: 1, items: [{ sessionId: ID, title: 't', seq: 1 }] },
    previous: null,
    next: { docid: 'context-mode-msg-4', seq: 2 },
  } as unknown as Document;
  const { rest } = setUp({ readDocument: async () => ({ found }) });
  expect(await (await rest('/documents/context-mode-msg-1?offset=1&length=3')).json()).toMatchObject({
    text: 'b\0\ud83d',
    offset: 1,
    length: 6,
    nextOffset: 4,
    media: [{ href: '/api/v1/blobs/ab' }],
    changed: { docid: 'context-mode-msg-2', at: '1970-01-01T00:00:01.000Z', path: '/w/a', kind: 'edit' },
    fresh: { docid: 'context-mode-msg-3', at: '1970-01-01T00:00:02.000Z' },
    next: { docid: 'context-mode-msg-4', seq: 2 },
  });
});

it('a link into the console is made for the address that was asked, by a script or the console alone', async () => {
  const { rest } = setUp();
  const made = await rest('/console-links', { method: 'POST' });
  expect(await made.json()).toEqual({ url: `http://${HOST}/open/once` });
  const foreign = await rest('/console-links', {
    method: 'POST',
    headers: { 'sec-fetch-site': 'same-site' },
  });
  expect(foreign.status).toBe(403);
  expect(await (await rest('/status')).json()).toMatchObject({ keyNeeded: true });
});

describe('what is kept', () => {
  const patch = (body: string) => ({ method: 'PATCH', body });

  it('is told and set under /settings, days or for ever', async () => {
    const { rest } = setUp();
    expect(await (await rest('/settings')).json()).toMatchObject({
      retention: 'forever',
      overdue: 3,
      databaseBytes: 1_234,
      freeBytes: 5_000,
      leastFreeBytes: 2_000_000_000,
      deletesAt: null,
    });
    expect(await (await rest('/settings', patch('{"retention":30}'))).json()).toMatchObject({
      retention: 30,
    });
    expect(await (await rest('/settings', patch('{}'))).json()).toMatchObject({ retention: 30 });
    expect(await (await rest('/settings', patch('{"retention":"forever"}'))).json()).toMatchObject({
      retention: 'forever',
    });
  });

  it('is not changed by what is no setting, and the answer says what is', async () => {
    const { rest } = setUp();
    for (const body of [
      '',
      'x',
      '[]',
      '"30"',
      '{"retention":0}',
      '{"retention":1.5}',
      '{"retention":"soon"}',
      '{"retention":99999999}',
    ]) {
      const answer = await rest('/settings', patch(body));
      expect([body, answer.status]).toEqual([body, 400]);
      expect((await answer.json()).error.hint).not.toBe('');
    }
    expect((await rest('/settings', patch(`{"x":"${'y'.repeat(70_000)}"}`))).status).toBe(413);
    expect(await (await rest('/settings')).json()).toMatchObject({ retention: 'forever' });
  });

  it('is set for a project that there is', async () => {
    const { rest } = setUp();
    const set = (id: string, body: string) => rest(`/projects/${id}/settings`, patch(body));
    expect(await (await set(ID, '{"retention":7}')).json()).toMatchObject({ retention: 7 });
    expect(await (await set(ID, '{"retention":"account"}')).json()).toMatchObject({ retention: 'account' });
    expect((await set(ID.replace('0', '1'), '{"retention":7}')).status).toBe(404);
    expect((await set('none', '{"retention":7}')).status).toBe(404);
  });

  it('goes at once for a script: a project, or everything', async () => {
    const { rest, calls } = setUp();
    const remove = (path: string) => rest(path, { method: 'DELETE' });
    expect(await (await remove(`/projects/${ID}`)).json()).toEqual({ deleted: true });
    expect((await remove(`/projects/${ID.replace('0', '1')}`)).status).toBe(404);
    expect((await remove('/projects/none')).status).toBe(404);
    expect(await (await remove('/archive')).json()).toEqual({ deleted: true });
    expect(calls).toEqual([['project', ID], ['project', ID.replace('0', '1')], 'everything']);
  });

  it('goes for the console after a wait that every list tells of, and that can be taken back', async () => {
    const { services } = setUp();
    const caller = createCaller({
      services,
      caller: { host: HOST, origin: null, fetchSite: null, cookie: null, token: null },
      requestId: 'r',
      baseUrl: `http://${HOST}`,
    });
    const deletesAt = new Date(1_796_000_012_000).toISOString();
    expect(await caller.sessions.planDeletion({ id: ID })).toEqual({ deletesAt });
    expect(await caller.sessions.get({ id: ID })).toMatchObject({ deletesAt });
    expect(await caller.sessions.list({ limit: 5 })).toMatchObject({ items: [{ deletesAt }] });
    expect(await caller.sessions.undoDeletion({ id: ID })).toEqual({ undone: true });
    expect(await caller.sessions.undoDeletion({ id: ID })).toEqual({ undone: false });
    expect(await caller.sessions.get({ id: ID })).toMatchObject({ deletesAt: null });
    expect(await caller.settings.planArchiveDeletion()).toEqual({ deletesAt });
    expect(await caller.sessions.get({ id: ID })).toMatchObject({ deletesAt });
    expect(await caller.settings.undoArchiveDeletion()).toEqual({ undone: true });
  });
});

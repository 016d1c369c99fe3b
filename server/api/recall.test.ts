import { describe, expect, it } from 'vitest';
import type { RequestRow, RequestView, SessionRow } from '../archive/types.ts';
import type { Millis } from '../kernel/clock.ts';
import { LOCAL_ACCOUNT, type Uuid } from '../kernel/ids.ts';
import { DEFAULT_RECALL, type LayoutDetail } from '../recall/index.ts';
import { handleRest } from './http.ts';
import { chainOf, hashAt, servicesWith } from './testing.ts';

const SESSION = '01a229f1-2be8-754e-9327-4168d49aa17a' as Uuid;
const PROJECT = '01a229f1-2be8-754e-9327-4168d49aa17b' as Uuid;
const REQUEST = '01a229f1-2be8-754e-9327-4168d49aa17c' as Uuid;
const RECORD = '01a229f1-2be8-754e-9327-4168d49aa17d' as Uuid;
const NOBODY = '01a229f1-2be8-754e-9327-4168d49aa17e' as Uuid;

const session = {
  id: SESSION,
  title: 'A session',
  project: { id: PROJECT, name: 'billing' },
  startedAt: 0,
  lastSeenAt: 0,
} as SessionRow;

const view: RequestView = {
  layout: hashAt(1),
  made: null,
  because: 'nothing_due',
  unedited: null,
  runs: [
    { is: 'ours', what: 'index', bytes: 900, record: null },
    { is: 'left_out', first: hashAt(0), last: hashAt(1) },
    { is: 'kept', first: hashAt(2), last: hashAt(4) },
  ],
  sentBytes: 400,
  tokens: { client: 5_000, sent: 1_000, limit: 8_000 },
};

const request: RequestRow = {
  id: REQUEST,
  sessionId: SESSION,
  thread: 'main',
  door: '/anthropic',
  path: '/v1/messages',
  kind: 'main',
  agent: 'claude-code',
  model: 'claude-opus-5',
  stream: true,
  retry: false,
  receivedAt: Date.UTC(2026, 10, 30) as Millis,
  status: 200,
  ending: 'complete',
  headMs: 1,
  firstByteMs: 1,
  totalMs: 1,
  ownMs: 1,
  requestBytes: 2_000,
  responseBytes: 1,
  usage: null,
  error: null,
  note: null,
};

const detail: LayoutDetail = {
  message: hashAt(1),
  thread: 'main',
  reason: 'pause',
  at: 5 as Millis,
  tokensBefore: 5_000,
  tokensAfter: 1_000,
  content: {
    boundary: hashAt(2),
    boundarySeq: 3,
    indexTokens: 200,
    hasMemory: false,
    settings: DEFAULT_RECALL,
    renderer: 1,
  },
  choices: { tool: 1, trimming: null },
  index: 'the index',
  masked: 1,
  memory: null,
  left: 2,
};

function setUp(given: { view?: RequestView | null } & NonNullable<Parameters<typeof servicesWith>[1]> = {}) {
  const { view: seen = view, ...scene } = given;
  const services = servicesWith(
    {
      getSession: async (_account, id) => (id === SESSION ? session : null),
      listProjects: async () => [{ id: PROJECT, name: 'billing', sessions: 1 }],
      getRequest: async (_account, id) => (id === REQUEST ? { ...request, view: seen } : null),
      listRequests: async () => ({ items: [request], next: null }),
    },
    {
      scopes: [LOCAL_ACCOUNT, PROJECT, SESSION],
      ...scene,
      reader: {
        layouts: async () => [detail],
        layout: async (_account, _session, message) => (message === detail.message ? detail : null),
        chain: async (_account, id) => (id === REQUEST ? chainOf(5) : []),
        messages: async (_account, hashes) =>
          hashes.map((hash) => ({ hash, role: 'user' as const, at: 7 as Millis, items: [] })),
        hiddenRound: async (_account, record) =>
          record === RECORD ? [{ input: '{"q":"x"}', result: null }] : null,
        ...scene.reader,
      },
    },
  );
  const rest = (path: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
    handleRest(
      new Request(`http://127.0.0.1/api/v1${path}`, {
        ...init,
        headers: { host: '127.0.0.1', ...init.headers },
      }),
      services,
    );
  const json = async (path: string, init?: RequestInit & { headers?: Record<string, string> }) =>
    (await rest(path, init)).json();
  const patch = (path: string, body: object) => json(path, { method: 'PATCH', body: JSON.stringify(body) });
  return { rest, json, patch };
}

describe('what the model saw', () => {
  it('stands beside what the client sent, with its layout, sizes and money', async () => {
    const { json } = setUp();
    expect(await json(`/requests/${REQUEST}/views`)).toMatchObject({
      edited: true,
      sessionTitle: 'A session',
      client: { messages: 5, items: 5, bytes: 2_000, tokens: 5_000 },
      sent: { messages: 3, bytes: 400, tokens: 1_000 },
      limit: 8_000,
      layout: { message: hashAt(1), madeHere: false, reason: 'pause', at: '1970-01-01T00:00:00.005Z' },
      because: 'nothing_due',
      money: { cost: null, leftOut: { tokens: 4_000, asRead: '0.002000000' } },
      parts: [
        { is: 'ours', what: 'index' },
        { is: 'left_out', from: 0, to: 2 },
        { is: 'kept', from: 2, to: 5 },
      ],
    });
  });

  it('has a second form where the provider refused the first, and what was paid is for that', async () => {
    const { again: _none, ...second } = view as RequestView;
    const first = {
      ...second,
      layout: null,
      runs: [],
      sentBytes: 2_000,
      tokens: { client: 5_000, sent: 5_000, limit: 8_000 },
    };
    const { json } = setUp({ view: { ...first, again: { refused: 'too_large', view: second } } });
    expect(await json(`/requests/${REQUEST}/views`)).toMatchObject({
      edited: false,
      sent: { messages: 5, bytes: 2_000 },
      money: { leftOut: { tokens: 4_000 } },
      again: {
        refused: 'too_large',
        edited: true,
        sent: { messages: 3, bytes: 400, tokens: 1_000 },
        layout: { message: hashAt(1) },
        parts: [{ is: 'ours' }, { is: 'left_out', from: 0, to: 2 }, { is: 'kept', from: 2, to: 5 }],
      },
    });
    expect((await setUp().json(`/requests/${REQUEST}/views`)).again).toBeNull();
  });

  it('of a request without a view is what its client sent', async () => {
    const { json } = setUp({ view: null });
    expect(await json(`/requests/${REQUEST}/views`)).toMatchObject({
      edited: false,
      because: 'as_sent',
      layout: null,
      unedited: null,
      client: { tokens: null },
      sent: { messages: 5, bytes: 2_000, tokens: null },
      parts: [{ is: 'kept', from: 0, to: 5 }],
    });
  });

  it('is read message by message, a page at a time, each with its place', async () => {
    const { json } = setUp();
    const page = await json(`/requests/${REQUEST}/messages?from=3&limit=2`);
    expect(page.total).toBe(5);
    expect(page.items.map((one: { at: number }) => one.at)).toEqual([3, 4]);
    expect((await json(`/requests/${REQUEST}/messages?from=5`)).items).toEqual([]);
  });

  it('shows hidden rounds of a request that there is', async () => {
    const { json, rest } = setUp();
    expect(await json(`/requests/${REQUEST}/hidden/${RECORD}`)).toEqual({
      calls: [{ input: '{"q":"x"}', result: null }],
    });
    for (const path of [`${REQUEST}/hidden/${NOBODY}`, `${REQUEST}/hidden/x`, `${NOBODY}/hidden/${RECORD}`])
      expect([path, (await rest(`/requests/${path}`)).status]).toEqual([path, 404]);
    for (const path of [NOBODY, 'x']) expect((await rest(`/requests/${path}/views`)).status).toBe(404);
  });

  it('is told in lists: edited, made a layout, left as it came', async () => {
    const mark = { edited: true, made: 'pause', unedited: null };
    const { json } = setUp({ reader: { marks: async () => new Map([[REQUEST, mark]]) } });
    expect((await json('/requests')).items[0]).toMatchObject(mark);
    expect((await setUp().json('/requests')).items[0]).toMatchObject({
      edited: false,
      made: null,
      unedited: null,
    });
  });
});

describe('the window of a session', () => {
  it('lists its layouts, and opens one with its index', async () => {
    const { json, rest } = setUp();
    const { items } = await json(`/sessions/${SESSION}/layouts`);
    expect(items).toHaveLength(1);
    expect(items[0]).not.toHaveProperty('index');
    expect(await json(`/sessions/${SESSION}/layouts/${hashAt(1)}`)).toMatchObject({
      reason: 'pause',
      index: 'the index',
      masked: 1,
      left: 2,
      content: { boundarySeq: 3, settings: { keepRecent: 'balanced' } },
    });
    for (const message of [hashAt(2), 'x'])
      expect((await rest(`/sessions/${SESSION}/layouts/${message}`)).status).toBe(404);
  });

  it('previews the next layout in tokens, money and requests, or says that there is none', async () => {
    const preview = {
      model: 'claude-opus-5',
      tokensNow: 100_000,
      tokensThen: 10_000,
      limit: null,
      indexTokens: 900,
      leaves: 40,
      boundary: hashAt(2),
      cacheMark: '5m' as const,
      due: null,
      settings: DEFAULT_RECALL,
    };
    const { json } = setUp({ preview });
    expect(await json(`/sessions/${SESSION}/layout-preview`)).toMatchObject({
      preview: { tokensNow: 100_000, tokensThen: 10_000, leaves: 40, money: { breakEven: 2 } },
    });
    expect(await setUp().json(`/sessions/${SESSION}/layout-preview`)).toEqual({ preview: null });
  });

  it('takes a layout back, or says in a sentence why not', async () => {
    const undo = async (result: NonNullable<Parameters<typeof setUp>[0]>['undo']) =>
      setUp({ ...(result === undefined ? {} : { undo: result }) }).json(`/sessions/${SESSION}/undo-layout`, {
        method: 'POST',
      });
    expect(await undo({ undone: true })).toEqual({ undone: true, reason: null });
    const refused = await undo({ undone: false, why: 'over_limit', tokens: 9_000, limit: 8_000 });
    expect(refused).toMatchObject({ undone: false });
    expect(refused.reason).toContain('9000');
    expect(refused.reason).toContain('8000');
    for (const why of ['nothing', 'unknown_state', 'busy'] as const)
      expect((await undo({ undone: false, why })).reason).toMatch(/\.$/);
  });

  it('is not taken back for a foreign page', async () => {
    const { rest } = setUp();
    const answer = await rest(`/sessions/${SESSION}/undo-layout`, {
      method: 'POST',
      headers: { origin: 'http://127.0.0.1' },
    });
    expect(answer.status).toBe(403);
  });
});

describe('the settings of Recall', () => {
  it('hold as by default until somebody says something', async () => {
    expect(await setUp().json(`/sessions/${SESSION}/settings`)).toMatchObject({
      recall: true,
      preset: 'balanced',
      keepRecent: 150_000,
      contextLimit: null,
      minGain: 20_000,
      retrievalTool: true,
      trimming: true,
      timeZone: 'UTC',
      paused: false,
      from: { recall: 'default', keepRecent: 'default', paused: 'default' },
    });
  });

  it('are said by account, project and session; the nearest counts, and null takes it back', async () => {
    const { patch, json } = setUp();
    await patch('/settings', { preset: 'lean', trimming: false });
    await patch(`/projects/${PROJECT}/settings`, { keepRecent: 90_000, contextLimit: 120_000 });
    await patch(`/sessions/${SESSION}/settings`, { contextLimit: 'auto', paused: true });
    expect(await json(`/sessions/${SESSION}/settings`)).toMatchObject({
      preset: null,
      keepRecent: 90_000,
      contextLimit: null,
      trimming: false,
      paused: true,
      from: { keepRecent: 'project', contextLimit: 'session', trimming: 'account', paused: 'session' },
    });
    expect(await json('/settings')).toMatchObject({ preset: 'lean', paused: false });
    await patch(`/projects/${PROJECT}/settings`, { preset: null });
    expect(await json(`/sessions/${SESSION}/settings`)).toMatchObject({
      preset: 'lean',
      from: { keepRecent: 'account' },
    });
  });

  it('that are left out stay as they are', async () => {
    const { patch } = setUp();
    await patch('/settings', { minGain: 5_000 });
    expect(await patch('/settings', { recall: false })).toMatchObject({ minGain: 5_000, recall: false });
    expect(await patch('/settings', {})).toMatchObject({ minGain: 5_000, recall: false });
  });

  it('are refused where they cannot be', async () => {
    const { rest } = setUp();
    const status = async (path: string, body: object) =>
      (await rest(path, { method: 'PATCH', body: JSON.stringify(body) })).status;
    for (const body of [
      { keepRecent: 9_999 },
      { keepRecent: 'large' },
      { preset: 'large' },
      { preset: 'lean', keepRecent: 90_000 },
      { contextLimit: 1 },
      { minGain: -1 },
      { recall: 'yes' },
    ]) {
      expect([body, await status('/settings', body)]).toEqual([body, 400]);
    }
    expect(await status(`/projects/${NOBODY}/settings`, { recall: false })).toBe(404);
    expect(await status(`/sessions/${NOBODY}/settings`, { recall: false })).toBe(404);
    expect(await status('/sessions/x/settings', {})).toBe(404);
  });
});

describe('failures of Recall', () => {
  const failing = (count: number) =>
    setUp({
      reader: {
        failures: async () => ({
          count,
          newest: { requestId: REQUEST, at: 1 as Millis, reason: 'late', detail: 'It took too long.' },
        }),
      },
    });

  it('are told from the sixth in five minutes on, with the last one', async () => {
    expect((await failing(5).json('/health')).recall).toEqual({ failures: 5, note: null });
    const { recall } = await failing(6).json('/health');
    expect(recall.failures).toBe(6);
    expect(recall.note).toContain('It took too long.');
  });

  it('are counted over the last five minutes alone', async () => {
    const asked: number[] = [];
    const { json } = setUp({
      reader: {
        failures: async (_account, since) => {
          asked.push(since);
          return { count: 0, newest: null };
        },
      },
    });
    await json('/health');
    expect(asked).toEqual([1_796_000_000_000 - 300_000]);
  });

  it('do not make the answer about health fail where the archive does not answer', async () => {
    const { rest } = setUp({ reader: { failures: () => Promise.reject(new Error('gone')) } });
    expect((await rest('/health')).status).toBe(200);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';
import type { DocId, MessageHash } from '../../server/conversation/index.ts';
import { openDatabase } from '../../server/db/index.ts';
import { LOCAL_ACCOUNT, type Uuid } from '../../server/kernel/ids.ts';
import { createLogger } from '../../server/kernel/log.ts';
import {
  createRecallReader,
  createRecallStore,
  DEFAULT_RECALL,
  type Generation,
} from '../../server/recall/index.ts';
import { type Product, startProduct } from '../clients/harness/product.ts';
import { type ReplayProvider, recordedCase, replay, startReplayProvider } from './replay.ts';

const CLAUDE = recordedCase('claude-code/opus-session');

interface Laid {
  readonly url: string;
  readonly session: string;
  readonly request: string;
  /** What the person typed first, as the archive has it. */
  readonly typed: string;
}

/** The product over a recorded session that was laid out: its rows are written through the store, between two starts. */
const test = base.extend<object, { readonly provider: ReplayProvider; readonly laid: Laid }>({
  provider: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names that a fixture needs from this pattern.
    async ({}, use) => {
      const provider = await startReplayProvider(CLAUDE);
      await use(provider);
      await provider.stop();
    },
    { scope: 'worker' },
  ],
  laid: [
    async ({ provider }, use) => {
      const home = mkdtempSync(join(tmpdir(), 'context-mode-recall-'));
      const upstreams = { anthropic: provider.url, openai: provider.url };
      const first = await startProduct(home, upstreams);
      await replay(CLAUDE, first.url, '/anthropic');
      const found = await recorded(first);
      await first.stop();
      await layOut(home, found);
      const second = await startProduct(home, upstreams);
      await use({ ...found, url: second.url });
      await second.stop();
      rmSync(home, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 240_000 },
  ],
  baseURL: async ({ laid }, use) => use(laid.url),
});

test.describe.configure({ mode: 'serial' });

async function json(url: string) {
  return (await fetch(url)).json();
}

/** The session that was replayed, once all of it is archived. */
async function recorded({ url }: Product): Promise<Laid> {
  let found: Laid | null = null;
  await expect
    .poll(
      async () => {
        const { items } = await json(`${url}/api/v1/sessions`);
        const [session] = items;
        if (session === undefined) return 0;
        const requests = await json(`${url}/api/v1/requests?session=${session.id}`);
        const main = requests.items.filter((one: { kind: string }) => one.kind === 'main');
        const log = await json(`${url}/api/v1/sessions/${session.id}/log?kinds=input`);
        const [typed] = log.rows;
        if (main.length === 0 || typed === undefined) return 0;
        found = { url, session: session.id, request: main[0].id, typed: typed.body };
        return (await json(`${url}/api/v1/requests/${main[0].id}/messages`)).total;
      },
      { timeout: 30_000 },
    )
    .toBeGreaterThan(3);
  if (found === null) throw new Error('nothing was archived');
  return found;
}

/** Writes a layout that was made at the newest request, a hidden round, and what the model saw. */
async function layOut(home: string, { request, typed }: Laid): Promise<void> {
  const database = await openDatabase({ home, databaseUrl: undefined, log: createLogger('silent', 'test') });
  try {
    const { pool } = database;
    const reader = createRecallReader(pool);
    const chain = await reader.chain(LOCAL_ACCOUNT, request as Uuid);
    const messages = await reader.messages(
      LOCAL_ACCOUNT,
      chain.map(({ hash }) => hash),
      100_000,
    );
    const items = messages.flatMap((message) => message.items);
    const docid = items.find((one) => one.kind === 'input' && one.text === typed)?.docid;
    const cut = Math.floor(chain.length / 2);
    const [oldest, before, boundary, newest] = [0, cut - 1, cut, chain.length - 1].map(
      (at) => chain[at]?.hash,
    );
    if (docid === undefined || !oldest || !before || !boundary || !newest) throw new Error('too short');
    const store = createRecallStore(pool, { accountKey: async () => new Uint8Array(32) });
    const { rows } = await pool.query<{ name: string }>(
      'SELECT client_session_id AS name FROM session WHERE account_id = $1 AND id = (SELECT session_id FROM request WHERE account_id = $1 AND id = $2)',
      [LOCAL_ACCOUNT, request],
    );
    const thread = { agent: 'claude-code' as const, session: rows[0]?.name ?? '', thread: '' };
    const at = Date.now() as Generation['at'];
    await store.keepGeneration(LOCAL_ACCOUNT, {
      madeAt: hashOf(newest),
      reason: 'pause',
      layout: {
        boundary: hashOf(boundary),
        boundaryMessage: hashOf(boundary),
        runningTyped: null,
        renderer: 1,
        index: [
          '[older]\nuser: ',
          { docid: docid as DocId, start: 0, end: typed.length },
          '\n[closing line]',
        ],
        indexHash: 'ab'.repeat(32),
        indexTokens: 321,
        memory: null,
        cacheMark: null,
        settings: DEFAULT_RECALL,
      },
      choices: { tool: 1, trimming: 1, memory: null },
      thread,
      at,
      tokensBefore: 90_000,
      tokensAfter: 30_000,
    });
    const call = { type: 'tool_use', id: 'u', name: 'context-mode-search', input: { q: 'older words' } };
    const answer = { type: 'tool_result', tool_use_id: 'u', content: 'one place' };
    await store.keepHidden(LOCAL_ACCOUNT, {
      id: request as Uuid,
      protocol: 'anthropic',
      thread,
      anchors: ['a'],
      documents: [docid as DocId],
      data: { sent: [call, answer].map((part) => JSON.stringify({ role: 'x', content: [part] })) },
      at,
    });
    const view = {
      layout: newest,
      made: 'pause',
      because: null,
      unedited: null,
      runs: [
        { is: 'ours', what: 'index', bytes: 900, record: null },
        { is: 'left_out', first: oldest, last: before },
        { is: 'ours', what: 'hidden_round', bytes: 90, record: request },
        { is: 'kept', first: boundary, last: newest },
      ],
      sentBytes: 45_000,
      tokens: { client: 90_000, sent: 30_000, limit: 158_650 },
    };
    await pool.query('UPDATE request SET view = $3 WHERE account_id = $1 AND id = $2', [
      LOCAL_ACCOUNT,
      request,
      JSON.stringify(view),
    ]);
  } finally {
    await database.stop();
  }
}

function hashOf(hex: string): MessageHash {
  return Buffer.from(hex, 'hex') as Uint8Array as MessageHash;
}

const firstLine = (text: string) => (text.trim().split('\n')[0] ?? '').slice(0, 40);

test('both sides of a recorded request: its own words on the left, the index with them on the right', async ({
  page,
  laid,
}) => {
  await page.goto(`/archive/request/${laid.request}`);
  const sides = page.getByRole('region', { name: 'Both sides' });
  await sides.getByRole('button', { name: /put in Index/ }).click();
  await expect(sides.getByText('[closing line]')).toBeVisible();
  await expect(sides.getByText(firstLine(laid.typed)).first()).toBeVisible();
  await sides.getByRole('button', { name: /put in Hidden call/ }).click();
  await expect(sides.getByText('{"q":"older words"}')).toBeVisible();
  await expect(sides.getByText('one place')).toBeVisible();
  await sides
    .getByRole('button', { name: /^\d+ messages/ })
    .first()
    .click();
  await expect(sides.getByRole('button', { name: /^Typed/ }).first()).toContainText(firstLine(laid.typed));
  await expect(page.getByText('This request made the layout, after a pause')).toBeVisible();
});

test('the requests of the session say which one made the layout', async ({ page, laid }) => {
  await page.goto(`/archive/${laid.session}?tab=requests`);
  const list = page.getByRole('region', { name: 'Requests' });
  await expect(list.getByText('layout', { exact: true })).toHaveCount(1);
});

async function openWindow(page: Page, laid: Laid) {
  await page.goto(`/archive/${laid.session}?tab=window`);
  const window = page.getByRole('region', { name: 'Window' });
  await expect(window.getByText('A layout is in force')).toBeVisible();
  return window;
}

test('the window shows the layout where it cuts, with its index', async ({ page, laid }) => {
  const window = await openWindow(page, laid);
  await window.getByRole('link', { name: /after a pause/ }).click();
  const pane = page.getByRole('complementary', { name: 'Layout' });
  await expect(pane.getByText('[closing line]')).toBeVisible();
  await expect(pane.getByRole('link', { name: /before position \d+/ })).toBeVisible();
});

test('a session is paused and resumed, and its settings and those of the account hold in the store', async ({
  page,
  laid,
  request,
}) => {
  const settings = async () => (await request.get(`/api/v1/sessions/${laid.session}/settings`)).json();
  const window = await openWindow(page, laid);
  await window.getByRole('button', { name: 'Pause' }).click();
  await expect.poll(async () => (await settings()).paused).toBe(true);
  await window.getByRole('button', { name: 'Resume' }).click();
  await expect.poll(async () => (await settings()).from.paused).toBe('default');
  await page.goto('/settings');
  await page.getByRole('combobox', { name: /^Kept in view:/ }).click();
  await page.getByRole('option', { name: 'Roomy, 300 k' }).click();
  await expect.poll(settings).toMatchObject({ preset: 'roomy', from: { keepRecent: 'account' } });
  await window.page().getByRole('combobox', { name: 'Kept in view: Roomy, 300 k' }).waitFor();
});

test('taking back answers with what happens or why not, and nothing breaks', async ({ page, laid }) => {
  const window = await openWindow(page, laid);
  await window.getByRole('button', { name: 'Take the layout back' }).click();
  const notices = page.getByRole('region', { name: 'Notifications' });
  await expect(notices.getByText(/The layout (is taken back|stays)/)).toBeVisible();
});

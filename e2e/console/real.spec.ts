import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import { type Product, startProduct } from '../clients/harness/product.ts';
import { type ReplayProvider, recordedCase, replay, startReplayProvider } from './replay.ts';

const CLAUDE = recordedCase('claude-code/opus-session');
const SUBAGENT = recordedCase('claude-code/opus-subagent');
const IMAGE = recordedCase('claude-code/opus-image');
const CODEX = recordedCase('codex/gpt-5.4-session');

/** The product itself, started on a folder of its own; its agents are recordings of real ones. */
const test = base.extend<object, { readonly product: Product; readonly provider: ReplayProvider }>({
  provider: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names that a fixture needs from this pattern.
    async ({}, use) => {
      const provider = await startReplayProvider([...CLAUDE, ...SUBAGENT, ...IMAGE, ...CODEX]);
      await use(provider);
      await provider.stop();
    },
    { scope: 'worker' },
  ],
  product: [
    async ({ provider }, use) => {
      const home = mkdtempSync(join(tmpdir(), 'context-mode-console-'));
      const product = await startProduct(home, { anthropic: provider.url, openai: provider.url });
      await use(product);
      await product.stop();
      rmSync(home, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  baseURL: async ({ product }, use) => use(product.url),
});

test.describe.configure({ mode: 'serial' });

test("the waiting console turns into Claude Code's first session by itself", async ({
  page,
  product,
  request,
}) => {
  // Recorded answers belong to the requests as their agents sent them.
  expect((await request.patch('/api/v1/settings', { data: { recall: false } })).ok()).toBe(true);
  await page.goto('/');
  await expect(page.getByText('Waiting for the first request')).toBeVisible();
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await replay(CLAUDE, product.url, '/anthropic');
  await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible();
  const agents = page.getByRole('region', { name: 'Agents' });
  await expect(agents.getByText('Claude Code', { exact: true })).toBeVisible();
  await page.getByRole('region', { name: "Today's sessions" }).locator('[data-row]').first().click();
  await expect(page.getByRole('region', { name: 'Transcript' }).locator('article').first()).toBeVisible();
});

test('its transcript has typed words, answers and tool calls with their results', async ({
  page,
  request,
}) => {
  const { items } = await (await request.get('/api/v1/sessions?agent=claude-code')).json();
  const log = await (await request.get(`/api/v1/sessions/${items[0].id}/log?limit=500`)).json();
  const kinds = new Set(log.rows.map((row: { kind: string }) => row.kind));
  for (const kind of ['input', 'answer', 'tool_call', 'tool_result']) expect(kinds, kind).toContain(kind);
  await page.goto(`/archive/${items[0].id}`);
  const transcript = page.getByRole('region', { name: 'Transcript' });
  const typed = log.rows.find((row: { kind: string }) => row.kind === 'input');
  await expect(transcript.getByText(typed.body.split('\n')[0].slice(0, 40)).first()).toBeVisible();
  const call = log.rows.find((row: { kind: string }) => row.kind === 'tool_call');
  const line = transcript.locator(`[data-seq="${call.seq}"]`).getByRole('button').first();
  await line.click();
  await expect(line).toHaveAttribute('aria-expanded', 'true');
  await expect(transcript.getByText('no result')).toHaveCount(0);
});

test('a document is confirmed soon, and its bytes have the hash that it names', async ({ page, request }) => {
  const { items } = await (await request.get('/api/v1/sessions?agent=claude-code')).json();
  const log = await (await request.get(`/api/v1/sessions/${items[0].id}/log?limit=500&kinds=answer`)).json();
  const row = log.rows[0];
  await expect
    .poll(async () => (await (await request.get(`/api/v1/documents/${row.docid}`)).json()).confirmed)
    .toBe(true);
  await page.goto(`/archive/${items[0].id}?at=${row.seq}&doc=${row.docid}&view=facts`);
  const pane = page.getByRole('complementary', { name: 'Document' });
  const found = await (await request.get(`/api/v1/documents/${row.docid}`)).json();
  await expect(pane.getByText(found.sha256)).toBeVisible();
  const raw = await (await request.get(`/api/v1/documents/${row.docid}/raw`)).body();
  expect(createHash('sha256').update(raw).digest('hex')).toBe(found.sha256);
});

test('search finds what was typed, and opens it where it stands', async ({ page, request }) => {
  const { items } = await (await request.get('/api/v1/sessions?agent=claude-code')).json();
  const log = await (await request.get(`/api/v1/sessions/${items[0].id}/log?limit=500&kinds=input`)).json();
  const typed: { body: string; docid: string; seq: number } = log.rows[0];
  const words = typed.body.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 3);
  const q = words.slice(0, 4).join(' ');
  const found = async (): Promise<readonly { docid: string }[]> =>
    (await (await request.get(`/api/v1/search?${new URLSearchParams({ q, kind: 'input' })}`)).json()).items;
  await expect.poll(async () => (await found()).map((hit) => hit.docid)).toContain(typed.docid);
  await page.goto(`/archive/search?${new URLSearchParams({ q, kind: 'input' })}`);
  const hit = page.getByRole('region', { name: 'Hits' }).locator('[data-row]').first();
  await expect(hit).toContainText('Typed words');
  await expect(hit.locator('mark').first()).toBeVisible();
  await hit.click();
  const pane = page.getByRole('complementary', { name: 'Document' });
  await expect(
    pane.getByRole('region', { name: 'Text of the document' }).locator('mark').first(),
  ).toBeInViewport();
  await pane.getByRole('link', { name: 'In its session' }).click();
  await expect(page.getByRole('region', { name: 'Transcript' }).locator('article').first()).toBeVisible();
});

test('sub-agents stand in the transcript of their session, images are shown', async ({
  page,
  product,
  request,
}) => {
  await replay(SUBAGENT, product.url, '/anthropic');
  await replay(IMAGE, product.url, '/anthropic');
  const sessions = async (): Promise<readonly { id: string; threads: number }[]> =>
    (await (await request.get('/api/v1/sessions?agent=claude-code')).json()).items;
  const subAgentSession = async () => (await sessions()).find((one) => one.threads > 1)?.id;
  await expect.poll(subAgentSession).toBeDefined();
  await page.goto(`/archive/${await subAgentSession()}`);
  await expect(page.getByText('Sub-agent', { exact: true }).first()).toBeVisible();
  const image = async () => {
    for (const { id } of await sessions()) {
      const { rows } = await (await request.get(`/api/v1/sessions/${id}/log?limit=500`)).json();
      const row = rows.find((one: { seq: number; media: number }) => one.media > 0);
      if (row !== undefined) return row as { seq: number; docid: string };
    }
    return undefined;
  };
  await expect.poll(image).toBeDefined();
  const { media } = await (await request.get(`/api/v1/documents/${(await image())?.docid}`)).json();
  const blob = await request.get(`/api/v1/blobs/${media[0].hash}`);
  expect(blob.headers()['content-type']).toMatch(/^image\//);
  expect((await blob.body()).length).toBe(media[0].bytes);
});

test("Codex's session joins the list of an open archive", async ({ page, product }) => {
  await page.goto('/archive');
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await replay(CODEX, product.url, '/openai');
  const row = page.getByRole('row', { name: /Codex/ }).first();
  await expect(row).toBeVisible();
  await row.locator('[data-row]').click();
  await page.getByRole('tab', { name: /Requests/ }).click();
  const requests = page.getByRole('region', { name: 'Requests' });
  await expect(requests.getByText('200').first()).toBeVisible();
});

test("a refused key is told in the provider's words", async ({ page, product, provider }) => {
  await page.goto('/');
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  provider.refuse('invalid x-api-key');
  await replay(IMAGE.slice(-1), product.url, '/anthropic');
  await expect(page.getByRole('region', { name: 'Agents' }).getByText('invalid x-api-key')).toBeVisible();
});

test('a session is exported, then really deleted after its wait', async ({ page, request }) => {
  const { items } = await (await request.get('/api/v1/sessions?agent=codex')).json();
  const exported = await request.get(`/api/v1/export/session?id=${items[0].id}`);
  expect((await exported.text()).trimEnd().split('\n').length).toBeGreaterThan(3);
  await page.goto(`/archive/${items[0].id}`);
  await page.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete session' }).click();
  await expect(page.getByText('will be deleted in')).toBeVisible();
  await expect(page.getByText('There is no session with this id.')).toBeVisible({ timeout: 25_000 });
  const left = await (await request.get('/api/v1/sessions?agent=codex')).json();
  expect(left.items).toEqual([]);
});

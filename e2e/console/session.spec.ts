import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

const transcript = (page: Page) => page.getByRole('region', { name: 'Transcript' });
const part = (page: Page, seq: number) => page.locator(`[data-seq="${seq}"]`);

test('a transcript reads like a conversation and unfolds', async ({ page, fake }) => {
  await page.goto(`/archive/${fake.sessions.rich}`);
  await expect(page.getByText('The refund window should be 30 days')).toBeVisible();
  await expect(page.getByRole('heading', { level: 2 }).first()).toBeVisible();
  const grep = page.getByRole('button', { name: /^Grep/ }).first();
  await expect(grep).toHaveAttribute('aria-expanded', 'false');
  await grep.click();
  await expect(page.getByText('src/refund.ts:4:export const refundWindowDays')).toBeVisible();
  await page
    .getByRole('button', { name: /^Reasoning/ })
    .first()
    .click();
  await expect(page.getByText('Search first, read second.')).toBeVisible();
  await expect(page.getByText('Sub-agent', { exact: true })).toBeVisible();
});

test('what stands in a conversation is text and never runs', async ({ page, fake }) => {
  await page.goto(`/archive/${fake.sessions.rich}?at=36`);
  await expect(transcript(page).getByText('<script>document.title = "run"</script>')).toBeVisible();
  await expect(transcript(page).locator('script, iframe, [onerror]')).toHaveCount(0);
  await expect(page).toHaveTitle(/refund window/);
  await expect(transcript(page).getByText('⟨U+202E⟩').first()).toBeVisible();
  await expect(transcript(page).getByRole('img').first()).toBeVisible();
});

test('keys alone: walk, unfold, open the document, close it, be back', async ({ page, fake }) => {
  await page.goto(`/archive/${fake.sessions.rich}`);
  await expect(page.getByText('The refund window should be 30 days')).toBeVisible();
  for (let step = 0; step < 6; step += 1) {
    await page.keyboard.press('j');
    await expect(part(page, step + 1)).toBeFocused();
  }
  await page.keyboard.press('Space');
  await expect(part(page, 6).getByRole('button', { name: /^Grep/ })).toHaveAttribute('aria-expanded', 'true');
  await page.keyboard.press('Enter');
  const pane = page.getByRole('complementary', { name: 'Document' });
  await expect(pane.getByText('Tool call: Grep')).toBeVisible();
  await expect(page).toHaveURL(/doc=context-mode-msg-/);
  await page.keyboard.press('Escape');
  await expect(pane).toBeHidden();
  await expect(part(page, 6)).toBeFocused();
});

test('keys that follow quickly lose no step', async ({ page, fake }) => {
  await page.goto(`/archive/${fake.sessions.long}?at=51`);
  await expect(part(page, 51)).toBeFocused();
  for (let step = 0; step < 12; step += 1) await page.keyboard.press('j');
  // Of ten positions, three are results that stand inside their calls.
  await expect(part(page, 69)).toBeFocused();
  for (let step = 0; step < 12; step += 1) await page.keyboard.press('k');
  await expect(part(page, 51)).toBeFocused();
});

test('an address brings back position, document and view', async ({ page, fake, request }) => {
  const log = await (await request.get(`/api/v1/sessions/${fake.sessions.rich}/log?limit=200`)).json();
  await page.goto(`/archive/${fake.sessions.rich}?at=10&doc=${log.rows[9].docid}&view=exact`);
  const pane = page.getByRole('complementary', { name: 'Document' });
  await expect(pane.getByText('This is not the real text')).toBeVisible();
  await expect(pane.getByText('confirmed', { exact: true })).toBeVisible();
  const exact = pane.getByRole('region', { name: 'Exact bytes' });
  await expect(exact.getByText('/** Asks support@example.test before a late refund. */')).toBeVisible();
  await expect(exact.getByText('37', { exact: true })).toBeVisible();
  await pane.getByRole('tab', { name: 'Facts' }).click();
  await expect(pane.getByText(log.rows[9].docid)).toBeVisible();
});

test('the downloaded bytes are the stored ones', async ({ fake, request }) => {
  const log = await (await request.get(`/api/v1/sessions/${fake.sessions.rich}/log?limit=200`)).json();
  const url = `/api/v1/documents/${log.rows[9].docid}`;
  const raw = await request.get(`${url}/raw`);
  const found = await (await request.get(url)).json();
  expect((await raw.body()).length).toBe(found.bytes);
  expect(raw.headers()['content-security-policy']).toContain('sandbox');
  expect(raw.headers()['content-type']).toBe('application/octet-stream');
});

test('search walks every hit, also those inside folded results', async ({ page, fake }) => {
  await page.goto(`/archive/${fake.sessions.rich}`);
  await expect(page.getByText('The refund window should be 30 days')).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('refundWindowDays');
  await expect(page.getByText('1 of 4')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByText('2 of 4')).toBeVisible();
  for (const place of ['3 of 4', '4 of 4', '1 of 4']) {
    await page.keyboard.press('n');
    await expect(page.getByText(place)).toBeVisible();
  }
  await expect(transcript(page).locator('mark[data-now]').first()).toBeInViewport();
  await page.keyboard.press('N');
  await expect(page.getByText('4 of 4')).toBeVisible();
});

test('100,000 rows: the end, the middle and a hit are each one step away', async ({ page, fake }) => {
  await page.goto(`/archive/${fake.sessions.long}`);
  await expect(page.getByText('Step 1: go on')).toBeVisible();
  await page.keyboard.press('End');
  await expect(page.getByText('Step 10000 is done.')).toBeInViewport();
  await page.keyboard.press('Home');
  await expect(page.getByText('Step 1: go on')).toBeInViewport();
  await page.goto(`/archive/${fake.sessions.long}?at=50001`);
  await expect(page.getByText('Step 5001: go on')).toBeInViewport();
  expect(await transcript(page).locator('article').count()).toBeLessThan(200);
  await page.keyboard.press('/');
  await page.keyboard.type('Step 7777 is');
  await expect(page.getByText('Step 7777 is').last()).toBeInViewport();
});

test('requests are listed with their tokens, and one opens at the right', async ({ page, fake }) => {
  await page.goto(`/archive/${fake.sessions.rich}?tab=requests`);
  const table = page.getByRole('region', { name: 'Requests' });
  await expect(table.getByText('529')).toBeVisible();
  await table.getByRole('row').filter({ hasText: '529' }).getByRole('link').click();
  const pane = page.getByRole('complementary', { name: 'Request' });
  await expect(pane.getByText('Overloaded', { exact: true })).toBeVisible();
  await expect(page).toHaveURL(/request=/);
  await page.keyboard.press('Escape');
  await expect(pane).toBeHidden();
});

test('a deletion waits, is told after a reload too, and can be taken back', async ({ page, fake }) => {
  await page.goto(`/archive/${fake.sessions.rich}`);
  await page.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete session' }).click();
  await expect(page.getByText('will be deleted in')).toBeVisible();
  await page.reload();
  await expect(page.getByText('will be deleted in')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect(page.getByText('will be deleted in')).toBeHidden();
  await page.reload();
  await expect(page.getByText('The refund window should be 30 days')).toBeVisible();
});

test('the export holds every row', async ({ fake, request }) => {
  const answer = await request.get(`/api/v1/export/session?id=${fake.sessions.rich}`);
  expect(answer.headers()['content-disposition']).toContain('.jsonl');
  const lines = (await answer.text()).trimEnd().split('\n');
  const log = await (await request.get(`/api/v1/sessions/${fake.sessions.rich}/log?limit=1`)).json();
  expect(lines.length).toBe(log.matched + 1);
});

test('a session that is gone says so', async ({ page }) => {
  await page.goto('/archive/00000000-0000-7000-8000-00000000dead');
  await expect(page.getByText('There is no session with this id.')).toBeVisible();
});

test('a number at the end of an address leads to its position', async ({ page, fake }) => {
  await page.goto(`/archive/${fake.sessions.long}#50001`);
  await expect(page.getByText('Step 5001: go on')).toBeInViewport();
  await expect(page).toHaveURL(/at=50001$/);
  await page.evaluate(() => {
    window.location.hash = '#71';
  });
  await expect(part(page, 71)).toBeInViewport();
});

test('a position or a time is gone to by keys alone', async ({ page, fake, request }) => {
  await page.goto(`/archive/${fake.sessions.long}`);
  await expect(page.getByText('Step 1: go on')).toBeVisible();
  const goTo = async (words: string) => {
    await page.keyboard.press(':');
    await expect(page.getByRole('textbox', { name: 'Position or time' })).toBeFocused();
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
  };
  const leave = async () => {
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
  };
  await goTo('200000');
  await expect(page.getByText('This session has the positions')).toBeVisible();
  await leave();
  await goTo('soon');
  await expect(page.getByText('Write a position')).toBeVisible();
  await leave();
  await goTo('70001');
  await expect(page.getByText('Step 7001: go on')).toBeInViewport();
  // The last row of a minute is followed by the first of the next, to which the minute leads.
  const { at } = await (await request.get(`/api/v1/sessions/${fake.sessions.long}/log/30000`)).json();
  const minute = new Date(Math.ceil(Date.parse(at) / 60_000) * 60_000);
  const named = minute.toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' }).slice(0, 16);
  await goTo(named);
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page).not.toHaveURL(/at=70001/);
  const seq = Number(new URL(page.url()).searchParams.get('at'));
  const around = await request.get(
    `/api/v1/sessions/${fake.sessions.long}/log?after=${seq - 2}&before=${seq + 1}`,
  );
  const times = (await around.json()).rows.map((row: { at: string }) => Date.parse(row.at));
  expect(times[0]).toBeLessThan(minute.getTime());
  expect(seq).toBeGreaterThan(29_990);
});

test('what is searched for in a session is taken as it is written', async ({ page, fake }) => {
  await page.goto(`/archive/${fake.sessions.rich}`);
  await expect(page.getByText('The refund window should be 30 days')).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('refund%days');
  await expect(page.getByText('No hit')).toBeVisible();
  await page.getByRole('searchbox', { name: 'Search in this session' }).fill('REFUNDWINDOWDAYS');
  await expect(page.getByText('1 of 4')).toBeVisible();
});

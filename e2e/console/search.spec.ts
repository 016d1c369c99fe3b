import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';

const field = (page: Page) => page.getByRole('searchbox', { name: 'Search everything' });
const hits = (page: Page) => page.getByRole('region', { name: 'Hits' }).locator('[data-row]');
const pane = (page: Page) => page.getByRole('complementary', { name: 'Document' });

test('before the first word it teaches, with examples that work', async ({ page }) => {
  await page.goto('/archive/search');
  await expect(field(page)).toBeFocused();
  await page.getByRole('link', { name: '"refund window"' }).click();
  await expect(field(page)).toHaveValue('"refund window"');
  await expect(hits(page).first().locator('mark').first()).toHaveText(/refund window/i);
});

test('a hit says who said it, with what, where and when, and marks the words', async ({ page }) => {
  await page.goto('/archive/search?q=refundWindowDays&kind=tool_result&tool=Grep');
  const hit = hits(page).first();
  await expect(hit).toContainText('Tool result');
  await expect(hit).toContainText('Grep');
  await expect(hit).toContainText('Change the refund window for team accounts');
  await expect(hit).toContainText('ada/billing');
  await expect(hit.locator('time')).toBeVisible();
  await expect(hit.locator('mark')).toHaveText(['refundWindowDays', 'refundWindowDays', 'refundWindowDays']);
  await expect(page.getByText('1 hit', { exact: true })).toBeVisible();
});

test('words and filters stand in the address, narrow the hits, and come back with it', async ({ page }) => {
  await page.goto('/archive/search');
  await field(page).fill('refund');
  await expect(page).toHaveURL(/q=refund/);
  await expect(page.getByText('30+ hits')).toBeVisible();
  await page.getByRole('combobox', { name: /^Kind/ }).click();
  await page.getByRole('option', { name: 'Typed words' }).click();
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByRole('textbox', { name: 'Thread' }).fill('main');
  await expect(page).toHaveURL(/kind=input.*thread=main|thread=main.*kind=input/);
  for (const hit of await hits(page).all()) await expect(hit).toContainText('Typed words');
  const before = await hits(page).allTextContents();
  await page.reload();
  await expect(hits(page).first()).toBeVisible();
  expect((await hits(page).allTextContents()).length).toBe(before.length);
  await expect(page.getByRole('textbox', { name: 'Thread' })).toHaveValue('main');
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect(page.getByText('30+ hits')).toBeVisible();
});

test('keys alone: to the words, into the hits, to the match in its document, and back', async ({ page }) => {
  await page.goto('/archive/search?q=refundWindowDays');
  await expect(hits(page).nth(3)).toBeVisible();
  await page.keyboard.press('/');
  await expect(field(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(hits(page).nth(0)).toBeFocused();
  await page.keyboard.press('j');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('k');
  await expect(hits(page).nth(1)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(pane(page)).toBeVisible();
  await expect(hits(page).nth(1)).toHaveAttribute('aria-current', 'true');
  await page.keyboard.press('j');
  await expect(hits(page).nth(2)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(pane(page)).toBeHidden();
  await expect(page).not.toHaveURL(/doc=/);
});

test('a document opens at its match, however far inside it stands', async ({ page }) => {
  await page.goto('/archive/search?q=%22has+no+currency%22&kind=tool_result');
  await hits(page).first().click();
  const now = pane(page).locator('mark[data-now]');
  await expect(now).toHaveText('has no currency');
  await expect(now).toBeInViewport();
  await expect(pane(page).getByText('1 of 1')).toBeVisible();
  await page.reload();
  await expect(now).toBeInViewport();
});

test('a hit leads to its place in the session', async ({ page, fake }) => {
  await page.goto('/archive/search?q=refundWindowDays&kind=tool_result&tool=Grep');
  await hits(page).first().click();
  await pane(page).getByRole('link', { name: 'In its session' }).click();
  await expect(page).toHaveURL(new RegExp(`/archive/${fake.sessions.rich}\\?at=6`));
  await expect(page.locator('[data-seq="6"]')).toBeInViewport();
});

test('what cannot be looked for, and what is not there, say what to do', async ({ page }) => {
  await page.goto('/archive/search?q=-refund');
  await expect(page.getByText('This search has nothing to look for.')).toBeVisible();
  await expect(page.getByText('Name at least one word')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  await page.goto('/archive/search?q=%22window+refund%22&kind=input');
  await expect(page.getByText('Nothing fits')).toBeVisible();
  await page.getByRole('link', { name: 'window refund' }).click();
  await expect(hits(page).first()).toBeVisible();
});

test('how the answer came about is told above the hits', async ({ page }) => {
  await page.goto('/archive/search?q=the+refund');
  await expect(page.getByText('of its places the newest 20,000 were ranked')).toBeVisible();
});

test('walking down loads more hits and builds only those on the screen', async ({ page }) => {
  await page.goto('/archive/search?q=step+refund');
  const list = page.getByRole('region', { name: 'Hits' });
  await expect(hits(page).first()).toBeVisible();
  await expect
    .poll(
      async () => {
        await list.evaluate((region) => region.scrollTo(0, region.scrollHeight));
        return page.getByRole('main').getByRole('status').first().textContent();
      },
      { intervals: [100], timeout: 25_000 },
    )
    .toMatch(/^(3\d\d|[4-9]\d\d)\+? hits$/);
  expect(await hits(page).count()).toBeLessThan(60);
});

test('hits are saved by the filters that are shown', async ({ page, request }) => {
  await page.goto('/archive/search?q=refund&kind=answer');
  await expect(hits(page).first()).toBeVisible();
  await page.getByRole('button', { name: 'Export Hits' }).click();
  const href = await page.getByRole('menuitem', { name: 'Hits as JSON Lines' }).getAttribute('href');
  const lines = (await (await request.get(href ?? '')).text()).trimEnd().split('\n');
  expect(new Set(lines.map((line) => JSON.parse(line).kind))).toEqual(new Set(['answer']));
});

test('an archive that does not answer is told, and is asked again', async ({ page, fake }) => {
  await fake.act('break');
  await page.goto('/archive/search?q=refund');
  await expect(page.getByText('This search got no answer')).toBeVisible();
  await fake.act('mend');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(hits(page).first()).toBeVisible();
});

test('search is one step away from everywhere', async ({ page, fake }) => {
  await page.goto('/settings');
  await expect(page.getByText('Data', { exact: true })).toBeVisible();
  await page.keyboard.press('/');
  await expect(field(page)).toBeFocused();
  await page.goto('/settings');
  await expect(page.getByText('Data', { exact: true })).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('mayRefund');
  await page.getByRole('option', { name: 'Search the archive for “mayRefund”' }).click();
  await expect(hits(page).first()).toContainText('mayRefund');
  await page.goto(`/archive/${fake.sessions.rich}`);
  await page.getByRole('button', { name: 'Session actions' }).click();
  await page.getByRole('menuitem', { name: /Search in this session/ }).click();
  await expect(page.getByText('In: Change the refund window')).toBeVisible();
  await field(page).fill('Done');
  await expect(hits(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'Search in all sessions' }).click();
  await expect(hits(page).nth(5)).toBeVisible();
});

test('a snippet is only ever text', async ({ page }) => {
  await page.goto('/archive/search?q=onerror');
  await expect(hits(page).first()).toContainText('<script>document.title = "run"</script>');
  await expect(page.getByRole('region', { name: 'Hits' }).locator('script, img')).toHaveCount(0);
  await page.goto('/archive/search?q=invoice&kind=tool_result&tool=Bash&path=');
  await expect(page).toHaveTitle(/Search/);
});

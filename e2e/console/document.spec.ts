import type { Page } from '@playwright/test';
import { docidsOf, expect, test } from './fixtures.ts';

const text = (page: Page) => page.getByRole('region', { name: 'Text of the document' });
const find = (page: Page) => page.getByRole('searchbox', { name: 'Find in this document' });
/** Everything that is built for a text or its bytes. */
const built = (page: Page, name: string) =>
  page.getByRole('region', { name }).evaluate((region) => region.querySelectorAll('*').length);

/** Log positions in the session of large texts. */
const LOG_10_MB = 2;
const WRITE_1_5_MB = 4;
const ONE_LINE_1_5_MB = 6;

test('of 10 MB the beginning and the end are there, the rest is read on, and the page stays small', async ({
  page,
  fake,
  request,
}) => {
  const ids = await docidsOf(request, fake.sessions.large);
  await page.goto(`/archive/document/${ids.get(LOG_10_MB)}`);
  await expect(page.getByText('the beginning and the end are shown')).toBeVisible();
  await expect(text(page).getByText('split invoice 000000 in')).toBeVisible();
  await expect
    .poll(async () => {
      await text(page).evaluate((region) => region.scrollTo(0, region.scrollHeight));
      return text(page).getByText('Done with one failure.').count();
    })
    .toBe(1);
  expect(await built(page, 'Text of the document')).toBeLessThan(1500);
  const gap = text(page).getByRole('button', { name: 'Read on' });
  await expect
    .poll(async () => {
      await text(page).evaluate(async (region) => {
        for (let step = 0; step < 30 && region.querySelector('button') === null; step += 1) {
          region.scrollBy(0, -1200);
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
      });
      return gap.count();
    })
    .toBe(1);
  const before = await text(page).evaluate((region) => region.scrollHeight);
  await gap.click();
  await expect.poll(() => text(page).evaluate((region) => region.scrollHeight)).toBeGreaterThan(before * 1.3);
});

test('words are found anywhere in 10 MB, and walked by keys', async ({ page, fake, request }) => {
  const ids = await docidsOf(request, fake.sessions.large);
  await page.goto(`/archive/document/${ids.get(LOG_10_MB)}`);
  await expect(text(page).getByText('split invoice 000000 in')).toBeVisible();
  await page.keyboard.press('/');
  await expect(find(page)).toBeFocused();
  await page.keyboard.type('invoice 0812');
  await expect(page.getByText('1 of 100', { exact: true })).toBeVisible();
  await expect(text(page).locator('mark[data-now]')).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByText('2 of 100', { exact: true })).toBeVisible();
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.press('Shift+Enter');
  await expect(page.getByText('100 of 100', { exact: true })).toBeVisible();
  await expect(text(page).locator('mark[data-now]')).toBeInViewport();
  expect(await built(page, 'Text of the document')).toBeLessThan(2500);
  await find(page).fill('there is no such word');
  await expect(page.getByText('No match')).toBeVisible();
});

test('a line of 1.5 MB is drawn in parts, and the whole text is copied', async ({ page, fake, request }) => {
  const ids = await docidsOf(request, fake.sessions.large);
  const docid = ids.get(ONE_LINE_1_5_MB);
  await page.goto(`/archive/document/${docid}?in=%22Äquator+23999`);
  await expect(text(page).locator('mark[data-now]')).toBeInViewport();
  expect(await built(page, 'Text of the document')).toBeLessThan(1500);
  await page.getByRole('button', { name: 'Copy the text' }).click();
  await expect(page.getByText('Copied the text')).toBeAttached();
  const raw = await (await request.get(`/api/v1/documents/${docid}/raw`)).text();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.length).toBe(raw.length);
  expect(copied === raw).toBe(true);
});

test('a call with a long input does not build it whole', async ({ page, fake, request }) => {
  const ids = await docidsOf(request, fake.sessions.large);
  await page.goto(`/archive/document/${ids.get(WRITE_1_5_MB)}`);
  await expect(page.getByText('File created successfully')).toBeVisible();
  await expect(page.getByText('/home/ada/billing/fixtures/rows.json', { exact: true })).toBeVisible();
  expect(await built(page, 'Input of the call')).toBeLessThan(500);
});

test('the exact bytes of 10 MB begin, end and go on at their offsets', async ({ page, fake, request }) => {
  const ids = await docidsOf(request, fake.sessions.large);
  await page.goto(`/archive/document/${ids.get(LOG_10_MB)}?view=exact`);
  const exact = page.getByRole('region', { name: 'Exact bytes' });
  await expect(exact.getByText('split invoice 000001 in')).toBeVisible();
  await exact.evaluate((region) => region.scrollTo(0, region.scrollHeight));
  await expect(exact.getByText('Done with one failure.↵')).toBeVisible();
  expect(await built(page, 'Exact bytes')).toBeLessThan(1500);
  const raw = await (await request.get(`/api/v1/documents/${ids.get(LOG_10_MB)}/raw`)).body();
  const row = exact.locator('div', { hasText: 'Done with one failure.↵' }).last();
  const offset = Number((await row.locator('span').first().textContent()) ?? '');
  expect(raw.subarray(offset).toString()).toBe('Done with one failure.\n');
});

test('lines are numbered, broken and shown with signs as the reader wants, and the address keeps it', async ({
  page,
  fake,
  request,
}) => {
  const ids = await docidsOf(request, fake.sessions.rich);
  await page.goto(`/archive/document/${ids.get(15)}`);
  const numbers = page.getByRole('button', { name: 'Numbers' });
  await expect(numbers).toHaveAttribute('aria-pressed', 'true');
  await expect(text(page).getByText('7', { exact: true })).toBeVisible();
  await numbers.click();
  await expect(text(page).getByText('7', { exact: true })).toHaveCount(0);
  await expect(text(page).getByText('ESC')).toHaveCount(0);
  await page.getByRole('button', { name: 'Signs' }).click();
  await expect(text(page).getByText('ESC').first()).toBeVisible();
  await page.getByRole('button', { name: 'Wrap' }).click();
  await expect(page).toHaveURL(/wrap=false/);
  await page.reload();
  await expect(text(page).getByText('ESC').first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Wrap' })).toHaveAttribute('aria-pressed', 'false');
});

test('a read of a file that was changed later says so, and leads to what is newer', async ({
  page,
  fake,
  request,
}) => {
  const ids = await docidsOf(request, fake.sessions.rich);
  await page.goto(`/archive/${fake.sessions.rich}?at=10&doc=${ids.get(10)}`);
  const pane = page.getByRole('complementary', { name: 'Document' });
  await expect(pane.getByText('/home/ada/billing/src/refund.ts was edited')).toBeVisible();
  await pane.getByRole('link', { name: /Fresh copy/ }).click();
  await expect(pane.getByText('export function refundWindowOf(account: Account): number {')).toBeVisible();
  await expect(pane.getByText('was edited')).toHaveCount(0);
  await page.goto(`/archive/document/${ids.get(10)}`);
  await page.getByRole('link', { name: 'The change' }).click();
  await expect(page).toHaveURL(new RegExp(`/archive/document/${ids.get(13)}`));
  await expect(page.getByRole('heading', { name: 'Tool call: Edit' })).toBeVisible();
});

test('the documents before and behind are one key away, and the sessions that hold one are named', async ({
  page,
  fake,
  request,
}) => {
  const ids = await docidsOf(request, fake.sessions.rich);
  await page.goto(`/archive/${fake.sessions.rich}?at=4&doc=${ids.get(4)}`);
  const pane = page.getByRole('complementary', { name: 'Document' });
  await expect(pane.getByRole('heading', { name: 'Reasoning' })).toBeVisible();
  await page.keyboard.press(']');
  await expect(pane.getByRole('heading', { name: 'Answer' })).toBeVisible();
  await expect(pane.getByText('in 2 sessions')).toBeVisible();
  await pane.getByRole('tab', { name: 'Facts' }).click();
  await expect(pane.getByText('this session')).toBeVisible();
  await expect(pane.getByRole('link', { name: 'Write a migration for split invoices' })).toBeVisible();
  await page.keyboard.press('[');
  await page.keyboard.press('[');
  await expect(pane.getByRole('heading', { name: 'Typed words' })).toBeVisible();
});

test('a document is only ever text, by itself too', async ({ page, fake, request }) => {
  const ids = await docidsOf(request, fake.sessions.rich);
  await page.goto(`/archive/document/${ids.get(32)}`);
  await expect(text(page).getByText('<script>document.title = "run"</script>')).toBeVisible();
  await expect(page).toHaveTitle(/Document/);
  await expect(text(page).locator('script, img, iframe')).toHaveCount(0);
  await page.goto(`/archive/document/${ids.get(31)}`);
  await expect(page.getByRole('img')).toBeVisible();
  expect(await page.getByRole('img').evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(320);
});

test('a document that is gone says so', async ({ page }) => {
  await page.goto('/archive/document/context-mode-msg-00000000dead');
  await expect(page.getByText('This document could not be read')).toBeVisible();
  await expect(page.getByText('a prefix is enough if it is unique')).toBeVisible();
});

import { expect, test } from './fixtures.ts';

test('filters narrow the list and stand in the address', async ({ page }) => {
  await page.goto('/archive');
  await page.getByRole('searchbox', { name: 'Search titles' }).fill('tile cache');
  await expect(page).toHaveURL(/q=tile/);
  await expect(page.getByRole('link', { name: /refund window/ })).toHaveCount(0);
  await page.getByRole('combobox', { name: /^Agent/ }).click();
  await page.getByRole('option', { name: 'Codex' }).click();
  await expect(page).toHaveURL(/agent=codex/);
  await expect(page.getByRole('link', { name: /tile cache/ }).first()).toBeVisible();
  await page.reload();
  await expect(page.getByRole('searchbox', { name: 'Search titles' })).toHaveValue('tile cache');
  await expect(page.getByRole('combobox', { name: 'Agent: Codex' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect(page.getByRole('link', { name: /refund window/ }).first()).toBeVisible();
});

test('a search without a hit says what to do', async ({ page }) => {
  await page.goto('/archive?q=there-is-no-such-title');
  await expect(page.getByText('No session fits')).toBeVisible();
});

test('an empty archive says what makes a session', async ({ page, fake }) => {
  await fake.act('empty');
  await page.goto('/archive');
  await expect(page.getByText('No session yet')).toBeVisible();
  await expect(page.getByText('npx @context-mode/cli connect')).toBeVisible();
});

test('keys alone: search, walk, open, come back', async ({ page }) => {
  await page.goto('/archive');
  await expect(page.getByRole('link', { name: /refund window/ }).first()).toBeVisible();
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: 'Search titles' })).toBeFocused();
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('j');
  await expect(page.getByRole('link', { name: /tile cache/ }).first()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: /tile cache/ })).toBeVisible();
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await expect(page).toHaveURL(/\/archive$/);
});

test('walking down loads older sessions', async ({ page }) => {
  await page.goto('/archive');
  const table = page.getByRole('region', { name: 'Sessions' });
  await expect(table.getByRole('row').nth(3)).toBeVisible();
  await expect
    .poll(async () => {
      await table.evaluate((region) => region.scrollTo(0, region.scrollHeight));
      return table.getByRole('table').getAttribute('aria-rowcount');
    })
    .toBe('261');
});

test('a click anywhere in a row opens it', async ({ page }) => {
  await page.goto('/archive');
  await page
    .getByRole('row', { name: /refund window/ })
    .first()
    .getByText('ada/billing')
    .click();
  await expect(page.getByRole('heading', { name: /refund window/ })).toBeVisible();
});

test('the palette finds screens, sessions and documents by keys alone', async ({ page, fake, request }) => {
  await page.goto('/archive');
  await expect(page.getByRole('link', { name: /refund window/ }).first()).toBeVisible();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('split inv');
  await expect(page.getByRole('option', { name: /migration for split invoices/ }).first()).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: /migration for split invoices/ })).toBeVisible();

  const log = await (await request.get(`/api/v1/sessions/${fake.sessions.rich}/log?limit=200`)).json();
  const docid: string = log.rows[9].docid;
  await page.keyboard.press('Control+k');
  await page.keyboard.type(docid.replace('context-mode-msg-', '').slice(0, 10));
  await expect(page.getByRole('option', { name: docid })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(
    page.getByRole('complementary', { name: 'Document' }).getByText('Tool call: Read'),
  ).toBeVisible();
});

test('days bound the list, and stand in the address', async ({ page }) => {
  await page.goto('/archive');
  await page.getByRole('combobox', { name: /^Time/ }).click();
  await page.getByRole('option', { name: 'Between…' }).click();
  await page.getByLabel('To day').fill('2020-01-31');
  await expect(page).toHaveURL(/until=2020-01-31/);
  await expect(page.getByText('No session fits')).toBeVisible();
  await page.getByLabel('From day').fill('2020-01-01');
  await page.getByLabel('To day').fill('');
  await expect(page.getByRole('link', { name: /refund window/ }).first()).toBeVisible();
});

test('a search for titles leads on to every word', async ({ page }) => {
  await page.goto('/archive?q=quotaOf+is+called');
  await page.getByRole('link', { name: /Search every word for/ }).click();
  await expect(page).toHaveURL(/\/archive\/search\?q=quotaOf/);
  await expect(page.getByRole('searchbox', { name: 'Search everything' })).toHaveValue('quotaOf is called');
});

test('the list is saved as it is narrowed', async ({ page, request }) => {
  await page.goto('/archive?agent=codex');
  await expect(page.getByRole('link', { name: /tile cache/ }).first()).toBeVisible();
  await page.getByRole('button', { name: 'Export Sessions' }).click();
  const href = await page.getByRole('menuitem', { name: 'Sessions as CSV' }).getAttribute('href');
  const lines = (await (await request.get(href ?? '')).text()).trimEnd().split('\r\n');
  expect(lines.length).toBeGreaterThan(50);
  for (const line of lines.slice(1)) expect(line).toContain(',codex,');
});

test('100,000 sessions: only what is on the screen is built, and news costs a page, however far one has read', async ({
  page,
  fake,
}) => {
  await fake.act('crowd');
  await page.goto('/archive');
  const table = page.getByRole('region', { name: 'Sessions' });
  await expect(table.getByText('Session 0', { exact: true })).toBeVisible();
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await expect
    .poll(
      async () => {
        await table.evaluate((region) => region.scrollTo(0, region.scrollHeight));
        return Number(await table.getByRole('table').getAttribute('aria-rowcount'));
      },
      { intervals: [100], timeout: 25_000 },
    )
    .toBeGreaterThan(1000);
  expect(await table.getByRole('row').count()).toBeLessThan(90);
  let asked = 0;
  page.on('request', (request) => {
    asked += request.url().split('sessions.list').length - 1;
  });
  const bottom = await table.evaluate((region) => region.scrollTop);
  const heard = page.waitForResponse((response) => response.url().includes('sessions.list'));
  await fake.act('add');
  await heard;
  await page.keyboard.press('Escape');
  await table.evaluate((region) => region.scrollTo(0, 0));
  await expect(table.getByText('It has just arrived')).toBeVisible();
  expect(bottom).toBeGreaterThan(1000);
  expect(asked).toBeLessThan(6);
});

test('a project that is chosen has its own ways on', async ({ page }) => {
  await page.goto('/archive');
  await page.getByRole('combobox', { name: /^Project/ }).click();
  await page.getByRole('option', { name: 'ada/atlas' }).click();
  await expect(page).toHaveURL(/project=/);
  await page.getByRole('button', { name: 'Project actions' }).click();
  await page.getByRole('menuitem', { name: 'Search in this project' }).click();
  await expect(page.getByRole('combobox', { name: 'Project: ada/atlas' })).toBeVisible();
  await expect(page).toHaveURL(/\/archive\/search\?project=/);
});

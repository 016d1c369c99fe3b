import { expect, test } from './fixtures.ts';

test('before the first session it says what to run, and what is kept where', async ({ page, fake }) => {
  await fake.act('empty');
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Connect an agent' })).toBeVisible();
  await expect(page.getByText('Waiting for the first request')).toBeVisible();
  await expect(page.getByText('/home/ada/.context-mode')).toBeVisible();
  await expect(page.getByText('No telemetry')).toBeVisible();
  await expect(page.getByText(`ANTHROPIC_BASE_URL=${fake.url}/anthropic`)).toBeVisible();
  await expect(page.getByText(`openai_base_url = "${fake.url}/openai/v1"`)).toBeVisible();
  await expect(page.getByText(`{"baseURL":"${fake.url}/anthropic/v1"}`)).toBeVisible();
  await expect(page.getByText(`{"baseUrl":"${fake.url}/anthropic"}`)).toBeVisible();
  await page.getByRole('button', { name: 'Copy the command' }).first().click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('npx @context-mode/cli connect');
});

test('the first session appears without a reload', async ({ page, fake }) => {
  await fake.act('empty');
  await page.goto('/');
  await expect(page.getByText('Waiting for the first request')).toBeVisible();
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await fake.act('add');
  await expect(page.getByRole('link', { name: 'It has just arrived' })).toBeVisible();
  await expect(page.getByText('Waiting for the first request')).toBeHidden();
});

test('after a minute of silence three causes are named, each with a check', async ({ page, fake }) => {
  await fake.act('empty');
  await page.clock.install();
  await page.goto('/');
  await expect(page.getByText('Waiting for the first request')).toBeVisible();
  await page.clock.runFor(59_000);
  await expect(page.getByText('A shell variable outranks the file')).toBeHidden();
  await page.clock.runFor(2_000);
  await expect(page.getByText('The agent was not started again')).toBeVisible();
  await expect(page.getByText('A shell variable outranks the file')).toBeVisible();
  await expect(page.getByText('The agent has another base URL')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Copy the check' })).toHaveCount(3);
});

test("a refused key is told in the provider's own words", async ({ page }) => {
  await page.goto('/');
  const agents = page.getByRole('region', { name: 'Agents' });
  await expect(agents.getByText('key refused (401)')).toBeVisible();
  await expect(agents.getByText('Incorrect API key provided')).toBeVisible();
  await expect(agents.getByText('keeps no copy')).toBeVisible();
});

test("today's sessions are listed with their sums, and a new one joins them", async ({ page, fake }) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible();
  await expect(page.getByRole('link', { name: /Change the refund window/ }).first()).toBeVisible();
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await fake.act('add');
  await expect(page.getByRole('link', { name: 'It has just arrived' })).toBeVisible();
});

test('an archive that does not answer is told with what to do, and comes back', async ({ page, fake }) => {
  await fake.act('break');
  await page.goto('/');
  await expect(page.getByText('The archive does not answer', { exact: true })).toBeVisible();
  await expect(page.getByText('Agents work on')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Copy the request id' })).toBeVisible();
  await fake.act('mend');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible();
});

import { expect, test } from './fixtures.ts';

test('how long sessions are kept is chosen, for all and for a project, and holds after a reload', async ({
  page,
}) => {
  await page.goto('/settings');
  await page.getByRole('combobox', { name: /^Keep sessions:/ }).click();
  await page.getByRole('option', { name: '90 days' }).click();
  await expect(page.getByRole('combobox', { name: 'Keep sessions: 90 days' })).toBeVisible();
  const first = page.getByRole('combobox', { name: /^Keep sessions of/ }).first();
  await expect(first).toHaveAccessibleName(/As all others$/);
  await first.click();
  await page.getByRole('option', { name: 'For ever' }).click();
  await expect(first).toHaveAccessibleName(/For ever$/);
  await page.reload();
  await expect(page.getByRole('combobox', { name: 'Keep sessions: 90 days' })).toBeVisible();
  await expect(first).toHaveAccessibleName(/For ever$/);
});

test('the deletion of a project is said until it is taken back, also after a reload', async ({ page }) => {
  await page.goto('/settings');
  const remove = page.getByRole('button', { name: /^Delete project/ });
  await expect(remove.first()).toBeVisible();
  const before = await remove.count();
  await remove.first().click();
  await expect(page.getByText('is being deleted').first()).toBeVisible();
  await expect(remove).toHaveCount(before - 1);
  await page.reload();
  await expect(remove).toHaveCount(before - 1);
  await page.getByRole('listitem').getByRole('button', { name: 'Undo' }).click();
  await expect(remove).toHaveCount(before);
});

test('the deletion of everything asks once more, and can be taken back', async ({ page }) => {
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Delete everything…' }).click();
  await page.getByRole('button', { name: 'Keep it' }).click();
  await page.getByRole('button', { name: 'Delete everything…' }).click();
  await page.getByRole('button', { name: 'Delete all of it' }).click();
  await expect(page.getByText('The whole archive is being deleted')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await expect(page.getByRole('button', { name: 'Delete everything…' })).toBeVisible();
});

test('a pause is begun in Settings, said on every screen, and ended from there', async ({ page }) => {
  await page.goto('/settings');
  await page.getByRole('button', { name: 'Pause for an hour' }).click();
  const banner = page.getByRole('status').filter({ hasText: 'nothing is recorded, bytes pass' });
  await expect(banner).toBeVisible();
  await expect(page.getByText('Paused since')).toBeVisible();
  await page.goto('/archive');
  await expect(banner).toBeVisible();
  await banner.getByRole('button', { name: 'Resume' }).click();
  await expect(banner).toBeHidden();
  await page.goto('/settings');
  await expect(page.getByRole('button', { name: 'Pause for an hour' })).toBeVisible();
});

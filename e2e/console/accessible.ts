import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

/** The rules of axe that look at colours. A theme changes nothing else: it is styles alone (`app/globals.css`). */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Asserts that axe finds nothing on what the page shows, in the light theme by every rule and in the dark one, to which
 * the page is switched as it stands, by those that look at colours. The page ends in the light theme.
 */
export async function expectAccessible(page: Page): Promise<void> {
  // Axe looks into no frame here; a console without any is looked at whole.
  expect(page.frames().length, 'frames').toBe(1);
  const light = await page.evaluate(ground);
  const found = await violations(page, {});
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  expect(await page.evaluate(ground), 'ground of the dark theme').not.toBe(light);
  const foundInDark = await violations(page, { runOnly: { type: 'rule', values: COLOUR_RULES } });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  expect({ light: found, dark: foundInDark }).toEqual({ light: [], dark: [] });
}

/** What a run of axe has to say against the page. What it finds in order is not described, which takes it most of its time. */
async function violations(
  page: Page,
  options: Parameters<AxeBuilder['options']>[0],
): Promise<readonly string[]> {
  const axe = new AxeBuilder({ page }).options({ ...options, resultTypes: ['violations'] }).setLegacyMode();
  const found = await axe.analyze();
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join('\n')}`);
}

/** Runs in the page. */
function ground(): string {
  return getComputedStyle(document.body).backgroundColor;
}

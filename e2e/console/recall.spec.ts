import type { APIRequestContext, Page } from '@playwright/test';
import { expectAccessible } from './accessible.ts';
import { expect, type Fake, test } from './fixtures.ts';

const notices = (page: Page) => page.getByRole('region', { name: 'Notifications' });
const sides = (page: Page) => page.getByRole('region', { name: 'Both sides' });

/** The ids of a session's requests, newest first. */
async function requestsOf(request: APIRequestContext, session: string): Promise<readonly string[]> {
  const { items } = await (await request.get(`/api/v1/requests?session=${session}`)).json();
  return items.map((one: { id: string }) => one.id);
}

async function open(page: Page, request: APIRequestContext, fake: Fake, back: number, more = '') {
  const id = (await requestsOf(request, fake.sessions.rich))[back];
  await page.goto(`/archive/request/${id}${more}`);
  await expect(sides(page)).toBeVisible();
}

test.describe('what the model saw', () => {
  test('both sides stand beside each other: kept, left out, ours and changed, with counts and reasons', async ({
    page,
    fake,
    request,
  }) => {
    await open(page, request, fake, 0);
    const left = page.getByRole('listitem').filter({ hasText: 'the index stands in its place' });
    await expect(left).toContainText('22 messages');
    await expect(left).toContainText('left out');
    await expect(page.getByRole('listitem').filter({ hasText: 'trimmed' })).toContainText('Message 25');
    await expect(sides(page).getByRole('button', { name: /put in Hidden call/ })).toBeVisible();
    await expect(page.getByText('Under a layout that was made before, after a pause')).toBeVisible();
    const sizes = page.getByRole('table', { name: 'Sizes of both sides' });
    await expect(sizes.getByRole('row', { name: /^Messages/ })).toHaveText(/37\s*15/);
    await expect(sizes.getByRole('row', { name: /^Tokens, estimated/ })).toContainText('54.2');
    await expect(page.getByText('at the list price')).toBeVisible();
  });

  test('the address of what is open can be shared, with the document beside it', async ({
    page,
    fake,
    request,
  }) => {
    await open(page, request, fake, 0);
    await sides(page)
      .getByRole('button', { name: /^22 messages/ })
      .click();
    await sides(page)
      .getByRole('button', { name: /^Typed The refund window/ })
      .click();
    const pane = page.getByRole('complementary', { name: 'Document' });
    await expect(pane.getByText('The refund window should be 30 days')).toBeVisible();
    await page.reload();
    await expect(pane.getByText('The refund window should be 30 days')).toBeVisible();
    await expect(sides(page).getByRole('button', { name: /^22 messages/ })).toHaveAttribute(
      'aria-expanded',
      'true',
    );
    await page.keyboard.press('Escape');
    await expect(pane).toBeHidden();
  });

  test('what was put in can be read: the index with its masks said, and hidden calls with their answers', async ({
    page,
    fake,
    request,
  }) => {
    await open(page, request, fake, 0);
    await sides(page)
      .getByRole('button', { name: /put in Index/ })
      .click();
    await expect(sides(page).getByText('41 items are stored')).toBeVisible();
    await expect(sides(page).getByText('masked here, and sent as it was typed')).toBeVisible();
    await sides(page)
      .getByRole('button', { name: /put in Hidden call/ })
      .click();
    await expect(sides(page).getByText('{"q":"refund window quota"}')).toBeVisible();
    await expect(sides(page).getByText('2 of 9 places, best first.')).toBeVisible();
  });

  test('keys alone: walk, unfold, open a document, close it', async ({ page, fake, request }) => {
    await open(page, request, fake, 0);
    const kept = sides(page).getByRole('button', { name: /^22 messages/ });
    await expect(kept).toBeVisible();
    for (let step = 0; step < 4; step += 1) await page.keyboard.press('j');
    await expect(kept).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(kept).toHaveAttribute('aria-expanded', 'true');
    await expect(
      sides(page)
        .getByRole('button', { name: /^Typed/ })
        .first(),
    ).toBeVisible();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const pane = page.getByRole('complementary', { name: 'Document' });
    await expect(pane).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(pane).toBeHidden();
    await page.keyboard.press('k');
    await expect(kept).toBeFocused();
  });

  test('a request that a failed step left alone says so, in plain words', async ({ page, fake, request }) => {
    await open(page, request, fake, 6);
    await expect(page.getByText('It went out exactly as the agent sent it.')).toBeVisible();
    await expect(page.getByText('Preparing it took longer than a request may wait.')).toBeVisible();
    await expect(sides(page).getByRole('listitem').filter({ hasText: 'as sent' }).last()).toBeVisible();
    await expect(sides(page).getByText('left out')).toHaveCount(0);
  });

  test('a request that changed nothing says why nothing new was made', async ({ page, fake, request }) => {
    await open(page, request, fake, 5);
    await expect(page.getByText('No layout is in force.')).toBeVisible();
    await expect(page.getByText('it would have taken too little off the prompt')).toBeVisible();
  });

  test('100,000 messages: only what is on the screen is built, and the last is one key away', async ({
    page,
    fake,
    request,
  }) => {
    const [id] = await requestsOf(request, fake.sessions.long);
    await page.goto(`/archive/request/${id}?open=3`);
    await expect(sides(page).getByRole('button', { name: /^60\s000 messages/ })).toBeVisible();
    await expect(sides(page).getByText('Step 1: go on')).toBeVisible();
    expect(await sides(page).getByRole('listitem').count()).toBeLessThan(200);
    await sides(page).focus();
    await page.keyboard.press('End');
    await expect(sides(page).getByRole('button', { name: /40\s001/ })).toHaveCount(0);
    await expect(
      sides(page)
        .getByRole('button', { name: /messages/ })
        .last(),
    ).toBeVisible();
    expect(await sides(page).getByRole('listitem').count()).toBeLessThan(200);
  });

  test('a request that is not there is told as such', async ({ page }) => {
    await page.goto('/archive/request/01a229f1-2be8-754e-9327-4168d49aa999');
    await expect(page.getByText('There is no request with this id.')).toBeVisible();
  });
});

test.describe('requests', () => {
  test('a list says which were edited, made a layout, or were left as sent; one leads to both sides', async ({
    page,
    fake,
  }) => {
    await page.goto(`/archive/${fake.sessions.rich}?tab=requests`);
    const list = page.getByRole('region', { name: 'Requests' });
    await expect(list.getByText('layout', { exact: true })).toHaveCount(1);
    await expect(list.getByText('left as sent')).toHaveCount(1);
    await expect(list.getByText('edited', { exact: true })).toHaveCount(4);
    await list.getByRole('row').filter({ hasText: 'left as sent' }).locator('[data-row]').click();
    const pane = page.getByRole('complementary', { name: 'Request' });
    await expect(pane.getByText('went out as the agent sent it, because a step failed')).toBeVisible();
    await pane.getByRole('link', { name: 'What the model saw' }).click();
    await expect(page.getByRole('heading', { name: 'What the model saw' })).toBeVisible();
    await expect(page.getByText('Preparing it took longer')).toBeVisible();
  });
});

test.describe('the window of a session', () => {
  const window = (page: Page) => page.getByRole('region', { name: 'Window' });

  test('shows the layout in force, what the next would cost and when it pays, and opens each', async ({
    page,
    fake,
  }) => {
    await page.goto(`/archive/${fake.sessions.rich}?tab=window`);
    await expect(window(page).getByText('A layout is in force')).toBeVisible();
    await expect(window(page).getByText('9 requests')).toBeVisible();
    await expect(window(page).getByRole('heading', { name: 'Layouts, newest first (2)' })).toBeVisible();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const pane = page.getByRole('complementary', { name: 'Layout' });
    await expect(pane.getByText('because the prompt would have passed its limit')).toBeVisible();
    await expect(page).toHaveURL(/layout=[0-9a-f]{64}/);
    await page.keyboard.press('Escape');
    await expect(pane).toBeHidden();
    await window(page)
      .getByRole('link', { name: /after a pause/ })
      .click();
    await expect(pane.getByText('41 items are stored')).toBeVisible();
    await pane.getByRole('link', { name: /before position/ }).click();
    await expect(page.getByRole('region', { name: 'Transcript' })).toBeVisible();
  });

  test('a session without layouts says when one is made', async ({ page, request }) => {
    const { items } = await (await request.get('/api/v1/sessions?limit=6')).json();
    await page.goto(`/archive/${items[5].id}?tab=window`);
    await expect(window(page).getByText('No layout is in force')).toBeVisible();
    await expect(window(page).getByText('None yet. One is made when')).toBeVisible();
    await expect(window(page).getByText('Nothing to lay out')).toBeVisible();
    await expect(window(page).getByRole('button', { name: 'Take the layout back' })).toHaveCount(0);
  });

  test('pause holds after a reload, and resume ends it', async ({ page, fake }) => {
    await page.goto(`/archive/${fake.sessions.rich}?tab=window`);
    await window(page).getByRole('button', { name: 'Pause' }).click();
    await expect(window(page).getByText('paused', { exact: true })).toBeVisible();
    await page.reload();
    await expect(window(page).getByText('paused', { exact: true })).toBeVisible();
    await window(page).getByRole('button', { name: 'Resume' }).click();
    await expect(window(page).getByText('paused', { exact: true })).toHaveCount(0);
  });

  test('a layout is taken back by one click; where it cannot be, a sentence says why', async ({
    page,
    fake,
  }) => {
    await page.goto(`/archive/${fake.sessions.rich}?tab=window`);
    await window(page).getByRole('button', { name: 'Take the layout back' }).click();
    await expect(notices(page).getByText('The layout is taken back')).toBeVisible();
    await expect(window(page).getByRole('heading', { name: 'Layouts, newest first (1)' })).toBeVisible();
    await window(page).getByRole('button', { name: 'Take the layout back' }).click();
    await expect(notices(page).getByText('The layout stays')).toBeVisible();
    await expect(notices(page).getByText('more than the limit of 158650')).toBeVisible();
  });
});

test.describe('settings of Recall', () => {
  const field = (page: Page, name: string) =>
    page.getByRole('region', { name: 'Settings' }).getByRole('combobox', { name: new RegExp(`^${name}:`) });

  async function choose(page: Page, name: string, option: string) {
    await field(page, name).click();
    await page.getByRole('option', { name: option, exact: true }).click();
  }

  test('account, project and session say what they want; the rest is shown as it is inherited', async ({
    page,
    fake,
  }) => {
    await page.goto('/settings');
    await expect(field(page, 'Kept in view')).toHaveAccessibleName(/By default: Balanced, 150 k$/);
    await choose(page, 'Kept in view', 'Lean, 60 k');
    await expect(notices(page).getByText('It takes effect at the next layout.')).toBeVisible();
    await expect(field(page, 'Kept in view')).toHaveAccessibleName('Kept in view: Lean, 60 k');
    await page.getByRole('button', { name: 'Recall in ada/billing' }).click();
    await expect(field(page, 'Kept in view of ada/billing')).toHaveAccessibleName(
      /As the account: Lean, 60 k$/,
    );
    await choose(page, 'Trimming of ada/billing', 'Off');
    await expect(field(page, 'Trimming of ada/billing')).toHaveAccessibleName('Trimming of ada/billing: Off');
    await page.goto(`/archive/${fake.sessions.rich}?tab=window`);
    const window = page.getByRole('region', { name: 'Window' });
    await expect(window.getByRole('combobox', { name: 'Trimming: As the project: Off' })).toBeVisible();
    await expect(
      window.getByRole('combobox', { name: 'Kept in view: As the account: Lean, 60 k' }),
    ).toBeVisible();
    await page.goto('/settings');
    await choose(page, 'Kept in view', 'As by default');
    await expect(field(page, 'Kept in view')).toHaveAccessibleName(/By default: Balanced, 150 k$/);
  });

  test('a number of one’s own by keys alone; what is none is refused with what would be', async ({
    page,
  }) => {
    await page.goto('/settings');
    await field(page, 'Context limit').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: 'A number…' }).waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    const input = page.getByRole('textbox', { name: 'Context limit in tokens' });
    await expect(input).toBeFocused();
    await page.keyboard.type('120 000');
    await page.keyboard.press('Enter');
    await expect(field(page, 'Context limit')).toHaveAccessibleName(/120\s000 tokens$/);
    await choose(page, 'Context limit', 'A number…');
    await input.fill('7');
    await page.keyboard.press('Enter');
    await expect(notices(page).getByText('Nothing was changed')).toBeVisible();
    await expect(field(page, 'Context limit')).toHaveAccessibleName(/120\s000 tokens$/);
    await choose(page, 'Context limit', 'A number…');
    await page.keyboard.press('Escape');
    await choose(page, 'Context limit', 'As by default');
    await expect(field(page, 'Context limit')).toHaveAccessibleName(/By default: By the rule$/);
  });
});

test('a banner says that Recall fails often, with the last reason, and goes when it does not', async ({
  page,
  fake,
}) => {
  await page.goto('/');
  await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible();
  await expect(page.getByText('because a step of Recall failed')).toHaveCount(0);
  await fake.act('fail');
  await page.reload();
  const banner = page.getByRole('alert').filter({ hasText: 'Recall: 7 requests of the last five minutes' });
  await expect(banner).toContainText('The archive did not answer within 300 ms.');
  await fake.act('mend');
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible();
  await expect(page.getByText('because a step of Recall failed')).toHaveCount(0);
});

const SCREENS: readonly (readonly [
  name: string,
  path: (fake: Fake, requests: readonly string[]) => string,
])[] = [
  ['both sides', (_, requests) => `/archive/request/${requests[0]}?open=1,2,3,5,6`],
  ['a request left as sent', (_, requests) => `/archive/request/${requests[6]}`],
  ['the window', (fake) => `/archive/${fake.sessions.rich}?tab=window`],
  [
    'requests with marks',
    (fake, requests) => `/archive/${fake.sessions.rich}?tab=requests&request=${requests[4]}`,
  ],
  ['help on Recall', () => '/help/recall'],
];

for (const [name, path] of SCREENS) {
  test(`axe finds nothing on ${name}, in both themes`, async ({ page, fake, request }) => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(path(fake, await requestsOf(request, fake.sessions.rich)));
    await settled(page);
    await expectAccessible(page);
  });

  test(`${name} fits a phone`, async ({ page, fake, request }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(path(fake, await requestsOf(request, fake.sessions.rich)));
    await settled(page);
    const wide = await page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('section, table')]
        .filter((element) => element.scrollWidth > window.innerWidth)
        .map((element) => element.outerHTML.slice(0, 120)),
    );
    expect(wide).toEqual([]);
  });
}

async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText('Loading')).toHaveCount(0);
  await expect(page.getByText('Live', { exact: true }).or(page.getByRole('navigation'))).not.toHaveCount(0);
}

import { expectAccessible } from './accessible.ts';
import { docidsOf, expect, type Fake, test } from './fixtures.ts';

const SCREENS: readonly (readonly [name: string, path: (fake: Fake) => string])[] = [
  ['home', () => '/'],
  ['archive', () => '/archive'],
  ['search, before words', () => '/archive/search'],
  ['search', () => '/archive/search?q=the+refund+window&tool=Read'],
  ['no hit', () => '/archive/search?q=%22zebra+crossing%22'],
  ['session', (fake) => `/archive/${fake.sessions.rich}`],
  ['requests', (fake) => `/archive/${fake.sessions.rich}?tab=requests`],
  ['settings', () => '/settings'],
  ['help', () => '/help/kept'],
];

test.describe('in both themes', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });

  for (const [name, path] of SCREENS) {
    test(`axe finds nothing on ${name}`, async ({ page, fake }) => {
      await page.goto(path(fake));
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect(page.getByText('Loading')).toHaveCount(0);
      await expect(page.getByText('Live', { exact: true })).toBeVisible();
      if (name === 'session') await page.getByRole('button', { name: /^Bash/ }).first().click();
      await expectAccessible(page);
    });
  }

  test('words that are hard to read in the dark theme alone are found', async ({ page }) => {
    await page.goto('/help/kept');
    await expect(page.getByText('Live', { exact: true })).toBeVisible();
    await page.evaluate(() => {
      const words = document.createElement('p');
      words.textContent = 'hard to read';
      words.style.color = 'light-dark(#000, #333)';
      words.style.background = 'light-dark(#fff, #222)';
      document.querySelector('main')?.append(words);
    });
    await expect(expectAccessible(page)).rejects.toThrow(/"dark": Array \[[^\]]*color-contrast: <p/);
  });

  test('axe finds nothing on a document in each view', async ({ page, fake, request }) => {
    const docid = (await docidsOf(request, fake.sessions.rich)).get(10);
    for (const view of ['readable', 'exact', 'facts']) {
      await page.goto(`/archive/document/${docid}?view=${view}&signs=true`);
      await expect(page.getByText('This is not the real text')).toBeVisible();
      await expectAccessible(page);
    }
  });

  test('axe finds nothing on a hit with its document, and on the way to a position', async ({
    page,
    fake,
  }) => {
    await page.goto('/archive/search?q=refund');
    await page.locator('[data-row]').first().click();
    await expect(
      page.getByRole('complementary', { name: 'Document' }).locator('mark[data-now]'),
    ).toBeVisible();
    await expectAccessible(page);
    await page.goto(`/archive/${fake.sessions.long}?at=51`);
    await expect(page.getByText('51 of')).toBeVisible();
    await page.keyboard.press(':');
    await expect(page.getByRole('dialog', { name: 'Go to' })).toBeVisible();
    await expectAccessible(page);
  });

  test('axe finds nothing on palette, keys, connect, document pane', async ({ page, fake, request }) => {
    const docid = (await docidsOf(request, fake.sessions.rich)).get(10);
    await page.goto(`/archive/${fake.sessions.rich}?at=10&doc=${docid}`);
    await expect(page.getByText('This is not the real text')).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('option').first()).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await fake.act('empty');
    await page.goto('/');
    await page.getByRole('button', { name: 'Nothing arrives?' }).click();
    await expectAccessible(page);
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
    await expectAccessible(page);
  });
});

for (const [name, path] of SCREENS) {
  test(`${name} fits a phone`, async ({ page, fake }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(path(fake));
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.getByText('Loading')).toHaveCount(0);
    const wide = await page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('section, table')]
        .filter((element) => element.scrollWidth > window.innerWidth)
        .map((element) => element.outerHTML.slice(0, 120)),
    );
    expect(wide).toEqual([]);
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Archive' }).click();
    await expect(page.getByRole('heading', { name: 'Archive' })).toBeVisible();
  });
}

test('the chosen theme is there at the first paint of the next visit', async ({ page }) => {
  await page.goto('/settings');
  await page.getByRole('combobox', { name: /^Theme/ }).click();
  await page.getByRole('option', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  const html = await (await page.request.get('/archive')).text();
  expect(html).toContain('data-theme="dark"');
});

test('keys are listed and lead to every screen', async ({ page }) => {
  await page.goto('/settings');
  await expect(page.getByText('Data', { exact: true })).toBeVisible();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog', { name: 'Keys' })).toBeHidden();
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible();
});

test('no page may be framed, run foreign script, or be reached by a foreign name', async ({
  request,
  fake,
}) => {
  const answer = await request.get('/');
  const policy = answer.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
  const nonces = await Promise.all([request.get('/'), request.get('/')]);
  expect(nonces[0].headers()['content-security-policy']).not.toBe(
    nonces[1].headers()['content-security-policy'],
  );
  for (const path of ['/', '/archive', '/api/v1/sessions', '/api/trpc/status.settings']) {
    const foreign = await request.get(path, { headers: { host: 'rebound.example' } });
    expect(foreign.status(), path).toBe(403);
  }
  const cross = await request.get('/api/v1/sessions', { headers: { origin: 'https://evil.example' } });
  expect(cross.status()).toBe(403);
  const change = await request.delete(`/api/v1/sessions/${fake.sessions.rich}`, {
    headers: { origin: fake.url },
  });
  expect(change.status()).toBe(403);
});

test('a door under Next takes 20 MB whole', async ({ request }) => {
  const answer = await request.post('/anthropic/v1/messages', { data: Buffer.alloc(20_000_000, 'x') });
  expect(await answer.text()).toBe('20000000');
});

for (const [name, path] of SCREENS) {
  test(`${name} has a content policy`, async ({ request, fake }) => {
    const answer = await request.get(path(fake));
    expect(answer.headers()['content-security-policy']).toContain("script-src 'nonce-");
  });
}

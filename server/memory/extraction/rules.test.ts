import { describe, expect, test } from 'vitest';
import { drawnFrom, factsShown, knownFact } from './testing.ts';

const facts = (text: string, ...known: readonly string[]) =>
  factsShown(drawnFrom(text, known.map(knownFact)));

describe('what is said outright', () => {
  test.each<readonly [text: string, ...facts: readonly string[]]>([
    ['Production is deployed to Render, Oregon region.', 'Production | deployed_to | Render, Oregon region'],
    ['We deploy staging to Fly.io.', 'staging | deployed_to | Fly.io'],
    ['The API now runs on Hetzner.', 'API | deployed_to | Hetzner'],
    ['our docs are hosted on Vercel', 'docs | deployed_to | Vercel'],
    ['The staging database is in Frankfurt now', 'staging database | region | Frankfurt'],
    ['The staging database region is Frankfurt.', 'staging database | region | Frankfurt'],
    ["The staging database's region is Frankfurt.", 'staging database | region | Frankfurt'],
    ['the region of the staging database is Frankfurt', 'staging database | region | Frankfurt'],
    ['Release codename is Heron.', 'Release | codename | Heron'],
    ['the codename is Heron', 'project | codename | Heron'],
    ['Our default branch is trunk.', 'project | default branch | trunk'],
    ['My timezone is Europe/Berlin', 'person | timezone | Europe/Berlin'],
    ['My name is Zoë.', 'person | name | Zoë'],
    ['Anna owns the billing service.', 'billing service | owner | Anna'],
    ['The billing service is owned by Team Rocket.', 'billing service | owner | Team Rocket'],
    ['the dev server listens on port 5173', 'dev server | port | 5173'],
    ['The deadline of the beta program was changed to Sunday.', 'beta program | deadline | Sunday'],
    ['The mail worker is now on port 9009.', 'mail worker | port | 9009'],
    ['Sarah is the new tech lead', 'project | tech lead | Sarah'],
    ['The payments service belongs to Priya', 'payments service | owner | Priya'],
    ['Bob took over the search service from Alice', 'search service | owner | Bob'],
    ['Payments are handled by Stripe', 'Payments | handled_by | Stripe'],
    ['the app is written in Elixir', 'app | language | Elixir'],
    ['Staging is at https://staging.acme.dev', 'Staging | url | https://staging.acme.dev'],
    ['deploys go to Kubernetes now', 'project | deployed_to | Kubernetes'],
    ["we've moved off Heroku to Fly", 'project | uses | ✗ Heroku', 'project | uses | Fly'],
    ['we store sessions in Redis', 'sessions | stored_in | Redis'],
    ['code freeze starts on December 15', 'code freeze | start date | 2026-12-15'],
    ["We're on Node 22.", 'project | uses | Node 22'],
    ['tests use Playwright', 'tests | uses | Playwright'],
    ['I work from Lisbon', 'person | location | Lisbon'],
    ['our designer is Lucia', 'project | designer | Lucia'],
    ['the retry count for webhooks is 5', 'webhooks | retry count | 5'],
    ['the owner of Halden is Ingrid', 'Halden | owner | Ingrid'],
    ['the new codename is Osprey', 'project | codename | Osprey'],
    ['the mobile app is built with Flutter', 'mobile app | uses | Flutter'],
    ['we pinned TypeScript to 5.9', 'TypeScript | version | 5.9'],
    ['The beta launches on January 10', 'beta | launch date | 2027-01-10'],
    ['we run our CI on Buildkite', 'CI | deployed_to | Buildkite'],
    ["I'm using Fedora 43", 'project | uses | Fedora 43'],
    ['the billing team owns the invoice schema', 'invoice schema | owner | billing team'],
    ['Payments moved from Stripe to Adyen', 'Payments | uses | Adyen'],
    ['the database moved to Aurora in October', 'database | deployed_to | Aurora @ 2026-10-01'],
    ['We use pnpm.', 'project | uses | pnpm'],
    ['we use Postgres and Redis', 'project | uses | Postgres', 'project | uses | Redis'],
    ['We use Vitest for the unit tests.', 'unit tests | uses | Vitest'],
    ['We use pnpm instead of npm', 'project | uses | ✗ npm', 'project | uses | pnpm'],
    ['The frontend uses SvelteKit.', 'frontend | uses | SvelteKit'],
    ['We no longer use Jest.', 'project | uses | ✗ Jest'],
    ["we don't use Jest anymore", 'project | uses | ✗ Jest'],
    ['we switched to Biome', 'project | uses | Biome'],
    ['We switched from ESLint to Biome.', 'project | uses | ✗ ESLint', 'project | uses | Biome'],
    ['Production is no longer on Render.', 'Production | deployed_to | ✗ Render'],
    ['I prefer tabs over spaces', 'person | prefers | tabs'],
    ['We released 2.4.0 yesterday', 'project | released | 2.4.0 @ 2026-11-30'],
    ['The release is due on December 18', 'release | deadline | 2026-12-18'],
    ['We renamed the worker to harvester', 'worker | name | harvester'],
    ['Remember: the wifi is upstairs', 'wifi | is | upstairs'],
    ['Remember that Bob signs off every release', 'project | note | Bob signs off every release'],
    ['remember to run the linter before each push', 'project | must | run the linter before each push'],
    ['Do not touch the webhook retry code.', 'project | must_not | Do not touch the webhook retry code'],
    ["please don't ever push to main", "project | must_not | don't ever push to main"],
    ['Never force-push to release branches', 'project | must_not | Never force-push to release branches'],
    [
      'Always run the migrations in a transaction',
      'project | must | Always run the migrations in a transaction',
    ],
    ['Option B because it needs no new table.', 'project | decided | Option B because it needs no new table'],
    ['Decision: keep the monolith', 'project | decided | keep the monolith'],
    ['We decided to use Kysely', 'project | decided | We decided to use Kysely', 'project | uses | Kysely'],
    ["let's go with server-sent events", "project | decided | let's go with server-sent events"],
  ])('%s', (text, ...expected) => {
    expect(facts(text)).toEqual(expected);
  });

  test('is kept in the language and the spelling of the person', () => {
    expect(facts('The Büro-Drucker is called Große Grüße')).toEqual(['Büro-Drucker | name | Große Grüße']);
    expect(facts('Remember: 本番環境 = 東京リージョン')).toEqual(['本番環境 | is | 東京リージョン']);
    expect(facts('Remember that das Logo `mark.svg` heißt')).toEqual([
      'project | note | das Logo `mark.svg` heißt',
    ]);
  });

  test('names its words in the text, to the character', () => {
    const text = 'Thanks! 👍🏽\n- btw, we use pnpm now.\nAnd then fix the test.';
    const [fact, ...others] = drawnFrom(text);
    expect(others).toEqual([]);
    expect(text.slice(fact?.start, fact?.end)).toBe('btw, we use pnpm now');
  });

  test('is read from each sentence and clause of its own', () => {
    expect(
      facts('We use pnpm. The API runs on Fly; the docs are hosted on Vercel, and staging is in Oslo.'),
    ).toEqual([
      'project | uses | pnpm',
      'API | deployed_to | Fly',
      'docs | deployed_to | Vercel',
      'staging | region | Oslo',
    ]);
  });

  test('leaves out the reason, the aside and what it is not', () => {
    expect(facts('Production is deployed to Fly because Render was too slow')).toEqual([
      'Production | deployed_to | Fly',
    ]);
    expect(facts('The region is Frankfurt, not Reykjavik')).toEqual(['project | region | Frankfurt']);
    expect(facts('We use Vitest (the newest one) for now')).toEqual(['project | uses | Vitest']);
  });
});

describe('a time in words', () => {
  test.each<readonly [text: string, fact: string]>([
    ['Production runs on Fly since Monday.', 'Production | deployed_to | Fly @ 2026-11-30'],
    ['Since October 9 production is deployed to Fly', 'production | deployed_to | Fly @ 2026-10-09'],
    ['As of 2026-11-01 we use pnpm', 'project | uses | pnpm @ 2026-11-01'],
    ['we moved production to Fly last Friday', 'production | deployed_to | Fly @ 2026-11-27'],
    ['From Monday on the API runs on Hetzner', 'API | deployed_to | Hetzner @ 2026-12-07'],
    ['Production has been on AWS since March 2025', 'Production | deployed_to | AWS @ 2025-03-01'],
    ['Two weeks ago we switched to Biome', 'project | uses | Biome @ 2026-11-17'],
  ])('%s', (text, fact) => {
    expect(facts(text)).toEqual([fact]);
  });

  test('that ends it is stated as its end', () => {
    expect(facts('We use the staging key server until Friday').length).toBeLessThanOrEqual(2);
    expect(facts('production is hosted on Render until December 24')).toEqual([
      'production | deployed_to | Render @ 2026-12-01',
      'production | deployed_to | ✗ Render @ 2026-12-24',
    ]);
  });
});

describe('ten wordings of one change', () => {
  const known = ['production | deployed_to | Render', 'staging | deployed_to | Heroku'];

  test.each([
    'Production moved from Render to Fly.',
    'We moved production from Render to Fly',
    'We migrated production to Fly',
    'production has been migrated from Render to Fly',
    'production is deployed to Fly now',
    'we deploy production to Fly now',
    'Production now runs on Fly',
    "it's Fly now, not Render",
    'not Render but Fly',
    'We switched from Render to Fly',
    'Render was replaced by Fly',
    'Correction: production is hosted on Fly',
  ])('%s', (text) => {
    expect(facts(text, ...known).map((fact) => fact.toLowerCase())).toEqual([
      'production | deployed_to | fly',
    ]);
  });

  test('a value that two slots have, or none, corrects nothing', () => {
    const both = ['production | deployed_to | Render', 'staging | deployed_to | Render'];
    expect(facts("it's Fly, not Render", ...both)).toEqual([]);
    expect(facts("it's Fly, not Render")).toEqual([]);
  });
});

test('what runs nowhere keeps the slot that it had when it moves', () => {
  expect(facts('The standup moved from 9:00 to 10:00', 'standup | time | 9:00')).toEqual([
    'standup | time | 10:00',
  ]);
  expect(facts('The standup moved to 10:00', 'standup | time | 9:00')).toEqual(['standup | time | 10:00']);
  expect(facts('the button moved to the left')).toEqual([]);
});

import { defineConfig } from '@playwright/test';

const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
const isRoot = process.getuid?.() === 0;

/** The console in Chromium. The built console must be there (`npm run build`). */
export default defineConfig({
  testDir: '.',
  testMatch: '**/*.spec.ts',
  outputDir: '../../test-results/console',
  // The browser alone keeps two cores at work: two at a time are slower.
  workers: 1,
  fullyParallel: false,
  forbidOnly: process.env.CI !== undefined,
  timeout: 45_000,
  expect: { timeout: 10_000 },
  reporter: 'list',
  use: {
    viewport: { width: 1440, height: 900 },
    timezoneId: 'Europe/Berlin',
    locale: 'en-GB',
    colorScheme: 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
    trace: 'off',
    launchOptions: {
      executablePath: chromium,
      args: [
        ...(isRoot ? ['--no-sandbox'] : []),
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
});

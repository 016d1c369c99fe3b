import { defineConfig } from 'vitest/config';
import { longestFirst } from './e2e/product/longest-first.ts';

const PRODUCT = ['server/**', 'app/**', 'e2e/simulator/**'];
const DATABASE = ['server/**/*.db.test.ts', 'app/**/*.db.test.ts', 'e2e/evals/**/*.db.test.ts'];

/** Files that take long, longest first. */
const LONG = [
  'doors/start',
  'faults/recall',
  'faults/embedded',
  'faults/large',
  'faults/new-layout',
  'faults/upstream',
  'faults/bombs',
];

// Each project is a stage of the test command; see server/setup/stages.mjs.
export default defineConfig({
  resolve: { alias: { '@': import.meta.dirname } },
  test: {
    // A stage that runs two files at a time ends sooner when its long ones come first.
    sequence: { sequencer: longestFirst(LONG) },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          // Decision 281: what files share is their process and its modules, and no test leaves anything there.
          isolate: false,
          testTimeout: 20_000,
          include: PRODUCT.map((folder) => `${folder}/*.test.{ts,tsx,mjs}`),
          exclude: ['**/node_modules/**', ...DATABASE],
        },
      },
      {
        extends: true,
        test: {
          name: 'db',
          include: DATABASE,
          globalSetup: ['server/db/testing-setup.ts'],
          testTimeout: 90_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: { name: 'fuzz', include: ['e2e/{fuzz,validator}/**/*.test.ts'], testTimeout: 300_000 },
      },
      {
        extends: true,
        test: {
          name: 'doors',
          include: ['e2e/doors/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'faults',
          include: ['e2e/faults/**/*.test.ts'],
          globalSetup: ['server/db/testing-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});

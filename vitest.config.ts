import { defineConfig } from 'vitest/config';

const everywhere = ['server/**', 'app/**', 'e2e/simulator/**'];
const databaseTests = ['server/**/*.db.test.ts', 'app/**/*.db.test.ts'];

// Each project is a stage of the test command; see server/setup/test.mjs.
export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: everywhere.map((folder) => `${folder}/*.test.{ts,tsx}`),
          exclude: ['**/node_modules/**', ...databaseTests],
        },
      },
      {
        extends: true,
        test: {
          name: 'db',
          include: databaseTests,
          globalSetup: ['server/db/testing-setup.ts'],
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
});

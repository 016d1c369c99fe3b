import { defineConfig } from 'vitest/config';

// Two agents run at a time (the direct and the routed one of a play), so test files follow one another.
export default defineConfig({
  test: {
    name: 'clients',
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
});

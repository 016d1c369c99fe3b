import { defineConfig } from 'vitest/config';
import { longestFirst } from '../product/longest-first.ts';

/** The files that take longest, longest first. */
const LONG = [
  'clients/recall/opencode',
  'clients/opencode/turns',
  'clients/recall/claude-code',
  'clients/claude-code/turns',
  'clients/import',
  'clients/recall/alike',
];

// An agent waits for its provider about as long as it computes. So two files run at a time, each with agents, a product, a
// database, ports and folders of its own.
export default defineConfig({
  test: {
    name: 'clients',
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    globalSetup: ['harness/build.ts'],
    maxWorkers: 2,
    sequence: { sequencer: longestFirst(LONG) },
    // A day is ten processes, one after the other. Each of them has a limit of its own.
    testTimeout: 400_000,
    hookTimeout: 180_000,
  },
});

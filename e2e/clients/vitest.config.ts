import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, longest first: begun early, none of them runs alone at the end. */
const LONG = [
  'recall/opencode',
  'opencode/turns',
  'recall/claude-code',
  'claude-code/turns',
  'import',
  'recall/alike',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((name) => moduleId.endsWith(`clients/${name}.test.ts`));
      return at < 0 ? LONG.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}

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
    sequence: { sequencer: LongestFirst },
    // A day is ten processes, one after the other. Each of them has a limit of its own.
    testTimeout: 400_000,
    hookTimeout: 180_000,
  },
});

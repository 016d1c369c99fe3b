// The stages of the test command, in their order. A new kind of test is a new line here.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at, runNode, sourceFiles } from './project.mjs';

const tool = (path) => at('node_modules', ...path.split('/'));
const BIOME = tool('@biomejs/biome/bin/biome');
const TSC = tool('typescript/bin/tsc');
const NEXT = tool('next/dist/bin/next');
const DEPCRUISE = tool('dependency-cruiser/bin/dependency-cruise.mjs');
const KNIP = tool('knip/bin/knip.js');
const VITEST = tool('vitest/vitest.mjs');
const PLAYWRIGHT = tool('@playwright/test/cli.js');

/** What dependency rules are checked over. */
const STRUCTURE = [
  'app',
  'server',
  'e2e',
  'instrumentation.ts',
  'proxy.ts',
  'next.config.ts',
  'prisma.config.ts',
];

/** What a stage found: tests that passed and failed, and whether it failed as a whole. */
const outcome = (code, passed = 0, failed = 0) => ({ passed, failed, ok: code === 0 && failed === 0 });

/** A check: one tool that is content or not. Tools are run one after another until one is not. */
const check =
  (...commands) =>
  async () => {
    for (const [file, ...args] of commands) {
      const { code } = await runNode(file, args, { show: true, env: { NEXT_TELEMETRY_DISABLED: '1' } });
      if (code !== 0) return outcome(code);
    }
    return outcome(0);
  };

/** Runs a test tool that writes its results as JSON, and reads the counts from there. */
async function counted(file, args, environment, read) {
  const folder = mkdtempSync(join(tmpdir(), 'context-mode-results-'));
  const results = join(folder, 'results.json');
  try {
    const { code } = await runNode(file, args(results), { show: true, env: environment(results) });
    if (!existsSync(results)) return outcome(code || 1);
    const [passed, failed] = read(JSON.parse(readFileSync(results, 'utf8')));
    return outcome(code, passed, failed);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A run of Vitest: of a project of the root configuration, or of a configuration of its own. */
const vitest =
  (...args) =>
  () =>
    counted(
      VITEST,
      (results) => ['run', ...args, '--reporter=default', '--reporter=json', `--outputFile.json=${results}`],
      () => ({ CI: '1' }),
      (report) => [report.numPassedTests, report.numFailedTests],
    );

const playwright =
  (config) =>
  ({ chromium }) =>
    counted(
      PLAYWRIGHT,
      () => ['test', `--config=${config}`, '--reporter=list,json'],
      (results) => ({ PLAYWRIGHT_JSON_OUTPUT_NAME: results, CHROMIUM: chromium, CI: '1' }),
      (report) => [report.stats.expected + report.stats.flaky, report.stats.unexpected],
    );

const hasFiles = (folder, pattern) => () => sourceFiles([folder], (path) => pattern.test(path)).length > 0;

/**
 * Each stage: `name` (for `npm test -- NAME`), `title`, `run`, and, where they differ from the usual, `when` (whether it
 * applies), and `needs` (`build`, `chromium`, `agents`: made before it).
 */
export const stages = [
  {
    name: 'lint',
    title: 'Format and lint',
    run: check([
      BIOME,
      'check',
      '--error-on-warnings',
      `--colors=${process.stdout.isTTY ? 'force' : 'off'}`,
      '.',
    ]),
  },
  { name: 'types', title: 'Types', run: check([NEXT, 'typegen'], [TSC, '--noEmit']) },
  {
    name: 'structure',
    title: 'Dependency rules',
    run: check(
      [DEPCRUISE, '--config', '.dependency-cruiser.cjs', ...STRUCTURE],
      [at('server/setup/check-sources.mjs')],
    ),
  },
  { name: 'unused', title: 'Unused code', run: check([KNIP]) },
  { name: 'unit', title: 'Unit', run: vitest('--project', 'unit') },
  { name: 'db', title: 'Database', run: vitest('--project', 'db') },
  {
    name: 'fuzz',
    title: 'Fuzzed bodies and edits',
    when: hasFiles('e2e/fuzz', /\.test\.ts$/),
    run: vitest('--project', 'fuzz'),
  },
  {
    name: 'browser',
    title: 'Browser',
    when: () => existsSync(at('e2e/console/playwright.config.ts')),
    needs: ['build', 'chromium'],
    run: playwright('e2e/console/playwright.config.ts'),
  },
  {
    name: 'clients',
    title: 'Real agents',
    when: hasFiles('e2e/clients', /\.test\.ts$/),
    needs: ['build', 'agents'],
    run: vitest('--config', 'e2e/clients/vitest.config.ts'),
  },
  {
    name: 'doors',
    title: 'Doors of both servers',
    when: hasFiles('e2e/doors', /\.test\.ts$/),
    needs: ['build', 'agents'],
    run: vitest('--project', 'doors'),
  },
  {
    name: 'faults',
    title: 'Faults',
    when: hasFiles('e2e/faults', /\.test\.ts$/),
    needs: ['build'],
    run: vitest('--project', 'faults'),
  },
];

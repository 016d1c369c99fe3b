// The stages of the test command, in their order. A new kind of test is a new line here.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkFailure, playwrightFailures } from './failures.mjs';
import { at, runNode, sourceFiles } from './project.mjs';

const tool = (path) => at('node_modules', ...path.split('/'));
const BIOME = tool('@biomejs/biome/bin/biome');
const TSC = tool('typescript/bin/tsc');
const NEXT = tool('next/dist/bin/next');
const DEPCRUISE = tool('dependency-cruiser/bin/dependency-cruise.mjs');
const KNIP = tool('knip/bin/knip.js');
const VITEST = tool('vitest/vitest.mjs');
const PLAYWRIGHT = tool('@playwright/test/cli.js');
/** The tools have no terminal of their own; colours are for a person at ours. */
const COLOURS = process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
const OUTCOME_REPORTER = at('server/setup/outcome-reporter.mjs');

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

/** What a stage found: how many tests passed, and what failed. A tool that failed without saying why is a failure, too. */
function outcome(code, passed, failures) {
  const ok = code === 0 && failures.length === 0;
  const unsaid = { where: '', name: '', errors: [`ended with the code ${code} and named no failed test`] };
  return { passed, failures: ok || failures.length > 0 ? failures : [unsaid], ok };
}

/**
 * A check: one tool that is content or not. Tools are run one after another until one is not.
 * @param commands each the tool's name, what a line of a fault looks like, its file, and its arguments
 */
const check =
  (...commands) =>
  async ({ show }) => {
    for (const [name, fault, file, ...args] of commands) {
      const environment = { NEXT_TELEMETRY_DISABLED: '1', ...COLOURS };
      const { code, output } = await runNode(file, args, { show, env: environment });
      if (code !== 0) return outcome(code, 0, [checkFailure(name, output, fault)]);
    }
    return outcome(0, 0, []);
  };

/** Runs a test tool that writes its results as JSON into a file, and reads from there what passed and failed. */
async function counted(show, file, args, environment, read) {
  const folder = mkdtempSync(join(tmpdir(), 'context-mode-results-'));
  const results = join(folder, 'results.json');
  try {
    const env = { CI: '1', ...COLOURS, ...environment(results) };
    const { code } = await runNode(file, args, { show, env });
    if (!existsSync(results)) return outcome(code || 1, 0, []);
    const { passed, failures } = read(JSON.parse(readFileSync(results, 'utf8')));
    return outcome(code, passed, failures);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A run of Vitest: of a project of the root configuration, or of a configuration of its own. */
const vitest =
  (...args) =>
  ({ show }) =>
    counted(
      show,
      VITEST,
      ['run', ...args, '--reporter=default', `--reporter=${OUTCOME_REPORTER}`],
      (results) => ({ TEST_OUTCOME: results }),
      (found) => found,
    );

const playwright =
  (config) =>
  ({ show, chromium }) =>
    counted(
      show,
      PLAYWRIGHT,
      ['test', `--config=${config}`, '--reporter=list,json'],
      (results) => ({ PLAYWRIGHT_JSON_OUTPUT_NAME: results, CHROMIUM: chromium }),
      (report) => ({
        passed: report.stats.expected + report.stats.flaky,
        failures: playwrightFailures(report),
      }),
    );

const hasFiles = (folder, pattern) => () => sourceFiles([folder], (path) => pattern.test(path)).length > 0;

/** Stages that compute with one thread, next to which a check or a build finds room. */
const COMPUTING = ['unit', 'fuzz'];

/**
 * Each stage: `name` (for `npm test -- NAME`), `title`, `run` (told `show`, which takes its output, and what was prepared
 * for it), and, where they differ from the usual, `when` (whether it applies), `needs` (`build`, a stage that must have
 * passed; `chromium`, `agents`: made before it), and `beside` (stages that it may run at the same time as).
 */
export const stages = [
  {
    name: 'lint',
    title: 'Format and lint',
    beside: COMPUTING,
    run: check([
      'biome',
      /^\S+(:\d+:\d+)? .*━/,
      BIOME,
      'check',
      '--error-on-warnings',
      `--colors=${process.stdout.isTTY ? 'force' : 'off'}`,
      '.',
    ]),
  },
  {
    name: 'types',
    title: 'Types',
    beside: COMPUTING,
    run: check(['next', /error/i, NEXT, 'typegen'], ['tsc', /error TS\d+/, TSC, '--noEmit']),
  },
  {
    name: 'structure',
    title: 'Dependency rules',
    beside: COMPUTING,
    run: check(
      ['depcruise', /^error /, DEPCRUISE, '--config', '.dependency-cruiser.cjs', ...STRUCTURE],
      ['sources', /./, at('server/setup/check-sources.mjs')],
    ),
  },
  { name: 'unused', title: 'Unused code', beside: COMPUTING, run: check(['knip', /./, KNIP]) },
  {
    name: 'build',
    title: 'Build',
    beside: COMPUTING,
    run: check(['build', /error|failed/i, at('server/setup/build.mjs')]),
  },
  { name: 'unit', title: 'Unit', run: vitest('--project', 'unit') },
  {
    name: 'fuzz',
    title: 'Fuzzed bodies and edits',
    beside: ['unit'],
    when: hasFiles('e2e/fuzz', /\.test\.ts$/),
    run: vitest('--project', 'fuzz'),
  },
  // Its tests wait for the database, so that two files at a time keep both cores at work.
  { name: 'db', title: 'Database', run: vitest('--project', 'db', '--maxWorkers=2') },
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
    // They wait for processes that start and end; none of them compares times or memory.
    run: vitest('--project', 'doors', '--maxWorkers=2'),
  },
  {
    name: 'faults',
    title: 'Faults',
    when: hasFiles('e2e/faults', /\.test\.ts$/),
    needs: ['build'],
    run: vitest('--project', 'faults', '--maxWorkers=2'),
  },
];

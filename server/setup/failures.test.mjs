import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkFailure, failureLines, playwrightFailures } from './failures.mjs';
import { at, runNode } from './project.mjs';

const RED = '\u001b[31m';

describe('a run of Vitest', () => {
  it('tells of each failed test, and of what failed outside of tests, by file, name and first line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'outcome-'));
    const results = join(folder, 'results.json');
    const files = {
      'tests.test.js': `
        describe('outer', () => {
          describe('inner', () => { it('fails', () => { throw new TypeError('first\\nsecond'); }); });
          it('passes', () => undefined);
          it.skip('is left out', () => undefined);
        });`,
      'hook.test.js': `
        describe('with a hook', () => {
          beforeAll(() => { throw new Error('no database'); });
          it('never begins', () => undefined);
        });`,
      'load.test.js': `throw new Error('does not load');`,
      'loose.test.js': `
        it('passes beside a fault', async () => {
          Promise.reject(new Error('nobody caught this'));
          await new Promise((resolve) => setTimeout(resolve, 10));
        });`,
    };
    try {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
      const reporter = `--reporter=${at('server/setup/outcome-reporter.mjs')}`;
      const { code } = await runNode(
        at('node_modules/vitest/vitest.mjs'),
        ['run', '--root', folder, '--globals', reporter],
        { cwd: folder, env: { TEST_OUTCOME: results, CI: '1' } },
      );
      expect(code).not.toBe(0);
      const { passed, failures } = JSON.parse(readFileSync(results, 'utf8'));
      expect(passed).toBe(2);
      const byFile = failures.sort((one, other) => (one.where < other.where ? -1 : 1));
      expect(byFile).toEqual([
        { where: '', name: 'an error that no test caught', errors: ['Error: nobody caught this'] },
        { where: 'hook.test.js', name: 'with a hook', errors: ['Error: no database'] },
        { where: 'load.test.js', name: '', errors: ['Error: does not load'] },
        { where: 'tests.test.js', name: 'outer > inner > fails', errors: ['TypeError: first'] },
      ]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 60_000);
});

describe('a report of Playwright', () => {
  const spec = (title, status, errors) => ({
    title,
    file: 'home.spec.ts',
    line: 7,
    tests: [{ status, results: [{ status: 'failed', errors }] }],
  });

  it('tells of each unexpected end and of what belongs to no test', () => {
    const report = {
      errors: [{ message: 'no browser' }],
      suites: [
        {
          title: 'home.spec.ts',
          specs: [
            spec('alone', 'unexpected', []),
            spec('well', 'expected', []),
            spec('twice', 'flaky', [{ message: 'x' }]),
          ],
          suites: [
            {
              title: 'a page',
              specs: [spec('shows', 'unexpected', [{ message: `${RED}Error: gone\u001b[0m\n at x` }])],
            },
          ],
        },
      ],
    };
    expect(playwrightFailures(report)).toEqual([
      { where: '', name: '', errors: ['no browser'] },
      { where: 'home.spec.ts:7', name: 'alone', errors: ['failed'] },
      { where: 'home.spec.ts:7', name: 'a page > shows', errors: ['Error: gone'] },
    ]);
  });
});

describe('a check', () => {
  it('is one failure with the lines that are faults, twenty at most', () => {
    const lines = Array.from({ length: 25 }, (_, n) => `${RED}a.ts(${n},1): error TS1: x`);
    const { name, errors } = checkFailure('tsc', ['begins', ...lines, 'ends'].join('\n'), /error TS/);
    expect([name, errors.length, errors[0], errors.at(-1)]).toEqual([
      'tsc',
      21,
      'a.ts(0,1): error TS1: x',
      'and 5 more',
    ]);
  });

  it('that says nothing that is known as a fault is told by its last line', () => {
    expect(checkFailure('knip', 'one\n\ntwo\n', /error/).errors).toEqual(['two']);
    expect(checkFailure('knip', '', /error/).errors).toEqual([]);
  });
});

it('the lines at the end name stage, file, test and error', () => {
  const failures = [
    { where: 'a.test.ts', name: 'one > two', errors: ['Error: x'] },
    { where: '', name: 'tsc', errors: ['y', 'z'] },
  ];
  expect(failureLines('Unit', failures)).toEqual([
    '  Unit · a.test.ts · one > two',
    '      Error: x',
    '  Unit · tsc',
    '      y',
    '      z',
  ]);
});

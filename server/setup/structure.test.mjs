import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, runNode } from './project.mjs';

const DEPCRUISE = at('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

const ALLOWED = [
  ['server/gateway/route.ts', '../archive/index.ts'],
  ['server/archive/store.ts', '../conversation/index.ts'],
  ['server/archive/pool.ts', '../db/index.ts'],
  ['server/archive/store.test.ts', '../db/testing.ts'],
  ['e2e/clients/run.ts', '../simulator/index.ts'],
];

const REFUSED = [
  ['server/kernel/clock.ts', '../archive/index.ts', 'kernel-stands-alone'],
  ['server/conversation/read.ts', '../archive/index.ts', 'conversation-and-redaction-know-the-kernel-alone'],
  ['server/archive/prices.ts', '../ledger/index.ts', 'domains-know-what-lies-below'],
  ['server/archive/door.ts', '../gateway/index.ts', 'domains-know-what-lies-below'],
  ['server/db/rows.ts', '../archive/index.ts', 'database-knows-the-kernel-alone'],
  ['server/gateway/deep.ts', '../archive/inside.ts', 'only-the-door-of-archive'],
  ['server/cli/main.ts', '../kernel/index.ts', 'the-command-talks-http-only'],
  ['server/gateway/command.ts', '../cli/index.ts', 'nobody-uses-the-command-from-inside'],
  ['server/gateway/fake.ts', '../../e2e/simulator/index.ts', 'product-knows-no-end-to-end-code'],
  ['e2e/simulator/answer.ts', '../../server/kernel/index.ts', 'the-simulator-stands-alone'],
  ['app/_ui/table.ts', '../../server/api/index.ts', 'components-know-no-domain'],
  ['server/jobs/circle.ts', './circle.ts', 'no-cycles'],
  ['server/jobs/lost.ts', './missing.ts', 'nothing-unresolved'],
];

describe('the dependency rules', () => {
  let folder;
  let violations;

  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };

  // One tree with every import at once: the tool takes seconds to start.
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'structure-'));
    write('tsconfig.json', JSON.stringify({ compilerOptions: { allowImportingTsExtensions: true } }));
    write('package.json', JSON.stringify({ type: 'module' }));
    for (const inner of ['kernel', 'conversation', 'archive', 'ledger', 'gateway', 'db', 'cli', 'api']) {
      write(`server/${inner}/index.ts`, 'export const door = 1;\n');
      write(`server/${inner}/inside.ts`, 'export const inside = 1;\n');
    }
    write('server/db/testing.ts', 'export const testing = 1;\n');
    write('e2e/simulator/index.ts', 'export const simulator = 1;\n');
    for (const [path, imported] of [...ALLOWED, ...REFUSED]) {
      write(path, `import * as other from '${imported}';\nexport const mine = other;\n`);
    }
    const config = at('.dependency-cruiser.cjs');
    const args = ['--config', config, '--output-type', 'json', 'app', 'server', 'e2e'];
    const { output } = await runNode(DEPCRUISE, args, { cwd: folder });
    violations = JSON.parse(output.slice(output.indexOf('{'))).summary.violations;
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  const brokenBy = (path) =>
    violations.filter((violation) => violation.from === path).map((violation) => violation.rule.name);

  it.each(ALLOWED)('let %s import %s', (path) => {
    expect(brokenBy(path)).toEqual([]);
  });

  it.each(REFUSED)('refuse that %s imports %s', (path, _, rule) => {
    expect(brokenBy(path)).toContain(rule);
  });
});

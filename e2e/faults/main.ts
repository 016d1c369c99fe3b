import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

// `npm run faults [-- --seed N] [-- FILE…]`: the faults in full counts.
const { values, positionals } = parseArgs({
  options: { seed: { type: 'string', default: String(Date.now() % 2 ** 31) } },
  allowPositionals: true,
});
if (!Number.isInteger(Number(values.seed))) {
  process.stderr.write('Usage: npm run faults -- [--seed N] [FILE…], N a whole number.\n');
  process.exit(2);
}
process.stdout.write(
  `Seed ${values.seed}. The same seed makes the same bodies and chooses the same moments.\n`,
);
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    'faults',
    '--maxWorkers=1',
    '--testTimeout=900000',
    ...positionals,
  ],
  { stdio: 'inherit', env: { ...process.env, FAULTS: 'full', FAULTS_SEED: values.seed } },
);
process.exit(status ?? 1);

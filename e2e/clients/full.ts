import { spawnSync } from 'node:child_process';

// `npm run agents [-- FILE…]`: the tests with real agents in every variant.
const { status } = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'e2e/clients/vitest.config.ts',
    ...process.argv.slice(2),
  ],
  { stdio: 'inherit', env: { ...process.env, AGENTS: 'full' } },
);
process.exit(status ?? 1);

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { REPOSITORY } from '../../product/running.ts';

/** Builds what the tests start, once before all of them. Does nothing where the build is up to date. */
export default function build(): void {
  execFileSync(process.execPath, [join(REPOSITORY, 'server', 'setup', 'build.mjs')], {
    cwd: REPOSITORY,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

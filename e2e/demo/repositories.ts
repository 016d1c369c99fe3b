import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { REMOTES } from './day.ts';

/**
 * Makes the empty repositories that the day happens in: `shop` with a second worktree `shop-export`, and `site`.
 * Real ones, so that the gateway finds out by itself which folders belong together. Needs git.
 */
export function makeRepositories(root: string): void {
  for (const [name, remote] of Object.entries(REMOTES)) {
    const folder = join(root, name);
    mkdirSync(folder, { recursive: true });
    const git = (...words: string[]) => execFileSync('git', ['-C', folder, ...words], { stdio: 'ignore' });
    git('init', '--initial-branch=main');
    git(
      '-c',
      'user.name=Demo',
      '-c',
      'user.email=demo@example.org',
      'commit',
      '--allow-empty',
      '-m',
      'start',
    );
    git('remote', 'add', 'origin', remote);
    if (name === 'shop') git('worktree', 'add', '-b', 'csv-export', join(root, 'shop-export'));
  }
}

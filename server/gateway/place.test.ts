import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { locateRepository } from './place.ts';

let folder: string;
const main = () => join(folder, 'main');

function git(where: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'init.defaultBranch=trunk'];
  return execFileSync('git', [...who, ...args], {
    cwd: where,
    encoding: 'utf8',
    env: { ...process.env, HOME: folder },
  });
}

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'context-mode-place-')));
  mkdirSync(join(main(), 'src', 'deep'), { recursive: true });
  git(main(), 'init', '-q');
  git(main(), 'commit', '-q', '--allow-empty', '-m', 'one');
  git(main(), 'worktree', 'add', '-q', '-b', 'feature/x', join(folder, 'two'));
  git(main(), 'worktree', 'add', '-q', '--detach', join(main(), '.worktrees', 'three'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a folder of this machine', () => {
  test('is located as git itself says, in a subfolder, a worktree and through a link', async () => {
    symlinkSync(join(main(), 'src'), join(folder, 'link'));
    const folders = [
      main(),
      join(main(), 'src/deep'),
      join(folder, 'two'),
      join(main(), '.worktrees/three'),
      join(folder, 'link'),
    ];
    for (const where of folders) {
      const [root, common] = git(
        where,
        'rev-parse',
        '--path-format=absolute',
        '--show-toplevel',
        '--git-common-dir',
      )
        .trim()
        .split('\n');
      const branch = git(where, 'branch', '--show-current').trim() || null;
      expect(await locateRepository(where), where).toEqual({
        root,
        commonDir: common,
        remoteUrl: null,
        branch,
      });
    }
  });

  test('names the remote: origin before others', async () => {
    const clone = join(folder, 'clone');
    mkdirSync(clone);
    git(clone, 'init', '-q');
    git(clone, 'remote', 'add', 'mirror', 'https://example.org/m.git');
    expect((await locateRepository(clone))?.remoteUrl).toBe('https://example.org/m.git');
    git(clone, 'remote', 'add', 'origin', 'git@example.com:team/app.git');
    expect((await locateRepository(clone))?.remoteUrl).toBe('git@example.com:team/app.git');
  });

  test('outside a repository, absent, relative or broken is located nowhere', async () => {
    const broken = join(folder, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, '.git'), 'gitdir: /nowhere/at/all\n');
    const bare = mkdtempSync(join(folder, 'plain-'));
    for (const where of [
      broken,
      bare,
      join(folder, 'absent'),
      'main',
      '',
      '//host/share',
      '\\\\host\\share',
      '/a\0b',
    ]) {
      expect(await locateRepository(where), where).toBeNull();
    }
  });
});

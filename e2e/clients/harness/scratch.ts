import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** The two ways of a run: to the simulator directly, or through the gateway. Both names have one length. */
export type Way = 'direct' | 'routed';

/** A home and a repository of one run. All paths of the two ways have the same length, so that prompts have too. */
export interface Scratch {
  /** Parent of everything; what is normalised away before two runs are compared. */
  readonly root: string;
  readonly home: string;
  readonly project: string;
}

const DATE = '2026-11-02T09:00:00Z';

/**
 * Makes the folder in which homes and data folder lie. Others may enter it: as root the product's database runs under
 * a user of its own, and would lie elsewhere, and stay behind, if that user could not reach the data folder.
 */
export function makeScratchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cm-clients-')));
  chmodSync(folder, 0o755);
  return folder;
}

/** Makes home and repository of one way, with the given files committed under a fixed author and date. */
export function makeScratch(
  folder: string,
  way: Way,
  files: Readonly<Record<string, string | Uint8Array>>,
): Scratch {
  const root = join(folder, way);
  return makeScratchAt({ root, home: join(root, 'home'), project: join(root, 'project') }, files);
}

/** The same at paths of one's own. */
export function makeScratchAt(
  scratch: Scratch,
  files: Readonly<Record<string, string | Uint8Array>>,
): Scratch {
  mkdirSync(scratch.home, { recursive: true });
  mkdirSync(scratch.project, { recursive: true });
  for (const [path, content] of Object.entries(files)) writeInto(scratch.project, path, content);
  git(scratch, 'init', '-q', '-b', 'main');
  git(scratch, 'remote', 'add', 'origin', 'https://example.com/dev/project.git');
  git(scratch, 'add', '-A');
  git(scratch, 'commit', '-q', '--allow-empty', '-m', 'Start');
  return scratch;
}

/** Adds a worktree of the repository on a new branch and returns its folder. */
export function addWorktree(scratch: Scratch, name: string): string {
  const folder = join(scratch.root, name);
  git(scratch, 'worktree', 'add', '-q', '-b', name, folder);
  return folder;
}

/** Writes a file under a folder, making the folders between. */
export function writeInto(folder: string, path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** All files under a folder by their relative path, `.git` left out; contents as base64 so that bytes are compared. */
export function readFiles(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    listFiles(folder)
      .filter((path) => !path.split('/').includes('.git'))
      .map((path) => [path, readFileSync(join(folder, path)).toString('base64')]),
  );
}

/** Relative paths of all files under a folder, sorted; none if there is no folder. */
export function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .sort();
  } catch {
    return [];
  }
}

/** Removes a scratch folder whole. */
export function removeScratchFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

function git(scratch: Scratch, ...args: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=Dev', '-c', 'user.email=dev@example.com', ...args], {
    cwd: scratch.project,
    env: {
      PATH: process.env.PATH,
      HOME: scratch.home,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_DATE: DATE,
      GIT_COMMITTER_DATE: DATE,
    } as Record<string, string | undefined> as NodeJS.ProcessEnv,
  });
}

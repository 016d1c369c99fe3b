import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { LocatedRepository } from '../archive/index.ts';

/** Longest file of a repository that is read, in characters; more is no file that git wrote. */
const FILE_CHARS = 1_000_000;

/**
 * The repository that holds a folder of this machine, read from its files as git lays them out (no program is started,
 * nothing is written). Two worktrees of one repository have one `commonDir`. Null where the folder does not exist, lies
 * in no repository, or is not an absolute path of this machine. Never throws.
 */
export async function locateRepository(folder: string): Promise<LocatedRepository | null> {
  // A network path of Windows would make this machine sign in to another.
  if (!isAbsolute(folder) || /^[\\/]{2}/.test(folder) || folder.includes('\0')) return null;
  try {
    const found = await findGitFolder(await realpath(folder));
    if (found === null) return null;
    const { root, gitDir } = found;
    const commonDir = await commonFolder(gitDir);
    return {
      root,
      commonDir,
      remoteUrl: remoteOf((await readIfThere(join(commonDir, 'config'))) ?? ''),
      branch: branchOf((await readIfThere(join(gitDir, 'HEAD'))) ?? ''),
    };
  } catch {
    return null;
  }
}

/** Goes up to the first folder with a `.git` in it: the repository's own folder, or a file that names another. */
async function findGitFolder(
  folder: string,
): Promise<{ readonly root: string; readonly gitDir: string } | null> {
  for (let root = folder; ; root = dirname(root)) {
    const gitDir = await gitFolderIn(root);
    if (gitDir !== null) return { root, gitDir };
    if (dirname(root) === root) return null;
  }
}

async function gitFolderIn(root: string): Promise<string | null> {
  const entry = join(root, '.git');
  const found = await stat(entry).catch(() => null);
  if (found === null) return null;
  if (found.isDirectory()) return (await readIfThere(join(entry, 'HEAD'))) === null ? null : entry;
  const target = /^gitdir:\s*(.+?)\s*$/m.exec((await readIfThere(entry)) ?? '')?.[1];
  if (target === undefined) return null;
  return realpath(resolve(root, target)).catch(() => null);
}

/** A worktree's own folder names the one that all worktrees share. */
async function commonFolder(gitDir: string): Promise<string> {
  const named = (await readIfThere(join(gitDir, 'commondir')))?.trim();
  return named ? realpath(resolve(gitDir, named)) : gitDir;
}

/** The branch that `HEAD` names; null where it is detached. */
function branchOf(head: string): string | null {
  return /^ref:\s*refs\/heads\/(.+?)\s*$/m.exec(head)?.[1] ?? null;
}

/** The address of `origin` in a repository's configuration, else of its first remote, else null. */
function remoteOf(config: string): string | null {
  const remotes = new Map<string, string>();
  let remote: string | null = null;
  for (const line of config.split('\n')) {
    const section = /^\s*\[(.*)\]\s*$/.exec(line);
    if (section) {
      remote = /^remote\s+"(.*)"$/.exec(section[1]?.trim() ?? '')?.[1] ?? null;
      continue;
    }
    const url = /^\s*url\s*=\s*(.+?)\s*$/i.exec(line)?.[1];
    if (remote !== null && url !== undefined && !remotes.has(remote)) remotes.set(remote, unquoted(url));
  }
  return remotes.get('origin') ?? [...remotes.values()][0] ?? null;
}

function unquoted(value: string): string {
  return /^"(.*)"$/.exec(value)?.[1] ?? value;
}

async function readIfThere(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text === null || text.length > FILE_CHARS ? null : text;
}

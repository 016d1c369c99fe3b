import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { World } from '../world.ts';

/** Where the agents keep their transcripts on this machine. */
export function transcriptFolders(world: World): readonly string[] {
  const { CLAUDE_CONFIG_DIR: claude, CODEX_HOME: codex } = world.variables;
  const under = (own: string | undefined, usual: string) =>
    own ? resolve(world.folder, own) : join(world.home, usual);
  return [join(under(claude, '.claude'), 'projects'), join(under(codex, '.codex'), 'sessions')];
}

/**
 * The files below a folder that may be transcripts or exports, by path; the file itself where the path is one. None where
 * there is nothing.
 */
export async function filesUnder(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => null);
  if (found === null) return [];
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && basename(entry.name).endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

import type { WireSession } from '@/server/api/index.ts';

/** Names of the agents as their makers write them. */
export const AGENT_NAMES: Readonly<Record<WireSession['agent'], string>> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  opencode: 'OpenCode',
  pi: 'Pi',
  unknown: 'Unknown agent',
};

/** The last part of a path, which is what a person calls a folder. */
export function folderName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).at(-1) ?? path;
}

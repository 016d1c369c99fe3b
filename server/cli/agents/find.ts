import { stat } from 'node:fs/promises';
import type { World } from '../world.ts';
import type { Agent } from './agent.ts';
import { claudeCode } from './claude-code.ts';
import { codex } from './codex.ts';
import { openCode } from './opencode.ts';
import { pi } from './pi.ts';
import { programPath } from './program.ts';

/** All agents that the command knows, in the order in which they are shown. */
export const AGENTS: readonly Agent[] = [claudeCode, codex, openCode, pi];

/** The agents that are on this machine: their program is on the PATH, or their folder or file is there. */
export async function findAgents(world: World): Promise<Agent[]> {
  const there = await Promise.all(AGENTS.map((agent) => isThere(world, agent)));
  return AGENTS.filter((_, index) => there[index]);
}

async function isThere(world: World, agent: Agent): Promise<boolean> {
  if (agent.programTells && (await programPath(world, agent.program)) !== null) return true;
  return stat(agent.folder(world)).then(
    (info) => info.isDirectory(),
    () => false,
  );
}

import type { AgentName } from '../agents/agent.ts';
import type { CliFailure, ExitCode } from '../failure.ts';
import type { Output } from '../output.ts';
import type { World } from '../world.ts';

/** True if what was shown may be written: by `--yes`, or by the person at the terminal; never where nobody can say so. */
export async function agreesToWrite(world: World, output: Output, yes: boolean): Promise<boolean> {
  if (yes) return true;
  return world.terminal && !output.json && (await world.ask('\nWrite this?'));
}

/** How the command ends: by the first failure, of those that were seen before anything was written and then the others. */
export function exitCodeOf(
  candidates: readonly { readonly failure: CliFailure | null }[],
  written: ReadonlyMap<AgentName, CliFailure | null>,
): 0 | ExitCode {
  const failures = [...candidates.map((candidate) => candidate.failure), ...written.values()];
  return failures.find((failure) => failure !== null)?.exitCode ?? 0;
}

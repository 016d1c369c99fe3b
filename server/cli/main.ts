import manifest from './package.json' with { type: 'json' };
import { runProgram } from './program.ts';
import { realWorld } from './real-world.ts';

/**
 * The command `context-mode`.
 * @param argv what stands behind the command's name.
 * @param packageFolder the folder of this package, absolute.
 * @returns the exit code.
 */
export async function main(argv: readonly string[], packageFolder: string): Promise<number> {
  return runProgram(realWorld(packageFolder), argv, manifest.version);
}

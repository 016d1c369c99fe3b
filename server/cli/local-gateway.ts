import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { dataFolder } from './data-folder.ts';
import { CliFailure, EXIT } from './failure.ts';
import { writeAtomically } from './files/atomic-write.ts';
import { readGatewayFile } from './gateway/client.ts';
import type { RunningProcess } from './processes.ts';
import type { World } from './world.ts';

const PRODUCT = 'context-mode';
const START_SCRIPT = join('server', 'setup', 'start.mjs');
/** What the command line of the product's process holds: its start script, or its built server. */
const OUR_COMMANDS = [/server[/\\]setup[/\\]start\.mjs$/, /dist[/\\]main\.js$/, /server[/\\]main\.ts$/];

/** Where the output of a gateway in the background goes. */
export function logFile(world: World): string {
  return join(dataFolder(world), 'gateway.log');
}

function startFile(world: World): string {
  return join(dataFolder(world), 'start.json');
}

/**
 * The product's folder: the one given, else the clone that this package lies in.
 * @throws CliFailure `process` where there is no product.
 */
export async function findProduct(world: World, given: string | undefined): Promise<string> {
  let folder = given ?? world.packageFolder;
  for (;;) {
    if (await isProduct(folder)) return folder;
    const parent = dirname(folder);
    if (given !== undefined || parent === folder) break;
    folder = parent;
  }
  throw new CliFailure(
    EXIT.process,
    given === undefined
      ? 'This command was installed alone: the gateway itself is not beside it.'
      : `${given} is not a clone of Context Mode.`,
    'Run "npm start" in a clone of Context Mode, or name the clone with --product FOLDER.',
  );
}

/** Notes the process that was started in the background. */
export async function noteStart(world: World, pid: number): Promise<void> {
  const text = `${JSON.stringify({ pid, startedAt: new Date(world.now()).toISOString() })}\n`;
  await writeAtomically(startFile(world), Buffer.from(text), { mode: 0o600, randomName: world.randomName() });
}

/**
 * The process of the local gateway: the one that serves, or the one that is still starting. A process that merely
 * got the number of one that is gone is told apart by its command line. Null: none runs.
 */
export async function findGatewayProcess(world: World): Promise<{ pid: number; url: string | null } | null> {
  const serving = await readGatewayFile(world);
  const starting = await readStartPid(world);
  const candidates = [
    ...(serving ? [{ pid: serving.pid, url: serving.url }] : []),
    ...(starting === null ? [] : [{ pid: starting, url: null }]),
  ].filter(({ pid }) => world.lives(pid));
  if (candidates.length === 0) return null;
  const processes = await world.processes();
  return candidates.find(({ pid }) => isOurs(processes, pid)) ?? null;
}

/** Removes the files that name a process which is gone. */
export async function forgetProcess(world: World): Promise<void> {
  await rm(startFile(world), { force: true });
  await rm(join(dataFolder(world), 'gateway.json'), { force: true });
}

function isOurs(processes: readonly RunningProcess[], pid: number): boolean {
  const found = processes.find((process) => process.pid === pid);
  return found?.command.some((part) => OUR_COMMANDS.some((ours) => ours.test(part))) ?? false;
}

async function readStartPid(world: World): Promise<number | null> {
  try {
    const stored: unknown = JSON.parse(await readFile(startFile(world), 'utf8'));
    const pid = typeof stored === 'object' && stored !== null ? Reflect.get(stored, 'pid') : null;
    return typeof pid === 'number' && Number.isInteger(pid) && pid > 1 ? pid : null;
  } catch {
    return null;
  }
}

async function isProduct(folder: string): Promise<boolean> {
  try {
    const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    if (typeof manifest !== 'object' || manifest === null || Reflect.get(manifest, 'name') !== PRODUCT)
      return false;
    await readFile(join(folder, START_SCRIPT));
    return true;
  } catch {
    return false;
  }
}

/** The script that starts the product, in its folder. */
export function startScript(product: string): string {
  return join(product, START_SCRIPT);
}

import { readdir, readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';

/** A process as the system lists it. Its environment is never read. */
export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  /** False if it is known to be another user's. */
  readonly own: boolean;
  /** Program and arguments; where the system does not tell them apart, split at blanks. */
  readonly command: readonly string[];
}

/** How the processes of a machine other than Linux are listed: a program that prints `pid parent command`. */
export type Lister = (command: string, args: readonly string[]) => Promise<string>;

/** The processes that the system shows. An empty list where it shows none. */
export async function listProcesses(platform: NodeJS.Platform, list: Lister): Promise<RunningProcess[]> {
  if (platform === 'linux') return fromProc('/proc');
  if (platform === 'win32') {
    const query =
      'Get-CimInstance Win32_Process | ForEach-Object { "$($_.ProcessId) $($_.ParentProcessId) $($_.CommandLine)" }';
    return parseListing(await list('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', query]));
  }
  return parseListing(await list('ps', ['-axo', 'pid=,ppid=,command=']));
}

/** Reads lines of `pid parent command`. */
export function parseListing(listing: string): RunningProcess[] {
  return listing.split(/\r?\n/).flatMap((line) => {
    const found = /^\s*(\d+)\s+(\d+)\s+(\S.*)$/.exec(line);
    if (!found) return [];
    return [
      {
        pid: Number(found[1]),
        parent: Number(found[2]),
        own: true,
        command: (found[3] ?? '').trim().split(/\s+/),
      },
    ];
  });
}

/**
 * This user's processes of an agent: those whose program, or whose script where the program is Node or Bun, has one of
 * the names. A process whose parent is in the list too (a launcher and its program) is left out.
 */
export function processesNamed(all: readonly RunningProcess[], names: readonly string[]): RunningProcess[] {
  const found = all.filter(
    (process) => process.own && programNames(process).some((name) => names.includes(name)),
  );
  const pids = new Set(found.map((process) => process.pid));
  return found.filter((process) => !pids.has(process.parent));
}

function programNames(process: RunningProcess): string[] {
  const [program = '', script = ''] = process.command;
  const name = plainName(program);
  return name === 'node' || name === 'bun' ? [name, plainName(script)] : [name];
}

function plainName(path: string): string {
  return basename(path.replaceAll('\\', '/')).replace(/\.(exe|cmd|[cm]?js)$/i, '');
}

async function fromProc(folder: string): Promise<RunningProcess[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^\d+$/.test(name));
  const read = await Promise.all(names.map((name) => readProcess(folder, name)));
  return read.filter((process) => process !== null);
}

async function readProcess(folder: string, pid: string): Promise<RunningProcess | null> {
  try {
    const command = (await readFile(`${folder}/${pid}/cmdline`, 'utf8'))
      .split('\0')
      .filter((part) => part !== '');
    const fields = await readFile(`${folder}/${pid}/stat`, 'utf8');
    // The name in brackets may hold blanks and brackets: the fields count from the last one.
    const [state, parent] = fields.slice(fields.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || command.length === 0) return null;
    const own = (await stat(`${folder}/${pid}`)).uid === process.getuid?.();
    return { pid: Number(pid), parent: Number(parent), own, command };
  } catch {
    return null;
  }
}

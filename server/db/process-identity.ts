import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** True if a process of this number runs, whoever owns it. One that has ended but was not collected yet does not. */
export async function isRunning(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return (await statFields(pid))?.[0] !== 'Z';
}

/**
 * A text that two processes of the same number do not share: when the process was started, as the system tells it.
 * Undefined if there is no such process or the system does not tell (Windows).
 */
export async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    // The start time is the 22nd field, in ticks since boot.
    const ticks = (await statFields(pid))?.[19];
    if (ticks === undefined) return undefined;
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
    return `${boot.trim()}/${ticks}`;
  }
  return psColumn(pid, 'lstart');
}

/** The command line of a process, or undefined if it cannot be read. */
export async function commandOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined);
    return text?.replaceAll('\0', ' ').trim();
  }
  return psColumn(pid, 'command');
}

/** The fields of a process's `/proc` entry from the third (its state) on; the second, a name, may hold spaces. */
async function statFields(pid: number): Promise<string[] | undefined> {
  if (process.platform !== 'linux') return undefined;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

async function psColumn(pid: number, column: string): Promise<string | undefined> {
  if (process.platform === 'win32') return undefined;
  const result = await run('ps', ['-o', `${column}=`, '-p', String(pid)]).catch(() => undefined);
  return result?.stdout.trim() || undefined;
}

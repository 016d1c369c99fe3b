import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../kernel/log.ts';
import { commandOf, isRunning } from './process-identity.ts';

/** Signals to end a server with, from polite to final, and how long each is given, in milliseconds. */
const SIGNALS: readonly (readonly [NodeJS.Signals, number])[] = [
  ['SIGINT', 15_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

/**
 * Ends a server that still runs on the data directory `data` because the process that had started it is gone.
 * A note of a server that has gone too is cleared, also if its number now belongs to another program.
 * The caller holds the lock on the data folder, so no living owner is disturbed.
 */
export async function stopOrphan(data: string, log: Logger): Promise<void> {
  const note = join(data, 'postmaster.pid');
  const pid = Number((await readFile(note, 'utf8').catch(() => '')).split('\n')[0]);
  if (!Number.isSafeInteger(pid) || pid <= 1) return;
  if (!(await isRunning(pid))) return;
  const command = await commandOf(pid);
  if (command !== undefined && !command.includes(data)) {
    await rm(note, { force: true });
    return;
  }
  log.warn({ pid }, 'stopping a database server that was left over from a process that was killed');
  await endServer(pid);
}

/** Ends the server `pid` and waits until it is gone; each signal that does not help is followed by a stronger one. */
export async function endServer(pid: number): Promise<void> {
  for (const [signal, patience] of SIGNALS) {
    if (!(await isRunning(pid))) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
      throw error;
    }
    await waitUntilGone(pid, patience);
  }
}

async function waitUntilGone(pid: number, patience: number): Promise<void> {
  const step = 25;
  for (let waited = 0; waited < patience && (await isRunning(pid)); waited += step) await delay(step);
}

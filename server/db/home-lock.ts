import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ContextModeError } from '../kernel/errors.ts';
import { isRunning, startOf } from './process-identity.ts';

/** Who holds a data folder: written as JSON into the lock file. */
interface Holder {
  readonly pid: number;
  /** See `startOf`; absent where the system does not tell it. */
  readonly started?: string;
}

/** A held lock on a data folder. */
export interface HomeLock {
  /** Gives the folder back. Harmless when repeated. */
  release(): Promise<void>;
}

/** Name of the lock file inside the data folder. */
export const LOCK_FILE = 'gateway.lock';

/** Times that a stale lock may come back (another start clearing it at the same moment) before we give up. */
const ATTEMPTS = 5;

/**
 * Takes the data folder for this process. A lock whose process is gone (or whose number now belongs to another process)
 * is cleared.
 * @throws ContextModeError `conflict` naming the process that holds the folder.
 */
export async function lockHome(home: string): Promise<HomeLock> {
  const file = join(home, LOCK_FILE);
  const started = await startOf(process.pid);
  const mine = JSON.stringify({
    pid: process.pid,
    ...(started === undefined ? {} : { started }),
  } satisfies Holder);
  const draft = `${file}.${process.pid}`;
  // Readable by all, since nothing in it is private: a start by another user (sudo) must be able to judge it.
  await writeFile(draft, mine, { mode: 0o644 });
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      if (await claim(draft, file)) return { release: () => release(file, mine) };
      const text = await readText(file);
      if (text === undefined) continue;
      const holder = parse(text);
      if (holder && (await isHeld(holder))) throw taken(home, holder);
      await clear(file, text);
    }
    throw taken(home, parse((await readText(file)) ?? ''));
  } finally {
    await rm(draft, { force: true });
  }
}

/** A hard link appears whole or not at all, so no other process ever reads a half-written lock. */
async function claim(draft: string, file: string): Promise<boolean> {
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Moves a stale lock aside; if what was moved is not what was judged stale, it is put back. */
async function clear(file: string, judged: string): Promise<void> {
  const aside = `${file}.stale.${process.pid}`;
  try {
    await rename(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if ((await readText(aside)) !== judged) await claim(aside, file);
  await rm(aside, { force: true });
}

async function release(file: string, mine: string): Promise<void> {
  if ((await readText(file)) === mine) await rm(file, { force: true });
}

async function isHeld(holder: Holder): Promise<boolean> {
  if (!(await isRunning(holder.pid))) return false;
  const started = await startOf(holder.pid);
  return holder.started === undefined || started === undefined || holder.started === started;
}

function parse(text: string): Holder | undefined {
  try {
    const value = JSON.parse(text) as Partial<Holder> | null;
    if (typeof value?.pid !== 'number' || !Number.isSafeInteger(value.pid) || value.pid <= 0)
      return undefined;
    return { pid: value.pid, ...(typeof value.started === 'string' ? { started: value.started } : {}) };
  } catch {
    return undefined;
  }
}

async function readText(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

function taken(home: string, holder: Holder | undefined): ContextModeError {
  const who = holder ? `process ${holder.pid}` : 'another process';
  return new ContextModeError('conflict', `The data folder ${home} is in use by ${who}.`, {
    hint: 'Context Mode is already running there. Use it, stop it first, or set CONTEXT_MODE_HOME to another folder.',
  });
}

import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnEntry } from '../edits/config-format.ts';
import type { Splice } from '../edits/splice.ts';
import { CliFailure, EXIT, systemCodeOf } from '../failure.ts';
import { writeAtomically } from './atomic-write.ts';

/** What is remembered of one connected configuration file: enough to take it back, and nothing else of it. */
export interface ConnectionRecord {
  readonly agent: string;
  /** The file behind all links. */
  readonly target: string;
  /** The gateway that it was connected to. */
  readonly gateway: string;
  readonly connectedAt: string;
  /** The values that were set, and what each had before as written in the file. */
  readonly entries: readonly OwnEntry[];
  /** The tables that were made for them. */
  readonly tables: readonly (readonly string[])[];
  /** The folders that were made for the file, outermost first. */
  readonly folders: readonly string[];
  /** The way back to the byte, for a file that nobody touched since; null where there is none. */
  readonly exact: ExactWayBack | null;
}

/** The splices that were made, between two known states of the file. */
export interface ExactWayBack {
  readonly splices: readonly Splice[];
  /** SHA-256 of the file's bytes before; null: there was no file. */
  readonly before: string | null;
  readonly after: string;
}

const STATE_FILE = 'agents.json';
const VERSION = 1;

/** The records of all connected files, by the file's path behind all links. */
export type Records = Readonly<Record<string, ConnectionRecord>>;

/** Reads the records; none where there is no data folder yet. @throws CliFailure where they cannot be read. */
export async function readRecords(dataFolder: string): Promise<Records> {
  const path = join(dataFolder, STATE_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (fault) {
    if (systemCodeOf(fault) === 'ENOENT' || systemCodeOf(fault) === 'ENOTDIR') return {};
    throw unreadable(path, fault);
  }
  try {
    const stored: unknown = JSON.parse(text);
    if (isState(stored)) return stored.agents;
  } catch (fault) {
    throw unreadable(path, fault);
  }
  throw unreadable(path, undefined);
}

/** Writes the records (mode 0600, folder 0700). @throws CliFailure where they cannot be written. */
export async function writeRecords(dataFolder: string, records: Records, randomName: string): Promise<void> {
  const path = join(dataFolder, STATE_FILE);
  try {
    await mkdir(dataFolder, { recursive: true, mode: 0o700 });
    const text = `${JSON.stringify({ version: VERSION, agents: records }, null, 2)}\n`;
    await writeAtomically(path, Buffer.from(text), { mode: 0o600, randomName });
  } catch (fault) {
    const hint = 'Check the data folder (CONTEXT_MODE_HOME), then run the command again.';
    throw new CliFailure(EXIT.file, `${path} could not be written; nothing was changed.`, hint, {
      cause: fault,
    });
  }
}

function isState(stored: unknown): stored is { version: number; agents: Records } {
  if (typeof stored !== 'object' || stored === null || !('version' in stored) || !('agents' in stored))
    return false;
  return stored.version === VERSION && typeof stored.agents === 'object' && stored.agents !== null;
}

function unreadable(path: string, cause: unknown): CliFailure {
  const hint =
    'It says how connected files were before. Restore it, or move it away: then disconnect takes out the base URL alone.';
  return new CliFailure(EXIT.file, `${path} could not be read.`, hint, { cause });
}

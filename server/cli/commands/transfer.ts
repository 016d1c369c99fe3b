import { access, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliFailure, EXIT, systemCodeOf } from '../failure.ts';
import {
  exportKey,
  exportSession,
  findAddress,
  type Imported,
  importKey,
  importSessions,
  mustAnswer,
  sessionIds,
} from '../gateway/client.ts';
import { type Output, shownPath } from '../output.ts';
import type { World } from '../world.ts';

/** What an export is told. With `all` the first argument is the file. */
export interface ExportOptions {
  readonly all: boolean;
  readonly session: string | undefined;
  readonly file: string | undefined;
  readonly keys: string | undefined;
  readonly gateway: string | undefined;
}

/**
 * Writes a session, or all of them one behind the other, into a new file; with `keys` the archive's key into another.
 * Both are readable by their owner alone.
 * @returns 0. @throws CliFailure where something is missing, is there already, or breaks off: then no file is left
 */
export async function exportSessions(world: World, output: Output, options: ExportOptions): Promise<0> {
  const { all, session, keys } = options;
  if (!all && session === undefined) {
    throw new CliFailure(EXIT.usage, 'Which session?', 'Name its id, or give --all.');
  }
  if (all && options.file !== undefined) {
    throw new CliFailure(EXIT.usage, 'With --all the one argument is the file.', 'Leave the session out.');
  }
  const { url } = await mustAnswer(world, await findAddress(world, options.gateway));
  const file = resolve(
    world.folder,
    (all ? session : options.file) ?? (all ? 'sessions.jsonl' : `session-${session}.jsonl`),
  );
  const keyFile = keys === undefined ? null : resolve(world.folder, keys);
  await mustBeNew(world, file);
  if (keyFile !== null) await mustBeNew(world, keyFile);
  const ids = all ? await sessionIds(world, url) : [session ?? ''];
  try {
    if (ids.length === 0) await writeFile(file, '', { flag: 'wx', mode: 0o600 });
    for (const [at, id] of ids.entries()) await exportSession(world, url, id, { file, append: at > 0 });
    if (keyFile !== null) await writeFile(keyFile, await exportKey(world, url), { flag: 'wx', mode: 0o600 });
  } catch (thrown) {
    await rm(file, { force: true });
    throw systemCodeOf(thrown) === '' ? thrown : unwritable(world, file, thrown);
  }
  output.line(`${ids.length === 1 ? 'One session' : `${ids.length} sessions`} in ${shownPath(world, file)}`);
  if (keyFile !== null)
    output.line(
      `The key in ${shownPath(world, keyFile)}: secret; keep it apart, delete it after the import.`,
    );
  output.result({ ok: true, exitCode: 0, file, sessions: ids, keys: keyFile });
  return 0;
}

/** What an import is told. */
export interface ImportOptions {
  readonly file: string;
  readonly keys: string | undefined;
  readonly foreign: boolean;
  readonly gateway: string | undefined;
}

/**
 * Gives the gateway the sessions of an exported file, after the key if there is one.
 * @returns 0. @throws CliFailure where a file cannot be read or is refused
 */
export async function importFile(world: World, output: Output, options: ImportOptions): Promise<0> {
  const { url } = await mustAnswer(world, await findAddress(world, options.gateway));
  const file = resolve(world.folder, options.file);
  await mustBeThere(world, file);
  if (options.keys !== undefined) {
    const keyFile = resolve(world.folder, options.keys);
    await mustBeThere(world, keyFile);
    await importKey(world, url, keyFile);
  }
  const sessions = await importSessions(world, url, file, options);
  for (const one of sessions)
    output.line(`${WORDS[one.state] ?? one.state}  ${one.title || one.id}${grown(one)}`);
  if (sessions.length === 0) output.line('There is no session in this file.');
  output.result({ ok: true, exitCode: 0, sessions });
  return 0;
}

const WORDS: Readonly<Record<string, string>> = {
  imported: 'imported     ',
  extended: 'went on      ',
  present: 'there already',
};

function grown({ state, events }: Imported): string {
  return state === 'present' ? '' : ` (${events} events)`;
}

async function mustBeNew(world: World, file: string): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (!isThere) return;
  throw new CliFailure(
    EXIT.file,
    `${shownPath(world, file)} is there already.`,
    'Name a new file, or move that one away.',
  );
}

async function mustBeThere(world: World, file: string): Promise<void> {
  await access(file).catch((cause: unknown) => {
    throw new CliFailure(
      EXIT.file,
      `${shownPath(world, file)} cannot be read.`,
      'Name the file that "export" wrote.',
      {
        cause,
      },
    );
  });
}

function unwritable(world: World, file: string, cause: unknown): CliFailure {
  return new CliFailure(
    EXIT.file,
    `${shownPath(world, file)} could not be written (${systemCodeOf(cause)}).`,
    'Name a file in a folder that you may write to and that has room.',
    { cause },
  );
}

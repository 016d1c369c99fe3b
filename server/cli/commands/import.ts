import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliFailure, EXIT, type ExitCode, systemCodeOf } from '../failure.ts';
import { findAddress, mustAnswer } from '../gateway/client.ts';
import { importTranscript } from '../gateway/transcripts.ts';
import { type Output, shownPath } from '../output.ts';
import { filesUnder, transcriptFolders } from '../transcripts/find.ts';
import { scanFile, type TranscriptFile } from '../transcripts/scan.ts';
import { type FoundSession, framesOf, sessionsOf } from '../transcripts/sessions.ts';
import type { World } from '../world.ts';
import { type ImportOptions, importFile } from './transfer.ts';

/** What an import is told. Without a path the agents' own folders are looked through. */
export interface ImportAnyOptions extends Omit<ImportOptions, 'file'> {
  readonly path: string | undefined;
  readonly yes: boolean;
  readonly dryRun: boolean;
}

/** Sessions that are listed one by one before it is asked. */
const LISTED = 40;
/** Faults that are told one by one. */
const TOLD = 20;

/**
 * Takes in what a file or a folder holds: exports with the ids that they had, and transcripts of agents as if they had
 * gone through the gateway. Without a path those transcripts that the agents of this machine have written.
 * @returns 0, or `refused` where a session was not taken. @throws CliFailure
 */
export async function importAny(
  world: World,
  output: Output,
  options: ImportAnyOptions,
): Promise<0 | ExitCode> {
  const path = options.path === undefined ? null : resolve(world.folder, options.path);
  const seen = await lookThrough(world, path);
  const isFile = path !== null && (await stat(path).catch(() => null))?.isFile() !== false;
  // A file that is none of an agent's is for the gateway to judge.
  if (isFile && seen.sessions.length === 0) return importFile(world, output, { ...options, file: path });
  if (seen.sessions.length + seen.exports.length === 0) return nothing(world, output, path);
  list(world, output, seen);
  if (options.dryRun) return finish(world, output, seen, []);
  await agree(world, output, seen.sessions.length, path !== null || options.yes);
  const { url } = await mustAnswer(world, await findAddress(world, options.gateway));
  const done: Done[] = [];
  for (const session of seen.sessions) done.push(await importOne(world, output, url, session));
  for (const file of seen.exports)
    await importFile(world, { ...output, result: () => {} }, { ...options, file });
  return finish(world, output, seen, done);
}

/** What was found. */
interface Seen {
  readonly sessions: readonly FoundSession[];
  readonly exports: readonly string[];
  /** Files that were neither, and those that could not be read. */
  readonly others: number;
  readonly unread: readonly string[];
}

/** A session and what became of it; `error` where it was not taken. */
interface Done {
  readonly session: FoundSession;
  readonly state: string;
  readonly added: number;
  readonly messages: number;
  readonly leftOut: readonly { readonly what: string; readonly count: number }[];
  readonly faults: readonly { readonly file: string; readonly line: number; readonly reason: string }[];
  readonly error: string | null;
}

async function lookThrough(world: World, path: string | null): Promise<Seen> {
  const files: string[] = [];
  for (const folder of path === null ? transcriptFolders(world) : [path])
    files.push(...(await filesUnder(folder)));
  const transcripts: TranscriptFile[] = [];
  const exports: string[] = [];
  const unread: string[] = [];
  let others = 0;
  for (const file of files) {
    const scanned = await scanFile(file).catch((thrown: unknown) => {
      unread.push(`${shownPath(world, file)} cannot be read (${systemCodeOf(thrown) || 'no reason given'}).`);
      return null;
    });
    if (scanned?.kind === 'transcript') transcripts.push(scanned.found);
    else if (scanned?.kind === 'export') exports.push(file);
    else if (scanned !== null) others += 1;
  }
  return { sessions: sessionsOf(transcripts), exports, others, unread };
}

function nothing(world: World, output: Output, path: string | null): 0 {
  const where =
    path === null
      ? transcriptFolders(world).map((folder) => shownPath(world, folder))
      : [shownPath(world, path)];
  output.line(`There are no transcripts in ${where.join(' and ')}.`);
  output.result({ ok: true, exitCode: 0, sessions: [] });
  return 0;
}

function list(world: World, output: Output, { sessions, exports, others, unread }: Seen): void {
  for (const session of sessions.slice(0, LISTED)) {
    const folder = session.folder === null ? 'no folder' : shownPath(world, session.folder);
    const size = `${session.messages} messages, ${sizeOf(session.bytes)}`;
    output.line(`${session.agent.padEnd(12)} ${folder}  ${session.title || session.session}  (${size})`);
  }
  if (sessions.length > LISTED) output.line(`… and ${sessions.length - LISTED} more`);
  const messages = sessions.reduce((sum, session) => sum + session.messages, 0);
  const bytes = sessions.reduce((sum, session) => sum + session.bytes, 0);
  output.line(`${counted(sessions.length, 'session')}, ${counted(messages, 'message')}, ${sizeOf(bytes)}.`);
  if (exports.length > 0) output.line(`${counted(exports.length, 'export')} of Context Mode.`);
  if (others > 0) output.line(`${counted(others, 'file')} of another kind, left alone.`);
  for (const line of unread) output.line(line);
}

async function agree(world: World, output: Output, count: number, agreed: boolean): Promise<void> {
  if (agreed) return;
  const question = `\nImport ${count === 1 ? 'it' : 'them'} into the archive? Secrets and e-mail addresses are masked.`;
  if (world.terminal && !output.json && (await world.ask(question))) return;
  throw new CliFailure(
    EXIT.notAgreed,
    'Nothing was imported.',
    'Run it again with --yes, or name a file or folder.',
  );
}

async function importOne(world: World, output: Output, url: string, session: FoundSession): Promise<Done> {
  const name = session.title || session.session;
  try {
    const pieces = framesOf(session.files, (file) => shownPath(world, file));
    const taken = await importTranscript(world, url, session.agent, pieces);
    if (taken === null) return failed(output, session, 'Its files name no session.');
    const how = taken.state === 'present' ? '' : ` (${counted(taken.added, 'message')})`;
    output.line(`${WORDS[taken.state] ?? taken.state}  ${name}${how}`);
    return { session, ...taken, error: null };
  } catch (thrown) {
    // Without a gateway none of the others can be taken either.
    if (thrown instanceof CliFailure && thrown.exitCode === EXIT.noGateway) throw thrown;
    if (thrown instanceof CliFailure) return failed(output, session, thrown.message);
    if (systemCodeOf(thrown) === '') throw thrown;
    return failed(output, session, `A file of it cannot be read (${systemCodeOf(thrown)}).`);
  }
}

const WORDS: Readonly<Record<string, string>> = {
  imported: 'imported     ',
  extended: 'went on      ',
  present: 'there already',
};

function failed(output: Output, session: FoundSession, error: string): Done {
  output.line(`not imported   ${session.title || session.session}: ${error}`);
  return { session, state: 'failed', added: 0, messages: 0, leftOut: [], faults: [], error };
}

function finish(world: World, output: Output, seen: Seen, done: readonly Done[]): 0 | ExitCode {
  const leftOut = new Map<string, number>();
  for (const one of done.flatMap((each) => each.leftOut))
    leftOut.set(one.what, (leftOut.get(one.what) ?? 0) + one.count);
  const faults = done.flatMap((one) => one.faults);
  const isBad = done.some((one) => one.error !== null);
  const exitCode = isBad ? EXIT.refused : 0;
  if (done.length > 0) {
    const added = done.reduce((sum, one) => sum + one.added, 0);
    const fresh = done.filter((one) => one.added > 0).length;
    output.line(`\n${counted(added, 'message')} of ${counted(fresh, 'session')} written.`);
  }
  if (leftOut.size > 0) output.line('Left out:');
  for (const [what, count] of leftOut) output.line(`  ${count} ${what}`);
  if (faults.length > 0) output.line('Lines that could not be read:');
  for (const { file, line, reason } of faults.slice(0, TOLD)) output.line(`  ${file}:${line}  ${reason}`);
  if (faults.length > TOLD) output.line(`  … and ${faults.length - TOLD} more`);
  output.result({
    ok: !isBad,
    exitCode,
    sessions: (done.length > 0 ? done : seen.sessions.map(planned)).map((one) => described(world, one)),
    leftOut: Object.fromEntries(leftOut),
    faults,
    unread: seen.unread,
  });
  return exitCode;
}

function planned(session: FoundSession): Done {
  return { session, state: 'planned', added: 0, messages: 0, leftOut: [], faults: [], error: null };
}

function described(world: World, { session, state, added, error }: Done) {
  const { agent, session: id, title, folder, messages, bytes, files } = session;
  const shown = files.map(({ file }) => shownPath(world, file));
  return { agent, session: id, title, folder, messages, bytes, files: shown, state, added, error };
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function sizeOf(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.max(1, Math.round(bytes / 1000))} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

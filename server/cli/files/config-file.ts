import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, lstat, mkdir, readFile, readlink, realpath, rmdir, stat, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CliFailure, EXIT, systemCodeOf } from '../failure.ts';
import { writeAtomically } from './atomic-write.ts';

/** A larger file is not a configuration that anybody wrote. */
const MAX_BYTES = 4_000_000;
const BOM = '\uFEFF';
/** New files may come to hold keys of providers: nobody else reads them. */
const NEW_FILE_MODE = 0o600;
const NEW_FOLDER_MODE = 0o700;

/** A configuration file as it was found. */
export interface ConfigFile {
  /** The name under which the agent opens it. */
  readonly path: string;
  /** The file itself, behind all symbolic links: it is written, the links stay. */
  readonly target: string;
  /** Its bytes; null: it does not exist. */
  readonly bytes: Buffer | null;
  /** Its text without the byte order mark; empty if it does not exist. */
  readonly text: string;
  readonly hasBom: boolean;
  readonly mode: number;
  readonly owner: { readonly uid: number; readonly gid: number } | null;
}

/** SHA-256 of bytes in hexadecimal. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * Reads a configuration file.
 * @throws CliFailure `file` where it cannot be read, is no ordinary file, or is not UTF-8.
 */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  try {
    const target = await targetOf(path);
    const info = await stat(target).catch(orNull);
    if (info === null) {
      return { path, target, bytes: null, text: '', hasBom: false, mode: NEW_FILE_MODE, owner: null };
    }
    if (!info.isFile()) throw refused(path, 'is not an ordinary file');
    if (info.size > MAX_BYTES) throw refused(path, `is larger than ${MAX_BYTES / 1_000_000} MB`);
    const bytes = await readFile(target);
    const decoded = decode(path, bytes);
    const hasBom = decoded.startsWith(BOM);
    return {
      path,
      target,
      bytes,
      text: hasBom ? decoded.slice(1) : decoded,
      hasBom,
      mode: info.mode & 0o7777,
      owner: { uid: info.uid, gid: info.gid },
    };
  } catch (fault) {
    throw asFailure(path, fault, 'read');
  }
}

/** The bytes of a text in the form of the file that it was read from. */
export function encode(file: ConfigFile, text: string): Buffer {
  return Buffer.from(file.hasBom ? BOM + text : text, 'utf8');
}

/** The folders that have to be made before the file can be written, outermost first. */
export async function missingFoldersOf(file: ConfigFile): Promise<string[]> {
  const missing: string[] = [];
  for (let at = dirname(file.target); (await stat(at).catch(orNull)) === null; at = dirname(at)) {
    missing.unshift(at);
    if (dirname(at) === at) break;
  }
  return missing;
}

/**
 * Puts new bytes in the place of a file that was read before, with its mode and owner. Missing folders are made.
 * @throws CliFailure `file`, with nothing changed, where file or folder are read-only or somebody else wrote the
 * file in the meantime.
 */
export async function writeConfigFile(
  file: ConfigFile,
  bytes: Uint8Array,
  randomName: string,
): Promise<void> {
  const made: string[] = [];
  try {
    await mustBeWritable(file);
    for (const folder of await missingFoldersOf(file)) {
      await mkdir(folder, { mode: NEW_FOLDER_MODE });
      made.unshift(folder);
    }
    await writeAtomically(file.target, bytes, {
      mode: file.mode,
      ...(file.owner ? { owner: file.owner } : {}),
      randomName,
      beforeRename: () => mustBeUnchanged(file),
    });
  } catch (fault) {
    for (const folder of made) await rmdir(folder).catch(() => undefined);
    throw asFailure(file.path, fault, 'write');
  }
}

/** Removes a file that we made, and the folders that we made for it where nothing else is in them. */
export async function removeConfigFile(file: ConfigFile, madeFolders: readonly string[]): Promise<void> {
  try {
    await mustBeUnchanged(file);
    await unlink(file.target);
    for (const folder of [...madeFolders].reverse()) await rmdir(folder);
  } catch (fault) {
    // A folder in which something else lies by now stays.
    if (systemCodeOf(fault) === 'ENOTEMPTY' || systemCodeOf(fault) === 'EEXIST') return;
    throw asFailure(file.path, fault, 'remove');
  }
}

async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (fault) {
    if (systemCodeOf(fault) !== 'ENOENT') throw fault;
  }
  // A link whose target is not there yet: the target is what will be made.
  const info = await lstat(path).catch(orNull);
  if (!info?.isSymbolicLink()) return path;
  return targetOf(resolve(dirname(path), await readlink(path)));
}

function decode(path: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refused(path, 'is not UTF-8 text');
  }
}

async function mustBeWritable(file: ConfigFile): Promise<void> {
  if (file.bytes === null) return;
  // Root may write everything: a file that nobody may write is meant to stay as it is.
  if ((file.mode & 0o222) === 0) throw refused(file.path, 'is read-only');
  await access(file.target, constants.W_OK);
  await access(dirname(file.target), constants.W_OK);
}

async function mustBeUnchanged(file: ConfigFile): Promise<void> {
  const now = await readFile(file.target).catch(orNull);
  const same = now === null || file.bytes === null ? now === file.bytes : now.equals(file.bytes);
  if (!same)
    throw refused(file.path, 'was changed by another program at this moment', 'Run the command again.');
}

function orNull(fault: unknown): null {
  if (systemCodeOf(fault) === 'ENOENT') return null;
  throw fault;
}

function refused(path: string, why: string, hint = 'Mend that, then run the command again.'): CliFailure {
  return new CliFailure(EXIT.file, `${path} ${why}; nothing was changed.`, hint);
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'you may not',
  EPERM: 'you may not',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ELOOP: 'its symbolic links go round in a circle',
  ENOTDIR: 'a part of its path is not a folder',
};

function asFailure(path: string, fault: unknown, what: string): unknown {
  const code = systemCodeOf(fault);
  if (fault instanceof CliFailure || code === '') return fault;
  return new CliFailure(
    EXIT.file,
    `${path} could not be ${what === 'read' ? 'read' : what === 'write' ? 'written' : 'removed'}: ${REASONS[code] ?? code}. Nothing was changed.`,
    'Check the permissions of the file and of its folder, then run the command again.',
    { cause: fault },
  );
}

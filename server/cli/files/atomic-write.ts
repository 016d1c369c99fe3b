import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** What a file gets beside its bytes. */
export interface WriteOptions {
  /** Permission bits. */
  readonly mode: number;
  /** Owner to keep; absent: whoever writes. */
  readonly owner?: { readonly uid: number; readonly gid: number };
  /** A short random name for the temporary file. */
  readonly randomName: string;
  /** Called when all bytes are on the disk, just before the file takes its place; a throw leaves the old one. */
  readonly beforeRename?: () => Promise<void>;
}

/**
 * Replaces a file as a whole: the bytes go to a temporary file in the same folder, to the disk, and then take the
 * name. Whatever fails, the old file stays as it was and no temporary file is left.
 * @throws the system's error.
 */
export async function writeAtomically(path: string, bytes: Uint8Array, options: WriteOptions): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.${options.randomName}.tmp`);
  const file = await open(temporary, 'wx', options.mode);
  try {
    try {
      await file.writeFile(bytes);
      await file.chmod(options.mode);
      if (options.owner) await keepOwner(file, options.owner);
      await file.sync();
    } finally {
      await file.close();
    }
    await options.beforeRename?.();
    await rename(temporary, path);
  } catch (fault) {
    await unlink(temporary).catch(() => undefined);
    throw fault;
  }
  await syncFolder(dirname(path));
}

async function keepOwner(file: FileHandle, owner: { uid: number; gid: number }): Promise<void> {
  const { uid, gid } = await file.stat();
  if (uid !== owner.uid || gid !== owner.gid) await file.chown(owner.uid, owner.gid);
}

/** Makes a rename durable where folders can be opened (not on Windows). */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  if (handle === null) return;
  await handle.sync().catch(() => undefined);
  await handle.close();
}

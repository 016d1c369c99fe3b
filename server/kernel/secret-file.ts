import { constants } from 'node:fs';
import { chmod, copyFile, link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ContextModeError } from './errors.ts';
import type { RandomBytes } from './random.ts';

/**
 * The one line of a file that only its owner may read (mode 0600), made where it is not there yet. Any number of
 * processes may ask at once and get the same line.
 * @param file absolute path; its folder is made too (mode 0700)
 * @param compose the line of a new file
 * @throws ContextModeError `configuration` where the file is there and cannot be read
 */
export async function secretFile(file: string, random: RandomBytes, compose: () => string): Promise<string> {
  const text = (await readIfThere(file)) ?? (await make(file, random, compose()));
  // A file of another owner that we may read stays as it is.
  await chmod(file, 0o600).catch(() => undefined);
  return text.trim();
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new ContextModeError('configuration', `${file} cannot be read.`, {
      hint: 'Give the user that runs Context Mode the right to read it.',
      cause,
    });
  }
}

/** Writes a whole file beside it and links it into place, which fails where another process was first. */
async function make(file: string, random: RandomBytes, line: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${Buffer.from(random(6)).toString('hex')}`;
  await writeFile(draft, `${line}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    // A file system without links takes the copy.
    await link(draft, file).catch(() => copyFile(draft, file, constants.COPYFILE_EXCL));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
  } finally {
    await unlink(draft);
  }
  return readFile(file, 'utf8');
}

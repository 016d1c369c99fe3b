import { statfs } from 'node:fs/promises';
import type { Clock } from './clock.ts';

/** How much room is left where a folder lies. */
export interface FreeSpace {
  /** Free bytes by a reading that is no older than a few seconds; null: the system does not tell. Never rejects. */
  read(): Promise<number | null>;
}

/** How old a reading may be, in milliseconds. */
const FRESH_MS = 5_000;

/** Free bytes that an ordinary user may write where the folder lies. */
async function ofFileSystem(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Watches the free space of a folder, without a timer: it is read again when somebody asks and the reading is old. */
export function watchFreeSpace(
  folder: string,
  clock: Clock,
  freeBytes: (folder: string) => Promise<number> = ofFileSystem,
): FreeSpace {
  let bytes: number | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  const refresh = (): Promise<void> => {
    if (reading === null && clock.monotonic() - readAt < FRESH_MS) return Promise.resolve();
    reading ??= freeBytes(folder)
      .catch(() => null)
      .then((read) => {
        bytes = read;
        readAt = clock.monotonic();
        reading = null;
      });
    return reading;
  };
  return {
    async read() {
      await refresh();
      return bytes;
    },
  };
}

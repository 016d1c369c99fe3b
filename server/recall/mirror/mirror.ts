import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { entryOf, keyOf, lineOf, type MirrorEntry } from './entries.ts';

/** Most bytes of lines that are kept; the newest stay. The file may grow to twice as many before it is written anew. */
const LIMIT_BYTES = 8 * 1024 * 1024;

/** What a mirror is opened with. */
export interface MirrorOptions {
  readonly limitBytes?: number;
  /** Told of a fault of the file: the mirror goes on in memory. */
  readonly onFault: (cause: unknown) => void;
}

/**
 * The newest of what was committed, in a file beside the database (mode 0600), one entry a line: read whole at the start,
 * appended to, and written anew where it grew too long or something was taken out of it.
 */
export class Mirror {
  readonly #file: string;
  readonly #limit: number;
  readonly #onFault: (cause: unknown) => void;
  /** Oldest first, with the bytes of each line. */
  readonly #entries = new Map<string, { readonly entry: MirrorEntry; readonly bytes: number }>();
  #bytes = 0;
  #fileBytes = 0;
  #writing: Promise<void> = Promise.resolve();
  #handle: FileHandle | null = null;

  private constructor(file: string, { limitBytes = LIMIT_BYTES, onFault }: MirrorOptions) {
    this.#file = file;
    this.#limit = limitBytes;
    this.#onFault = onFault;
  }

  /** Opens the mirror of a file, which need not be there. A file that cannot be read counts as empty. */
  static async open(file: string, options: MirrorOptions): Promise<Mirror> {
    const mirror = new Mirror(file, options);
    const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') options.onFault(cause);
      return '';
    });
    for (const line of text.split('\n')) {
      const entry = line === '' ? null : entryOf(line);
      if (entry !== null) mirror.#put(entry, Buffer.byteLength(line) + 1);
    }
    mirror.#fileBytes = Buffer.byteLength(text);
    // Lines that are torn, twice there or too many go; what follows begins on a line of its own.
    if (mirror.#fileBytes !== mirror.#bytes) mirror.#write(() => mirror.#rewrite());
    return mirror;
  }

  /** Everything that it holds, oldest first. */
  entries(): readonly MirrorEntry[] {
    return [...this.#entries.values()].map(({ entry }) => entry);
  }

  /** Takes in what was committed. It is in the file a little later, see {@link Mirror.settled}. */
  add(entry: MirrorEntry): void {
    const line = `${lineOf(entry)}\n`;
    const bytes = Buffer.byteLength(line);
    if (bytes > this.#limit) return;
    this.#put(entry, bytes);
    this.#write(async () => {
      if (this.#fileBytes + bytes > 2 * this.#limit) return this.#rewrite();
      this.#handle ??= await open(this.#file, 'a', 0o600);
      await this.#handle.appendFile(line);
      this.#fileBytes += bytes;
    });
  }

  /** Takes entries out, and out of the file, which is written anew. */
  remove(keys: Iterable<string>): void {
    let removed = false;
    for (const key of keys) removed = this.#drop(key) || removed;
    if (removed) this.#write(() => this.#rewrite());
  }

  /** Resolves when all that was taken in or out is in the file, or could not be written. */
  settled(): Promise<void> {
    return this.#writing;
  }

  /** Closes the file. Nothing may be added behind it. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#handle?.close();
    this.#handle = null;
  }

  #put(entry: MirrorEntry, bytes: number): void {
    const key = keyOf(entry);
    this.#drop(key);
    this.#entries.set(key, { entry, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#limit) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): boolean {
    const dropped = this.#entries.get(key);
    if (dropped === undefined) return false;
    this.#entries.delete(key);
    this.#bytes -= dropped.bytes;
    return true;
  }

  /** One write after the other, each whatever became of the one before. */
  #write(act: () => Promise<void>): void {
    this.#writing = this.#writing.then(act).catch((cause: unknown) => this.#onFault(cause));
  }

  /** Writes a whole file beside it and puts it in its place. */
  async #rewrite(): Promise<void> {
    await this.#handle?.close();
    this.#handle = null;
    const text = this.entries()
      .map((entry) => `${lineOf(entry)}\n`)
      .join('');
    const draft = `${this.#file}.draft`;
    await rm(draft, { force: true });
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(draft, this.#file);
    this.#fileBytes = Buffer.byteLength(text);
  }
}

import { numberMember, readJson, stringMember } from '../../conversation/index.ts';
import { ContextModeError } from '../../kernel/errors.ts';
import type { FileLine } from './types.ts';

/** Longest line that is read: an image or a tool result fits in; what is longer is told and left out. */
const LINE_BYTES = 64 * 1024 * 1024;
const HEADER_BYTES = 64 * 1024;
const FEED = 10;

/** The file whose bytes come now. */
interface OpenFile {
  readonly name: string;
  left: number;
  number: number;
}

/**
 * Takes files apart that come one behind the other in pieces: each has a line before it, `{"file": name, "bytes": n}`,
 * then its n bytes, then a line feed. A file that grew meanwhile was cut at those n bytes, and so may its last line be.
 */
export class FrameReader {
  #file: OpenFile | null = null;
  #waiting: Uint8Array[] = [];
  #size = 0;
  /** Reads over a line that is too long. */
  #skipping = false;

  /**
   * The lines that a piece completes.
   * @throws ContextModeError `bad_request` where a file is not introduced as it must be
   */
  *push(piece: Uint8Array): Generator<FileLine> {
    let at = 0;
    while (at < piece.length) {
      const file = this.#file;
      const most = file === null ? piece.length : Math.min(piece.length, at + file.left);
      const feed = piece.subarray(at, most).indexOf(FEED);
      const end = feed === -1 ? most : at + feed;
      this.#keep(piece.subarray(at, end), file === null ? HEADER_BYTES : LINE_BYTES);
      const next = feed === -1 ? most : end + 1;
      if (file !== null) file.left -= next - at;
      at = next;
      if (file === null) {
        if (feed !== -1) this.#open();
      } else if (feed !== -1 || file.left === 0) {
        const line = this.#line(file);
        if (line !== null) yield line;
        if (file.left === 0) this.#file = null;
      }
    }
  }

  /** @throws ContextModeError `bad_request` where the last file is not whole */
  end(): void {
    if (this.#file !== null || this.#size > 0) throw broken('The last file is not whole.');
  }

  #keep(bytes: Uint8Array, limit: number): void {
    this.#size += bytes.length;
    if (this.#size > limit) {
      if (this.#file === null) throw broken('A file is introduced by more than a short line.');
      this.#skipping = true;
      this.#waiting = [];
    }
    if (!this.#skipping && bytes.length > 0) this.#waiting.push(bytes);
  }

  #taken(): Buffer {
    const bytes = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#size = 0;
    return bytes;
  }

  #open(): void {
    const header = this.#taken();
    // The line feed behind a file.
    if (header.length === 0) return;
    const node = readJson(header) ?? undefined;
    const name = stringMember(node, 'file');
    const bytes = numberMember(node, 'bytes');
    if (name === null || bytes === null || !Number.isSafeInteger(bytes) || bytes < 0)
      throw broken('A file is not introduced by its name and size.');
    if (bytes > 0) this.#file = { name, left: bytes, number: 0 };
  }

  #line(file: OpenFile): FileLine | null {
    file.number += 1;
    const wasTooLong = this.#skipping;
    this.#skipping = false;
    const bytes = this.#taken();
    if (wasTooLong) return { file: file.name, number: file.number, bytes: null };
    return bytes.length === 0 ? null : { file: file.name, number: file.number, bytes };
  }
}

function broken(message: string): ContextModeError {
  return new ContextModeError('bad_request', message, {
    hint: 'Send transcripts with "context-mode import".',
  });
}

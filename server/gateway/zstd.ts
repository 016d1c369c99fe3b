import { Decompress } from 'fzstd';
import { breathe } from '../kernel/breath.ts';
import { Enough, unfold } from './unfold.ts';

/** Pieces in which input is given to the decoder, so that others get their turn between them. */
const PIECE = 16 * 1024;

/** A window that is granted whatever the bound: what RFC 8878 (3.1.1.1.2) asks every decoder to support. */
const SMALL_WINDOW = 8 * 1024 * 1024;

/**
 * Decodes zstd frames (RFC 8878) on the calling thread, which goes on with other work between pieces.
 * @param partial true takes what can be decoded of a body that broke off
 * @returns null where the bytes are not zstd, or more than `limit` bytes or a window beyond it would be needed.
 */
export async function unzstd(bytes: Uint8Array, limit: number, partial: boolean): Promise<Uint8Array | null> {
  const window = widestWindow(bytes);
  if (window === null || window > Math.max(limit, SMALL_WINDOW)) return null;
  return unfold(limit, async (take) => {
    const stream = new Decompress(take);
    try {
      for (let at = 0; at < bytes.length; at += PIECE) {
        const end = Math.min(at + PIECE, bytes.length);
        stream.push(bytes.subarray(at, end), !partial && end === bytes.length);
        await breathe();
      }
      return true;
    } catch (error) {
      return partial && !(error instanceof Enough);
    }
  });
}

const FRAME_MAGIC = 0xfd2fb528;
/** Skippable frames have sixteen magic numbers that differ in the lowest four bits. */
const SKIPPABLE_MAGIC = 0x0184d2a5;

/**
 * The most bytes of history that any frame asks its decoder to hold, found by stepping from frame to frame without
 * decoding: a few bytes must not be able to make it take gigabytes.
 * @returns null where the bytes do not begin with a frame
 */
function widestWindow(bytes: Uint8Array): number | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let widest: number | null = null;
  for (let at = 0; at + 5 < bytes.length; ) {
    const magic = view.getUint32(at, true);
    if (magic >>> 4 === SKIPPABLE_MAGIC) {
      if (at + 8 > bytes.length) return widest;
      at += 8 + view.getUint32(at + 4, true);
      widest ??= 0;
      continue;
    }
    if (magic !== FRAME_MAGIC) return widest;
    const head = frameHead(view, at);
    if (head === null) return widest;
    widest = Math.max(widest ?? 0, head.window);
    const end = frameEnd(view, at + head.length);
    if (end === null) return widest;
    at = end + (head.checksum ? 4 : 0);
  }
  return widest;
}

/** RFC 8878, 3.1.1.1: descriptor, window or content size, dictionary id. Null where the bytes end in it. */
function frameHead(view: DataView, at: number): { window: number; length: number; checksum: boolean } | null {
  const descriptor = view.getUint8(at + 4);
  const single = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const sizeFlag = descriptor >> 6;
  const sizeBytes = sizeFlag === 0 ? Number(single) : 2 ** sizeFlag;
  const sizeAt = at + 5 + Number(!single) + dictionaryBytes;
  const end = sizeAt + sizeBytes;
  if (end > view.byteLength) return null;
  const checksum = (descriptor & 4) !== 0;
  if (single) return { window: contentSize(view, sizeAt, sizeBytes), length: end - at, checksum };
  const windowByte = view.getUint8(at + 5);
  const base = 2 ** (10 + (windowByte >> 3));
  return { window: base + (base / 8) * (windowByte & 7), length: end - at, checksum };
}

function contentSize(view: DataView, at: number, bytes: number): number {
  if (bytes === 1) return view.getUint8(at);
  if (bytes === 2) return view.getUint16(at, true) + 256;
  if (bytes === 4) return view.getUint32(at, true);
  return Number(view.getBigUint64(at, true));
}

/** RFC 8878, 3.1.1.2: blocks of a three-byte head each, the last one marked. Null where the bytes end before it. */
function frameEnd(view: DataView, from: number): number | null {
  for (let at = from; at + 3 <= view.byteLength; ) {
    const head = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    const repeated = ((head >> 1) & 3) === 1;
    at += 3 + (repeated ? 1 : head >> 3);
    if ((head & 1) === 1) return at;
  }
  return null;
}

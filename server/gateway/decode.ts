import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { unfold } from './unfold.ts';
import { unzstd } from './zstd.ts';

/** How far a body is decoded. */
export interface DecodeOptions {
  /** Most bytes that may come out of any step; more is refused (a small body can unfold to anything). */
  readonly limit: number;
  /** True takes what can be decoded of a body that broke off. */
  readonly partial?: boolean;
}

/** Codings stacked on one body that are undone; more is nobody's honest answer. */
const MAX_CODINGS = 4;

/**
 * Undoes a `Content-Encoding` (`gzip`, `x-gzip`, `br`, `deflate` in both its forms, `zstd`, `identity`, and lists of
 * them, last one first) for reading. Work runs off the calling thread, that of zstd in short pieces on it. The given bytes
 * are not changed; an identity body is given back as it is.
 * @returns null where a coding is unknown, the bytes are not of it, or more than `limit` bytes would come out.
 */
export async function decodeBody(
  body: Uint8Array,
  contentEncoding: string,
  options: DecodeOptions,
): Promise<Uint8Array | null> {
  const codings = contentEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > MAX_CODINGS) return null;
  if (codings.length === 0) return body.length > options.limit ? null : body;
  if (body.length === 0) return body;
  let bytes = body;
  for (const coding of codings.reverse()) {
    const decoded = await undo(coding, bytes, options);
    if (decoded === null) return null;
    bytes = decoded;
  }
  return bytes;
}

async function undo(coding: string, bytes: Uint8Array, options: DecodeOptions): Promise<Uint8Array | null> {
  const { limit, partial = false } = options;
  const zlib = partial ? { finishFlush: constants.Z_SYNC_FLUSH } : {};
  const brotli = partial ? { finishFlush: constants.BROTLI_OPERATION_FLUSH } : {};
  const through = (decoder: () => Transform) => unfold(limit, (take) => run(decoder(), bytes, take));
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return through(() => createGunzip(zlib));
    case 'deflate':
      return through(() => (hasZlibHead(bytes) ? createInflate(zlib) : createInflateRaw(zlib)));
    case 'br':
      return through(() => createBrotliDecompress(brotli));
    case 'zstd':
      return unzstd(bytes, limit, partial);
    default:
      return null;
  }
}

/** Sends bytes through a decoder; false where they are not of its coding, or what takes the pieces has enough. */
function run(decoder: Transform, bytes: Uint8Array, take: (piece: Uint8Array) => void): Promise<boolean> {
  return new Promise((resolve) => {
    decoder.on('data', (piece: Uint8Array) => {
      try {
        take(piece);
      } catch {
        decoder.destroy();
      }
    });
    decoder.on('end', () => resolve(true));
    // Behind an end or an error it says nothing more.
    decoder.on('error', () => resolve(false));
    decoder.on('close', () => resolve(false));
    decoder.end(bytes);
  });
}

/** RFC 1950: method 8 in the low half of the first byte, and the first two bytes a multiple of 31. */
function hasZlibHead(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

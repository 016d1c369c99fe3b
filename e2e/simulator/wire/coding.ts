import {
  brotliDecompressSync,
  constants,
  createBrotliCompress,
  createDeflate,
  createGzip,
  gunzipSync,
  inflateSync,
} from 'node:zlib';
import { compress, decompress, init } from '@bokuweb/zstd-wasm';
import type { Coding } from '../faults.ts';

let zstdReady: Promise<void> | undefined;

/** Loads the zstd coder, once in a process; must be awaited before `encode` or `decode` meet zstd. */
export function prepareCodings(): Promise<void> {
  zstdReady ??= init();
  return zstdReady;
}

/**
 * Pieces of a body in a content coding, each flushed, so that a reader can decode every piece as it arrives. The last
 * piece carries the coding's end.
 */
export async function encodePieces(pieces: readonly Buffer[], coding: Coding): Promise<Buffer[]> {
  if (coding === 'zstd') {
    await prepareCodings();
    return pieces.map((piece) => Buffer.from(compress(piece, 3)));
  }
  const coder =
    coding === 'gzip'
      ? createGzip()
      : coding === 'deflate'
        ? createDeflate()
        : createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
  const coded: Buffer[] = [];
  let pending: Buffer[] = [];
  coder.on('data', (data: Buffer) => pending.push(data));
  const take = () => {
    coded.push(Buffer.concat(pending));
    pending = [];
  };
  for (const piece of pieces.slice(0, -1)) {
    coder.write(piece);
    await new Promise<void>((resolve) => coder.flush(() => resolve()));
    take();
  }
  const ended = new Promise<void>((resolve) => coder.on('end', () => resolve()));
  coder.end(pieces.at(-1) ?? Buffer.alloc(0));
  await ended;
  take();
  return coded;
}

/**
 * A body without its content codings (a comma-separated header value, applied last to first). `undefined` when a
 * coding is unknown or the bytes do not fit it.
 */
export function decode(bytes: Buffer, header: string): Buffer | undefined {
  const codings = header.split(',').map((part) => part.trim().toLowerCase());
  let plain = bytes;
  try {
    for (const coding of codings.reverse()) {
      if (coding === '' || coding === 'identity') continue;
      if (coding === 'gzip' || coding === 'x-gzip') plain = gunzipSync(plain);
      else if (coding === 'deflate') plain = inflateSync(plain);
      else if (coding === 'br') plain = brotliDecompressSync(plain);
      else if (coding === 'zstd') plain = Buffer.from(decompress(plain));
      else return undefined;
    }
    return plain;
  } catch {
    return undefined;
  }
}

import { compress, init } from '@bokuweb/zstd-wasm';

let ready: Promise<void> | null = null;

/** Compresses with the reference implementation of zstd. */
export async function zstdOf(bytes: Uint8Array, level = 3): Promise<Buffer> {
  ready ??= init();
  await ready;
  return Buffer.from(compress(bytes, level));
}

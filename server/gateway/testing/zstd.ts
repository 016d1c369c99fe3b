import { compress } from '@bokuweb/zstd-wasm';
import { prepareCodings } from '../../../e2e/simulator/wire/coding.ts';

/** Compresses with the reference implementation of zstd, which a process may load once only. */
export async function zstdOf(bytes: Uint8Array, level = 3): Promise<Buffer> {
  await prepareCodings();
  return Buffer.from(compress(bytes, level));
}

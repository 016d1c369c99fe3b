import { createHmac } from 'node:crypto';
import type { ArchiveWriter } from '../../archive/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { ReadRequest } from '../adapter.ts';
import { maskBytes } from './mask-items.ts';

/** What names the parts of a request that are no messages, by the account's key; null where it has none. */
export function preambleHashOf(
  key: Uint8Array,
  body: Uint8Array,
  { preamble }: ReadRequest,
): Uint8Array | null {
  if (preamble.length === 0) return null;
  const hash = createHmac('sha256', key).update('preamble\0');
  for (const { name, slice } of preamble)
    hash.update(`${name}\0`).update(body.subarray(slice.start, slice.end));
  return hash.digest();
}

/** Keeps those parts under their name, masked; they are masked only where the archive does not hold them yet. */
export async function savePreamble(
  writer: Pick<ArchiveWriter, 'accountKey' | 'savePreamble'>,
  accountId: Uuid,
  hash: Uint8Array,
  body: Uint8Array,
  { preamble }: ReadRequest,
): Promise<void> {
  const key = await writer.accountKey(accountId);
  await writer.savePreamble(accountId, hash, () =>
    Promise.all(
      preamble.map(async ({ name, slice }) => ({
        name,
        body: await maskBytes(body.subarray(slice.start, slice.end), key),
      })),
    ),
  );
}

import { createHmac } from 'node:crypto';
import type { Uuid } from '../kernel/ids.ts';
import { hexOf } from './bytes.ts';
import type { Role } from './model.ts';

/** 32 bytes: a keyed hash that names a message by its place in the chain. */
export type MessageHash = Uint8Array & { readonly __hash: 'message' };
/** 16 bytes: a keyed hash of the raw bytes under which a message was seen. */
export type SliceHash = Uint8Array & { readonly __hash: 'slice' };
/** `context-mode-msg-` and 16 or more hex digits. */
export type DocId = string & { readonly __id: 'document' };

/** What every document id begins with. */
export const DOC_ID_PREFIX = 'context-mode-msg-';

// Each hash has a label and a zero byte in front, so that no two kinds can be equal.
// All are HMAC-SHA-256 with the account's 32-byte key: what they name is unmasked text.

/** The parent of a first message: one for each account (by its key) and project; null: work outside any project. */
export function rootHash(key: Uint8Array, projectId: Uuid | null): MessageHash {
  return createHmac('sha256', key)
    .update(`root\0${projectId ?? ''}`)
    .digest() as Uint8Array as MessageHash;
}

/** The name of a message with this content behind this parent. */
export function messageHash(
  key: Uint8Array,
  parent: MessageHash,
  role: Role,
  canonical: Uint8Array,
): MessageHash {
  return createHmac('sha256', key)
    .update(`message\0${role}\0`)
    .update(parent)
    .update(canonical)
    .digest() as Uint8Array as MessageHash;
}

/** The name of the raw bytes of one element. */
export function sliceHash(key: Uint8Array, raw: Uint8Array): SliceHash {
  return createHmac('sha256', key)
    .update('slice\0')
    .update(raw)
    .digest()
    .subarray(0, 16) as Uint8Array as SliceHash;
}

/** The name of what is said in a message, under which one is found that is known from its agent's own files alone. */
export function saidHash(key: Uint8Array, role: Role, said: Uint8Array): SliceHash {
  return createHmac('sha256', key)
    .update(`said\0${role}\0`)
    .update(said)
    .digest()
    .subarray(0, 16) as Uint8Array as SliceHash;
}

/** The name of several elements in a row that are one form of something known (a message and its moved reminder). */
export function sliceGroupHash(key: Uint8Array, slices: readonly SliceHash[]): SliceHash {
  const hash = createHmac('sha256', key).update('slices\0');
  for (const slice of slices) hash.update(slice);
  return hash.digest().subarray(0, 16) as Uint8Array as SliceHash;
}

/** The id of the document at position `index` (from 0) of a message: 64 bits, unique in an account in practice. */
export function docIdOf(key: Uint8Array, message: MessageHash, index: number): DocId {
  const place = Buffer.alloc(4);
  place.writeUInt32BE(index);
  const digest = createHmac('sha256', key).update('item\0').update(message).update(place).digest();
  return `${DOC_ID_PREFIX}${hexOf(digest.subarray(0, 8))}` as DocId;
}

import { createHmac } from 'node:crypto';
import type { Uuid } from '../kernel/ids.ts';

/** What a statement that was drawn from somewhere is told by. */
export interface StatementSource {
  /** Document, or another name of where it comes from. */
  readonly source: string;
  readonly slot: Uuid;
  readonly kind: 'value' | 'end' | 'arity';
  /** Key of the value; of an end of the whole slot empty. */
  readonly key: string;
  /** Which one, where the source says the same of the slot more than once, from 0. */
  readonly nth: number;
}

/**
 * The id of a statement that was drawn from a source: the same whenever it is drawn again. A UUID of version 8 (RFC 9562,
 * 5.8). It is keyed with the account's key, so that it does not tell a value to who guesses it.
 */
export function statementId(accountKey: Uint8Array, { source, slot, kind, key, nth }: StatementSource): Uuid {
  const hash = createHmac('sha256', accountKey)
    .update('statement\0')
    .update(JSON.stringify([source, slot, kind, key, nth]))
    .digest()
    .subarray(0, 16);
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as Uuid;
}

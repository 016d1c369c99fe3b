import { randomFillSync } from 'node:crypto';
import type { Clock } from './clock.ts';

/** A UUID of version 7: ordered by the millisecond it was made in. Lower-case, with hyphens. */
export type Uuid = string & { readonly __id: 'uuid' };

/**
 * Makes a UUIDv7 (RFC 9562, 5.7): 48 bits of milliseconds, then 74 random bits.
 * Ids made in one millisecond are in no particular order.
 */
export function newId(clock: Clock): Uuid {
  if (drawn + RANDOM_BYTES > pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  drawn += RANDOM_BYTES;
  return uuidFrom(clock.now(), pool.subarray(drawn - RANDOM_BYTES, drawn));
}

const RANDOM_BYTES = 10;
/** Randomness is drawn for many ids at once: one draw costs ten times what an id does. No byte is used twice. */
const pool = new Uint8Array(RANDOM_BYTES * 256);
let drawn = pool.length;

/** The UUIDv7 of `millis` and ten bytes of randomness: the pure part of {@link newId}. */
export function uuidFrom(millis: number, random: Uint8Array): Uuid {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(millis, 0, 6);
  bytes.set(random.subarray(0, 10), 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}` as Uuid;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** True if `text` has the form of an id of ours, so that it may be asked of the database as one. */
export function isUuid(text: string): text is Uuid {
  return UUID.test(text);
}

/** The one account of local mode: the same on every machine, so that it is known while the database is not open. */
export const LOCAL_ACCOUNT = '00000000-0000-7000-8000-000000000001' as Uuid;

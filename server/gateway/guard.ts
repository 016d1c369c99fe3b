import { createHash, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { headerOf, type RawHeaders } from './headers.ts';
import { foreignReason } from './origin.ts';
import type { OwnerCheck } from './owner.ts';

/** What a guard looks at: a request as Node received it. */
export interface Asking {
  readonly rawHeaders: RawHeaders;
  /** The client's connection; null where a framework hides it, so that nobody can tell whose it is. */
  readonly socket: Socket | null;
}

/** What a gateway without sign-in asks of every request, on every route. */
export interface Guard {
  /** Why the request is refused whoever sent it, or null. Only headers are looked at. */
  foreign(request: Asking): 'foreign_host' | 'foreign_origin' | null;
  /**
   * Whether the request comes from the person who started the gateway: the same user of this machine, or a holder
   * of the local key. Known at once for every request on a connection but the first.
   * @param pathKey a key that stood in the path
   */
  owned(request: Asking, pathKey?: string | null): boolean | Promise<boolean>;
}

/** A gateway with accounts: names and users are settled elsewhere. */
export const openGuard: Guard = { foreign: () => null, owned: () => true };

/**
 * The rules of local mode.
 * @param localKey the key of the data folder, which stands in for the owner check where a system cannot tell owners;
 *   null: there is none, and who cannot be told is not the owner
 */
export function localGuard(owners: OwnerCheck, localKey: string | null): Guard {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  const expected = localKey === null ? null : digest(localKey);
  return {
    foreign: (request) => foreignReason(request.rawHeaders),
    owned(request, pathKey = null) {
      const given = headerOf(request.rawHeaders, 'x-context-mode-key') ?? pathKey;
      if (expected !== null && given !== null && timingSafeEqual(digest(given), expected)) return true;
      if (request.socket === null) return false;
      const owner = owners.ownerOf(request.socket);
      return typeof owner === 'string' ? owner === 'self' : owner.then((found) => found === 'self');
    },
  };
}

import type { Server, Socket } from 'node:net';
import type { LocalKey } from '../kernel/local-key.ts';
import { type ConsoleProof, sameText } from './console-proof.ts';
import { headersOf, type RawHeaders } from './headers.ts';
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
   * Whether the request comes from the person who started the gateway: the same user of this machine, a holder of the
   * local key, or a browser that a console link was opened in. Known at once for every request on a connection but the
   * first.
   * @param pathKey a key that stood in the path, as written there
   */
  owned(request: Asking, pathKey?: string | null): boolean | Promise<boolean>;
  /** True where nothing but the local key or a console link tells the owner. */
  readonly keyNeeded: boolean;
}

/**
 * Begins to find out whose each connection of a server is as soon as it stands. That takes milliseconds, and a client
 * may be gone right after its answer; then nobody can tell any more, and its request stays unarchived.
 */
export function meetConnections(server: Server, guard: Guard): void {
  server.on('connection', (socket) => void guard.owned({ rawHeaders: [], socket }));
}

/** A gateway with accounts: names and users are settled elsewhere. */
export const openGuard: Guard = { foreign: () => null, owned: () => true, keyNeeded: false };

/** The header that carries the key; it is never forwarded. */
const KEY_HEADER = 'x-context-mode-key';

/** How local mode tells its owner; each alone is enough. */
export interface LocalProofs {
  readonly owners: OwnerCheck;
  /** The key of the data folder. */
  readonly key: LocalKey;
  readonly console: ConsoleProof;
  /** True where `owners` cannot tell anybody. */
  readonly keyNeeded: boolean;
}

/** The rules of local mode. */
export function localGuard({ owners, key, console, keyNeeded }: LocalProofs): Guard {
  return {
    keyNeeded,
    foreign: (request) => foreignReason(request.rawHeaders),
    owned(request, pathKey = null) {
      if (pathKey !== null && sameText(pathKey, key)) return true;
      if (headersOf(request.rawHeaders, KEY_HEADER).some((given) => sameText(given, key))) return true;
      if (console.proves(request.rawHeaders)) return true;
      if (request.socket === null || keyNeeded) return false;
      const owner = owners.ownerOf(request.socket);
      return typeof owner === 'string' ? owner === 'self' : owner.then((found) => found === 'self');
    },
  };
}

import { cookieIn } from '../kernel/cookie.ts';
import { isLoopbackHost } from '../kernel/loopback.ts';

/** What a request says about where it comes from, taken from its headers. Null: the header is absent. */
export interface Caller {
  readonly host: string | null;
  readonly origin: string | null;
  /** `sec-fetch-site`, which a browser sets and no page can forge. */
  readonly fetchSite: string | null;
  /** The console's cookie, and the same token as the console's page sends it in a header. */
  readonly cookie: string | null;
  readonly token: string | null;
}

/** Name of the cookie that a page of the console sets. */
export const CONSOLE_COOKIE = 'context-mode-console';
/** Name of the header in which the console's script repeats the cookie's token. */
export const CONSOLE_HEADER = 'x-context-mode-console';

/**
 * Why a call must be refused because of where it comes from; null: it may pass. Local mode, where nobody signs in:
 * a foreign `Host` is DNS rebinding; a foreign `Origin` is another web page.
 */
export function refusalOf(caller: Caller, publicUrl: string | undefined): string | null {
  const own = publicUrl === undefined ? null : new URL(publicUrl);
  const hostIsOurs =
    own === null ? caller.host !== null && isLoopbackHost(caller.host) : caller.host === own.host;
  if (!hostIsOurs) return 'This host name is not one that Context Mode answers to.';
  if (caller.origin !== null && !isOwnOrigin(caller.origin, caller.host, own)) {
    return 'This page is not a page of Context Mode.';
  }
  if (caller.origin === null && (caller.fetchSite === 'cross-site' || caller.fetchSite === 'same-site'))
    return 'This page is not a page of Context Mode.';
  return null;
}

/** Why a call that changes something must be refused; null: it may pass. Scripts outside a browser need no cookie. */
export function changeRefusalOf(caller: Caller, publicUrl: string | undefined): string | null {
  const refusal = refusalOf(caller, publicUrl);
  if (refusal !== null) return refusal;
  const fromBrowser = caller.origin !== null || caller.fetchSite !== null;
  if (!fromBrowser) return null;
  const proven = caller.cookie !== null && caller.cookie.length >= 32 && caller.cookie === caller.token;
  return proven ? null : 'The console page that asked for this is too old or is not ours.';
}

/** Reads a {@link Caller} from a request's headers. */
export function callerOf(headers: Headers): Caller {
  return {
    host: headers.get('host'),
    origin: headers.get('origin'),
    fetchSite: headers.get('sec-fetch-site'),
    cookie: cookieIn(headers.get('cookie') ?? '', CONSOLE_COOKIE),
    token: headers.get(CONSOLE_HEADER),
  };
}

function isOwnOrigin(origin: string, host: string | null, own: URL | null): boolean {
  if (own !== null) return origin === own.origin;
  return origin === `http://${host}`;
}

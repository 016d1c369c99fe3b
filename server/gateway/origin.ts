import { isLoopbackHost } from '../kernel/loopback.ts';
import { headersOf, type RawHeaders } from './headers.ts';

/**
 * Why a request must not be answered by a gateway without sign-in, or null if it may: any web page can make a
 * browser call a loopback port, under a foreign name (DNS rebinding) or from a foreign page.
 * `Host` must be one loopback name; `Origin`, where there is one, must be that very host over http;
 * what a browser sends for another site's page is refused without one too.
 */
export function foreignReason(headers: RawHeaders): 'foreign_host' | 'foreign_origin' | null {
  const hosts = headersOf(headers, 'host');
  const [host] = hosts;
  if (hosts.length !== 1 || host === undefined || !isLoopbackHost(host)) return 'foreign_host';
  const own = `http://${host.toLowerCase()}`;
  const foreign = headersOf(headers, 'origin').some((origin) => origin.toLowerCase() !== own);
  return foreign || comesFromPage(headers) ? 'foreign_origin' : null;
}

/**
 * True where a browser says that another site's page asks: a plain GET of a picture or a script carries no `Origin`.
 * A link that a person follows is none of these.
 */
function comesFromPage(headers: RawHeaders): boolean {
  const [site] = headersOf(headers, 'sec-fetch-site');
  if (site !== 'cross-site' && site !== 'same-site') return false;
  return headersOf(headers, 'sec-fetch-mode')[0] !== 'navigate';
}

/**
 * True for a request whose answer a browser would show as a page. A door answers none: what a provider says would run
 * as if it were a page of ours.
 */
export function isNavigation(headers: RawHeaders): boolean {
  return headersOf(headers, 'sec-fetch-mode').includes('navigate');
}

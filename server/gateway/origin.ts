import { headersOf, type RawHeaders } from './headers.ts';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** True if a `Host` value names this machine's loopback, with any port. Names that resolve to it do not count. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}

/**
 * Why a request must not be answered by a gateway without sign-in, or null if it may: any web page can make a
 * browser call a loopback port, under a foreign name (DNS rebinding) or from a foreign page.
 * `Host` must be one loopback name; `Origin`, where there is one, must be that very host over http.
 */
export function foreignReason(headers: RawHeaders): 'foreign_host' | 'foreign_origin' | null {
  const hosts = headersOf(headers, 'host');
  const [host] = hosts;
  if (hosts.length !== 1 || host === undefined || !isLoopbackHost(host)) return 'foreign_host';
  const own = `http://${host.toLowerCase()}`;
  const foreign = headersOf(headers, 'origin').some((origin) => origin.toLowerCase() !== own);
  return foreign ? 'foreign_origin' : null;
}

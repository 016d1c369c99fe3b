const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/** True if a `Host` value names this machine's loopback, with any port. Names that resolve to it do not count. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}

import type { World } from '../world.ts';
import type { Note } from './agent.ts';

/**
 * A note where the shell names a proxy that would take requests for the gateway too. Both agents were seen to send
 * requests for the loopback address to the proxy unless `NO_PROXY` names it.
 */
export function proxyNote(world: World, gateway: string): Note[] {
  const names = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'];
  const set = names.find((name) => world.variables[name]);
  if (set === undefined || isExempt(noProxyOf(world), new URL(gateway))) return [];
  const host = new URL(gateway).hostname;
  return [
    {
      code: 'proxy',
      text: `${set} is set in this shell and NO_PROXY does not name ${host}: the agent would send its requests to the proxy. Add ${host} to NO_PROXY.`,
      blocks: true,
    },
  ];
}

/** The value of the variable that names the hosts that go past a proxy. */
export function noProxyOf(world: World): string {
  return world.variables.NO_PROXY || world.variables.no_proxy || '';
}

/** True if a list in the form of `NO_PROXY` exempts an address: its host, a suffix of it, or everything. */
export function isExempt(list: string, address: URL): boolean {
  const host = address.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = address.port || (address.protocol === 'https:' ? '443' : '80');
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '') return false;
    if (entry === '*') return true;
    const [, name = '', only] = /^(\[.*\]|[^:]*|.*:.*:.*)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (only !== undefined && only !== port) return false;
    const suffix = name.replace(/^\*?\./, '').replace(/^\[|\]$/g, '');
    return host === suffix || host.endsWith(`.${suffix}`);
  });
}

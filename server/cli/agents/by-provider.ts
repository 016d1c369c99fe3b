import type { ConfigFormat } from '../edits/config-format.ts';
import { KEY_HEADER } from '../gateway/local-key.ts';
import type { Agent, Elsewhere, Setting, UpstreamVariable } from './agent.ts';

/** One provider in the file of an agent that names several. */
export interface Provider {
  readonly title: string;
  readonly baseUrlPath: readonly string[];
  /** Where its headers stand: a table of names and values. */
  readonly headersPath: readonly string[];
  /** What follows the gateway's address. */
  readonly door: string;
  /** The address that the agent uses by itself. */
  readonly usual: string;
  readonly upstreamVariable: UpstreamVariable;
}

/** What follows from the providers alone for an agent whose file names each with its base URL and headers. */
export function byProvider(
  format: ConfigFormat,
  providers: readonly Provider[],
): Pick<Agent, 'routes' | 'settings' | 'showsKey' | 'isDoor' | 'elsewhere'> {
  const keyPath = (provider: Provider) => [...provider.headersPath, KEY_HEADER];
  const isDoor = (url: string, gateway: string) => providers.some(({ door }) => url === gateway + door);
  return {
    isDoor,
    routes: providers.map((provider) => ({
      baseUrlPath: provider.baseUrlPath,
      upstreamVariable: provider.upstreamVariable,
      key: { path: keyPath(provider), lines: false },
    })),
    settings: async (_world, gateway, key) =>
      providers.flatMap((provider): Setting[] => {
        const why = `requests to ${provider.title} go through the gateway`;
        const door: Setting = {
          path: provider.baseUrlPath,
          value: gateway + provider.door,
          why,
          role: 'base-url',
        };
        if (key === null) return [door];
        const shown = 'shows the gateway that the requests are yours: without it nothing is recorded';
        return [door, { path: keyPath(provider), value: key, why: shown, role: 'key' }];
      }),
    showsKey: (text, key) =>
      providers.every((provider) => format.find(text, keyPath(provider))?.value === key),
    elsewhere: (text, gateway) =>
      providers.flatMap(({ baseUrlPath, usual, upstreamVariable }): Elsewhere[] => {
        const found = format.find(text, baseUrlPath);
        if (found === null || (found.value !== null && isDoor(found.value, gateway))) return [];
        const url = found.value ?? found.written;
        if (url.replace(/\/+$/, '') === usual) return [];
        return [{ url, replaceable: true, where: baseUrlPath.join('.'), upstreamVariable }];
      }),
  };
}

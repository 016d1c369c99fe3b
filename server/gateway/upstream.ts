import { buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import type { Door, Proxies } from '../kernel/env.ts';
import { type UpstreamBase, upstreamBase } from './doors.ts';

/**
 * Limits of a call, all of them ours and longer than the agents' own (300 s without a byte, 600 s in all), so that
 * the agent is always the one that gives up. Milliseconds.
 */
const LIMITS = {
  headersTimeout: 1_800_000,
  bodyTimeout: 1_800_000,
  /** Idle time of a connection where the upstream names none. */
  keepAliveTimeout: 4_000,
  keepAliveMaxTimeout: 600_000,
  connectTimeout: 30_000,
};

/** Bytes of an answer's header section that are taken. */
const MAX_HEADER_BYTES = 256 * 1024;

/** A request as it goes on the wire. */
export interface UpstreamRequest {
  readonly door: Door;
  readonly method: string;
  /** Path and query with the upstream's base path, written as they are. */
  readonly path: string;
  /** Names and values in turn; host, connection and length are written by the connection itself. */
  readonly headers: string[];
  readonly body: Buffer;
}

/** The providers, each behind connections of its own. The only place that talks to them. */
export interface Upstreams {
  /** What stands before every target of a door. */
  base(door: Door): UpstreamBase;
  /** Hands a request on at once where a connection is free. Every outcome, failures too, goes to the handler. */
  send(request: UpstreamRequest, handler: Dispatcher.DispatchHandler): void;
  /** Resolves when every call has ended and every connection is closed. */
  close(): Promise<void>;
  /** Breaks off what is running. */
  destroy(): Promise<void>;
}

/**
 * Connections to the configured upstreams: kept alive, one call at a time on each, as many as there are calls.
 * Redirects are answers like any other and nothing is tried twice.
 *
 * On the wire a request reads: request line, `host`, `connection`, then the given headers as they are, then
 * `content-length` (where there is a body, or the method expects one), then the body in one piece.
 */
export function createUpstreams(addresses: Readonly<Record<Door, string>>, proxies: Proxies): Upstreams {
  const bases: Readonly<Record<Door, UpstreamBase>> = {
    anthropic: upstreamBase(addresses.anthropic),
    openai: upstreamBase(addresses.openai),
    chatgpt: upstreamBase(addresses.chatgpt),
  };
  const { connectTimeout, ...limits } = LIMITS;
  const options = { ...limits, maxHeaderSize: MAX_HEADER_BYTES, pipelining: 1, allowH2: false };
  if (proxies.http !== null || proxies.https !== null) {
    const agent = new EnvHttpProxyAgent({
      ...options,
      httpProxy: proxies.http ?? '',
      httpsProxy: proxies.https ?? '',
      noProxy: proxies.none ?? '',
    });
    return {
      base: (door) => bases[door],
      send({ door, method, path, headers, body }, handler) {
        const pairs = new HeaderList(headers) as unknown as Record<string, string>;
        agent.dispatch(
          { origin: bases[door].origin, method: method as Dispatcher.HttpMethod, path, headers: pairs, body },
          handler,
        );
      },
      close: () => agent.close(),
      destroy: () => agent.destroy(),
    };
  }
  const connect = tellingResets(buildConnector({ timeout: connectTimeout }));
  const pools = new Map<string, Pool>();
  for (const { origin } of Object.values(bases)) {
    if (!pools.has(origin)) pools.set(origin, new Pool(origin, { ...options, connect }));
  }
  const all = [...pools.values()];
  return {
    base: (door) => bases[door],
    send({ door, method, path, headers, body }, handler) {
      const pool = pools.get(bases[door].origin);
      pool?.dispatch({ method: method as Dispatcher.HttpMethod, path, headers, body }, handler);
    },
    close: async () => void (await Promise.all(all.map((pool) => pool.close()))),
    destroy: async () => void (await Promise.all(all.map((pool) => pool.destroy()))),
  };
}

/** The code of an error that says: the upstream reset the connection. */
export const UPSTREAM_RESET = 'UPSTREAM_RESET';

/**
 * Gives resets a code of their own. The library takes `ECONNRESET` in a body that ends with its connection for that
 * end (some systems report one behind a whole body); here it is a fault, and a cut answer must not look whole.
 */
function tellingResets(connector: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connector(options, (...result) => {
      const [, socket] = result;
      socket?.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNRESET') error.code = UPSTREAM_RESET;
      });
      callback(...result);
    });
}

/** Headers as an iterable of pairs: the form in which the proxy agent keeps order and duplicates. */
class HeaderList {
  readonly #flat: readonly string[];

  constructor(flat: readonly string[]) {
    this.#flat = flat;
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (let at = 0; at + 1 < this.#flat.length; at += 2)
      yield [this.#flat[at] ?? '', this.#flat[at + 1] ?? ''];
  }
}

import { type AgentOptions, Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';
import type { Proxies } from '../kernel/env.ts';

/**
 * The proxy that an upstream is reached through, null for none. `NO_PROXY` entries are host names (with or without a
 * leading dot, subdomains included), addresses, either with a port, or `*`.
 */
export function proxyFor(upstream: URL, proxies: Proxies): URL | null {
  const address = upstream.protocol === 'https:' ? (proxies.https ?? proxies.http) : proxies.http;
  if (address === null) return null;
  const host = upstream.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  const port = upstream.port === '' ? (upstream.protocol === 'https:' ? '443' : '80') : upstream.port;
  const entries = (proxies.none ?? '').toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => excepts(entry, host, port)) ? null : new URL(address);
}

function excepts(entry: string, host: string, port: string): boolean {
  if (entry === '') return false;
  if (entry === '*') return true;
  const [, bracketed, plain, entryPort] = /^(?:\[([^\]]+)\]|([^:]+|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? [];
  if (entryPort !== undefined && entryPort !== port) return false;
  const name = (bracketed ?? plain ?? '').replace(/^\*?\./, '');
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
}

type Created = (error: Error | null, socket?: Duplex) => void;

/** Why a proxy gave no tunnel. */
class TunnelRefused extends Error {
  override readonly name = 'TunnelRefused';
  readonly code: string;

  constructor(status: number) {
    super(`the proxy answered ${status}`);
    this.code = `PROXY_${status}`;
  }
}

/**
 * An agent whose connections are tunnels through a proxy (`CONNECT`), with TLS inside them for secure upstreams. The
 * proxy sees the upstream's name and port alone. User and password in the proxy's address are sent to it.
 */
export function tunnelAgent(proxy: URL, secure: boolean, options: AgentOptions): HttpAgent {
  const agent = secure ? new HttpsAgent(options) : new HttpAgent(options);
  const create = (
    target: { host?: string; port?: number | string; servername?: string },
    created: Created,
  ) => {
    openTunnel(proxy, `${bracketed(target.host ?? '')}:${target.port}`, (error, socket) => {
      if (error !== null || socket === undefined) created(error ?? new TunnelRefused(0));
      else if (secure) secureTunnel(socket, target.servername ?? target.host ?? '', created);
      else created(null, socket);
    });
  };
  // Node calls it with the callback and takes nothing returned as "later"; its type speaks of sockets alone.
  agent.createConnection = create as unknown as typeof agent.createConnection;
  return agent;
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function openTunnel(
  proxy: URL,
  authority: string,
  created: (error: Error | null, socket?: Socket) => void,
): void {
  const headers: Record<string, string> = { host: authority };
  if (proxy.username !== '') {
    const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
    headers['proxy-authorization'] = `Basic ${Buffer.from(login).toString('base64')}`;
  }
  const asked = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
    agent: false,
    hostname: proxy.hostname.replace(/^\[|\]$/g, ''),
    port: proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : Number(proxy.port),
    method: 'CONNECT',
    path: authority,
    headers,
  });
  asked.once('connect', (answer, socket: Socket) => {
    if (answer.statusCode === 200) {
      created(null, socket);
      return;
    }
    socket.destroy();
    created(new TunnelRefused(answer.statusCode ?? 0));
  });
  asked.once('error', (error) => created(error));
  asked.end();
}

function secureTunnel(socket: Socket, servername: string, created: Created): void {
  const secured = tlsConnect({
    socket,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(servername) ? {} : { servername }),
  });
  const failed = (error: Error) => created(error);
  secured.once('error', failed);
  secured.once('secureConnect', () => {
    secured.off('error', failed);
    created(null, secured);
  });
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RawHeaders } from './headers.ts';

/** A request as Node received it, for a handler that a framework shows no more than a web `Request`. */
export interface Incoming {
  /** The request line's target, written as it was. */
  readonly target: string;
  readonly rawHeaders: RawHeaders;
  readonly socket: Socket;
  /** What the framework answers on. */
  readonly response: ServerResponse;
}

const current = new AsyncLocalStorage<Incoming>();

/** What Node publishes on `http.server.request.start`, before the server's own listeners see the request. */
interface RequestStart {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly socket: Socket;
  readonly server: Server;
}

/**
 * From now on `incomingNow` knows the request of any code that runs for it, on every HTTP server of this process.
 * For a process whose server is a framework's. Call it once.
 * @param onRequest is told of each request and its server, before anything else
 */
export function watchIncoming(onRequest: (incoming: Incoming, server: Server) => void): void {
  subscribe('http.server.request.start', (message) => {
    const { request, response, socket, server } = message as RequestStart;
    const incoming = { target: request.url ?? '', rawHeaders: request.rawHeaders, socket, response };
    current.enterWith(incoming);
    onRequest(incoming, server);
  });
}

/** The request that the running code answers; null outside of one, and where nobody watches. */
export function incomingNow(): Incoming | null {
  return current.getStore() ?? null;
}

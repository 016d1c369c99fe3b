import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { Door, Proxies } from '../kernel/env.ts';
import { type UpstreamBase, upstreamBase } from './doors.ts';
import type { RawHeaders } from './headers.ts';
import type { PiecedBody } from './pieced-body.ts';
import { proxyFor, tunnelAgent } from './proxy.ts';

/**
 * Limits of a call, all of them ours and longer than the agents' own (300 s without a byte, 600 s in all), so that
 * the agent is always the one that gives up. Milliseconds.
 */
const LIMITS: CallLimits = { silenceMs: 1_800_000, connectMs: 30_000 };
/** How long a call waits, in milliseconds. */
export interface CallLimits {
  /** Without a byte in either direction, before the head and behind it. */
  readonly silenceMs: number;
  /** For a new connection to stand. */
  readonly connectMs: number;
}

/** Idle time of a kept connection; an upstream that names a shorter one (`Keep-Alive: timeout`) is followed. */
const IDLE_MS = 60_000;
/** Idle time before the first probe that keeps a connection known to the networks on its way. */
const PROBE_MS = 30_000;
/** Bytes of an answer's header section that are taken. */
const MAX_HEADER_BYTES = 256 * 1024;

/** A request as it goes on the wire. */
export interface UpstreamRequest {
  readonly door: Door;
  readonly method: string;
  /** Path and query with the upstream's base path, written as they are. */
  readonly path: string;
  /** Names and values in turn, host and length among them, written as they are. */
  readonly headers: string[];
  readonly body: Buffer | PiecedBody;
}

/** What becomes of a call. Exactly one of `onEnd` and `onFault` comes, and nothing after it. */
export interface AnswerHandler {
  /** The final head; informational ones are read over. */
  onHead(status: number, reason: string, headers: RawHeaders): void;
  onBytes(bytes: Buffer): void;
  onEnd(): void;
  /** The upstream could not be reached, broke off, or said what is no HTTP. */
  onFault(fault: UpstreamFault): void;
}

/** How a call went wrong. */
export interface UpstreamFault {
  /** The system's or the parser's code (`ECONNREFUSED`, `HPE_…`), or `CONNECT_TIMEOUT`, `SILENCE_TIMEOUT`. */
  readonly code: string;
  /** True where the upstream reset the connection, false where it merely closed it. */
  readonly reset: boolean;
}

/** A call under way. */
export interface UpstreamCall {
  /** Stops and continues reading from the upstream, which then feels it. */
  pause(): void;
  resume(): void;
  /** Breaks the call off and its connection with it; nothing is reported any more. */
  abort(): void;
}

/** The providers, each behind connections of its own. The only place that talks to them. */
export interface Upstreams {
  /** What stands before every target of a door, and the host that requests name. */
  base(door: Door): UpstreamBase;
  /** Hands a request on at once. Never throws: every outcome goes to the handler, in a later tick or this one. */
  send(request: UpstreamRequest, handler: AnswerHandler): UpstreamCall;
  /** Closes connections that are idle; running calls keep theirs. */
  close(): void;
}

/**
 * Connections to the configured upstreams: kept alive, one call at a time on each, as many as there are calls.
 * Redirects are answers like any other and nothing is tried twice. On the wire a request is its request line, the
 * given headers as they are, `Connection: keep-alive`, and the body.
 */
export function createUpstreams(
  addresses: Readonly<Record<Door, string>>,
  proxies: Proxies,
  limits: CallLimits = LIMITS,
): Upstreams {
  const routes: Readonly<Record<Door, Route>> = {
    anthropic: routeTo(addresses.anthropic, proxies),
    openai: routeTo(addresses.openai, proxies),
    chatgpt: routeTo(addresses.chatgpt, proxies),
  };
  return {
    base: (door) => routes[door].base,
    send: (request, handler) => new Call(routes[request.door], request, handler, limits),
    close: () => {
      for (const { agent } of Object.values(routes)) agent.destroy();
    },
  };
}

interface Route {
  readonly base: UpstreamBase;
  readonly secure: boolean;
  readonly hostname: string;
  readonly port: number;
  readonly agent: HttpAgent;
}

function routeTo(address: string, proxies: Proxies): Route {
  const base = upstreamBase(address);
  const url = new URL(base.origin);
  const secure = url.protocol === 'https:';
  const options = { keepAlive: true, keepAliveMsecs: PROBE_MS, timeout: IDLE_MS, maxFreeSockets: 64 };
  const proxy = proxyFor(url, proxies);
  const direct = () => (secure ? new HttpsAgent(options) : new HttpAgent(options));
  return {
    base,
    secure,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    agent: proxy === null ? direct() : tunnelAgent(proxy, secure, options),
  };
}

/** Anything but a whole answer, by a code. */
class CallFault extends Error {
  override readonly name = 'CallFault';
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

class Call implements UpstreamCall {
  readonly #handler: AnswerHandler;
  readonly #connectMs: number;
  #request: ClientRequest | null = null;
  #answer: IncomingMessage | null = null;
  #over = false;

  constructor(route: Route, request: UpstreamRequest, handler: AnswerHandler, limits: CallLimits) {
    this.#handler = handler;
    this.#connectMs = limits.connectMs;
    const send = route.secure ? httpsRequest : httpRequest;
    try {
      this.#request = send({
        agent: route.agent,
        hostname: route.hostname,
        port: route.port,
        method: request.method,
        path: request.path,
        // The type knows only name-to-value forms; Node writes a flat list as it is.
        headers: request.headers as unknown as Record<string, string>,
        maxHeaderSize: MAX_HEADER_BYTES,
        timeout: limits.silenceMs,
      });
    } catch (error) {
      this.#fault(error);
      return;
    }
    this.#request.on('response', this.#onResponse);
    this.#request.on('error', this.#onError);
    this.#request.on('timeout', this.#onSilence);
    this.#request.on('socket', this.#onSocket);
    this.#request.on('close', this.#onClose);
    writeBody(this.#request, request.body);
  }

  pause(): void {
    this.#answer?.pause();
  }

  resume(): void {
    this.#answer?.resume();
  }

  abort(): void {
    this.#over = true;
    this.#request?.destroy();
  }

  #onResponse = (answer: IncomingMessage): void => {
    if (this.#over) return;
    this.#answer = answer;
    answer.on('data', this.#onData);
    answer.on('end', this.#onEnd);
    answer.on('error', this.#onCut);
    this.#handler.onHead(answer.statusCode ?? 0, answer.statusMessage ?? '', answer.rawHeaders);
  };

  #onData = (bytes: Buffer): void => {
    if (!this.#over) this.#handler.onBytes(bytes);
  };

  #onEnd = (): void => {
    if (this.#over) return;
    this.#over = true;
    this.#handler.onEnd();
  };

  /** The connection's own error: a refusal, a reset, broken HTTP. It comes before any end that it may look like. */
  #onError = (error: NodeJS.ErrnoException): void => {
    this.#fault(error, error.code === 'ECONNRESET' && error.syscall !== undefined);
  };

  /** The connection was closed before the answer's end. */
  #onCut = (error: Error): void => this.#fault(error);

  /** An end without a word (an upgrade that nobody asked for). With an answer, the answer itself tells. */
  #onClose = (): void => {
    if (this.#answer === null) this.#fault(new CallFault('CLOSED'));
  };

  #onSilence = (): void => {
    this.#request?.destroy(new CallFault('SILENCE_TIMEOUT'));
  };

  #onSocket = (socket: Socket): void => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => this.#request?.destroy(new CallFault('CONNECT_TIMEOUT')), this.#connectMs);
    const stop = () => clearTimeout(timer);
    socket.once('connect', stop).once('close', stop);
  };

  #fault(error: unknown, reset = false): void {
    if (this.#over) return;
    this.#over = true;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
    this.#handler.onFault({ code, reset });
    this.#request?.destroy();
  }
}

/** Hands a body to a request and ends it; pieces follow each other as they are. */
function writeBody(request: ClientRequest, body: UpstreamRequest['body']): void {
  if (body instanceof Uint8Array) {
    request.end(body);
    return;
  }
  request.cork();
  for (const piece of body.pieces) request.write(piece);
  request.uncork();
  request.end();
}

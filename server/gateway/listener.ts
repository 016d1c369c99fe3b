import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../kernel/clock.ts';
import type { Door } from '../kernel/env.ts';
import { newId } from '../kernel/ids.ts';
import { answerConsoleLink } from './console-door.ts';
import type { ConsoleProof } from './console-proof.ts';
import { refusalElsewhere } from './elsewhere.ts';
import { type Guard, meetConnections } from './guard.ts';
import type { Gateway } from './handler.ts';
import { type RefusalCause, rawRefusal, refusal } from './refuse.ts';
import { refuseOnNode } from './refuse-node.ts';

/** What a process listens with. */
export interface ListenerOptions {
  readonly gateway: Gateway;
  readonly guard: Guard;
  /** Answers console links; without it there are none. */
  readonly console?: ConsoleProof;
  readonly clock: Clock;
  /** Everything that is not a door. Requests that the guard refuses do not get here. */
  readonly fallback: (request: IncomingMessage, response: ServerResponse) => void;
  /** Upgrades that are not on a door; without it they are refused. */
  readonly fallbackUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** Bytes of a request's header section that are taken (agents send whole JSON documents in headers). */
const MAX_HEADER_BYTES = 128 * 1024;
/** Idle milliseconds after which a kept connection is closed: longer than agents and balancers keep theirs. */
const KEEP_ALIVE_MS = 120_000;
/** Milliseconds that a request's headers, and the whole of a request with its body, may take to arrive. */
const HEADERS_MS = 60_000;
const REQUEST_MS = 900_000;

/**
 * An HTTP server whose doors are answered by the gateway and everything else by `fallback`: with the guard's rules
 * on every route, broken requests refused in the right shape, `Expect: 100-continue` and upgrades answered.
 * Not listening yet.
 */
export function createListener(options: ListenerOptions): Server {
  const { gateway, clock } = options;
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
    requireHostHeader: false,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
    noDelay: true,
  });
  meetConnections(server, options.guard);
  server.on('request', (request, response) => {
    if (!gateway.handle(request, response)) void answerElsewhere(options, request, response, false);
  });
  server.on('checkContinue', (request, response) => {
    if (!gateway.handle(request, response, true)) void answerElsewhere(options, request, response, true);
  });
  server.on('upgrade', (request, socket, head) => {
    if (gateway.upgrade(request, socket)) return;
    void upgradeElsewhere(options, request, socket, head);
  });
  server.on('clientError', (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket) => {
    refuseBroken(error, socket as Socket, clock);
  });
  return server;
}

async function answerElsewhere(
  options: ListenerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  awaitsContinue: boolean,
): Promise<void> {
  const { method = '', url: target = '', rawHeaders, socket } = request;
  const asking = { method, target, rawHeaders, socket };
  const opened = options.console ? answerConsoleLink(options.guard, options.console, asking) : null;
  if (opened !== null) {
    refuseOnNode(request, response, opened, awaitsContinue);
    return;
  }
  const cause = await refusalElsewhere(options.guard, request);
  if (cause !== null) {
    const refused = refusal(null, newId(options.clock), cause);
    refuseOnNode(request, response, refused, awaitsContinue);
    return;
  }
  if (awaitsContinue) response.writeContinue();
  options.fallback(request, response);
}

async function upgradeElsewhere(
  options: ListenerOptions,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  socket.on('error', () => socket.destroy());
  const cause = await refusalElsewhere(options.guard, request);
  if (cause === null && options.fallbackUpgrade) {
    options.fallbackUpgrade(request, socket, head);
    return;
  }
  const refused = refusal(null, newId(options.clock), { ...(cause ?? NO_UPGRADE), close: true });
  socket.end(rawRefusal(refused, cause === null ? 'Upgrade Required' : 'Forbidden'));
}

const NO_UPGRADE: RefusalCause = {
  code: 'bad_request',
  status: 426,
  reason: 'upgrade',
  message: 'No upgrades are taken here.',
};

/** What a broken request is refused with, by the parser's or the server's error code. */
function brokenCause(code: string | undefined): { cause: RefusalCause; phrase: string } {
  const base = { code: 'bad_request', close: true } as const;
  if (code === 'HPE_HEADER_OVERFLOW') {
    const message = 'The header section is larger than this gateway takes.';
    return {
      cause: { ...base, status: 431, reason: 'headers_too_large', message },
      phrase: 'Request Header Fields Too Large',
    };
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const message = 'The request did not arrive whole in time.';
    return { cause: { ...base, status: 408, reason: 'request_timeout', message }, phrase: 'Request Timeout' };
  }
  if (code === 'HPE_UNEXPECTED_CONTENT_LENGTH' || code === 'HPE_INVALID_TRANSFER_ENCODING') {
    const message = 'The request says in two ways how long its body is. Send one Content-Length, or chunks.';
    return { cause: { ...base, reason: 'conflicting_lengths', message }, phrase: 'Bad Request' };
  }
  const message = 'The request is not valid HTTP/1.1.';
  return { cause: { ...base, reason: 'bad_http', message }, phrase: 'Bad Request' };
}

/** Answers what the parser could not read, unless an answer is on its way on that connection already. */
function refuseBroken(
  error: NodeJS.ErrnoException & { rawPacket?: Buffer },
  socket: Socket,
  clock: Clock,
): void {
  const answering = (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  if (answering?.headersSent) {
    socket.destroySoon();
    return;
  }
  const { cause, phrase } = brokenCause(error.code);
  const refused = refusal(doorOfPacket(error.rawPacket), newId(clock), cause);
  socket.end(rawRefusal(refused, phrase), () => socket.destroySoon());
}

/** The door that a broken request was for, read from its request line where the packet begins with one. */
function doorOfPacket(packet: Buffer | undefined): Door | null {
  const line = packet?.toString('latin1', 0, 512) ?? '';
  const found = /^[A-Z-]+ (?:\/k\/[^/ ]*)?\/(anthropic|openai|chatgpt)[/? ]/.exec(line)?.[1];
  return found === 'anthropic' || found === 'openai' || found === 'chatgpt' ? found : null;
}

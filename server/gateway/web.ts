import type { Door } from '../kernel/env.ts';
import type { Uuid } from '../kernel/ids.ts';
import { CLIMBS_OUT, FOREIGN, TOO_LARGE } from './causes.ts';
import { matchDoor, upstreamTarget } from './doors.ts';
import type { Guard } from './guard.ts';
import type { RawHeaders } from './headers.ts';
import { incomingNow } from './incoming.ts';
import { isNavigation } from './origin.ts';
import { MAX_BODY_BYTES } from './receive.ts';
import { type RefusalCause, refusal } from './refuse.ts';
import { Exchange, type ExchangeContext, type ExchangeRequest } from './relay.ts';
import { WebClient } from './web-client.ts';

/** What the web face of a gateway shares with it. */
export interface WebFace {
  readonly context: ExchangeContext;
  readonly guard: Guard;
  readonly newRequestId: () => Uuid;
  readonly started: (exchange: Exchange) => void;
  readonly refused: (door: Door | null, reason: string, id: Uuid) => void;
}

/** Headers that the framework in front of a web handler adds by itself; they must not reach a provider. */
const ADDED_BY_FRAMEWORK = /^x-(forwarded-(for|host|port|proto)|invoke-|middleware-|matched-path|nextjs-)/;

/**
 * Answers a web `Request` through its door: the same exchange, on streams. Where the request is known as Node received
 * it, its target and headers are taken from there, as they were written. Never rejects.
 */
export async function serveWeb(request: Request, face: WebFace): Promise<Response> {
  const id = face.newRequestId();
  const { context } = face;
  const url = new URL(request.url);
  const incoming = incomingNow();
  const refuse = (door: Door | null, cause: RefusalCause): Promise<Response> => {
    face.refused(door, cause.reason, id);
    return new Promise((resolve) =>
      new WebClient(resolve, request.method, incoming).refuse(refusal(door, id, cause)),
    );
  };
  const match = matchDoor(incoming?.target ?? url.pathname + url.search);
  if (match === null) return refuse(null, NO_DOOR);
  if (match.kind === 'refused') {
    return refuse(match.door, { code: 'bad_request', reason: 'bad_target', message: match.message });
  }
  const path = upstreamTarget(context.upstreams.base(match.door), match.target);
  const headers = incoming?.rawHeaders ?? flat(request.headers);
  const asking = { rawHeaders: headers, socket: incoming?.socket ?? null };
  const foreign = face.guard.foreign(asking) ?? (isNavigation(headers) ? 'foreign_origin' : null);
  if (foreign !== null) {
    return refuse(match.door, { code: 'forbidden', reason: foreign, message: FOREIGN[foreign] });
  }
  if (path === null) return refuse(match.door, CLIMBS_OUT);
  const recorded = context.tap !== null && face.guard.owned(asking, match.key);
  const receivedAt = context.clock.now();
  const body = await readWhole(request);
  if (body === 'too_large') return refuse(match.door, TOO_LARGE);
  if (body === 'gone') return refuse(match.door, GONE);
  return relay(request, face, {
    id,
    door: match.door,
    method: request.method,
    target: match.target,
    path,
    headers,
    body,
    receivedAt,
    wholeAt: context.clock.monotonic(),
    recorded,
  });
}

function relay(request: Request, face: WebFace, received: ExchangeRequest): Promise<Response> {
  return new Promise((resolve) => {
    const client = new WebClient(resolve, request.method, incomingNow());
    const exchange = new Exchange(face.context, received, client);
    face.started(exchange);
    exchange.start();
    client.bind(exchange, request.signal);
  });
}

async function readWhole(request: Request): Promise<Buffer | 'too_large' | 'gone'> {
  if (request.body === null) return Buffer.alloc(0);
  if (Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES) {
    await request.body.cancel().catch(() => undefined);
    return 'too_large';
  }
  const reader = request.body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      size += part.value.length;
      if (size > MAX_BODY_BYTES) {
        await reader.cancel();
        return 'too_large';
      }
      chunks.push(part.value);
    }
  } catch {
    return 'gone';
  }
  const [only] = chunks;
  return chunks.length === 1 && only
    ? Buffer.from(only.buffer, only.byteOffset, only.byteLength)
    : Buffer.concat(chunks, size);
}

function flat(headers: Headers): RawHeaders {
  const list: string[] = [];
  headers.forEach((value, name) => {
    if (!ADDED_BY_FRAMEWORK.test(name)) list.push(name, value);
  });
  return list;
}

const NO_DOOR: RefusalCause = {
  code: 'not_found',
  reason: 'no_door',
  message: 'Nothing answers at this path.',
};

const GONE: RefusalCause = {
  code: 'bad_request',
  reason: 'client_gone',
  message: 'The request broke off before its body was whole.',
};

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { ReadableStream as NodeWebStream } from 'node:stream/web';
import { pino } from 'pino';
import { systemClock } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { createMetrics, type Metrics } from '../../kernel/metrics.ts';
import type { ConsoleProof } from '../console-proof.ts';
import { type Guard, openGuard } from '../guard.ts';
import { createGateway, type Gateway, type GatewayOptions } from '../handler.ts';
import { createListener } from '../listener.ts';
import type { Tap, TappedAnswer, TappedRequest } from '../tap.ts';
import { portOf } from './raw.ts';

/** The account of every test. */
export const ACCOUNT = '00000000-0000-7000-8000-000000000001' as Uuid;

/** A tap that keeps what it was told and lets a test wait for an answer's end. */
export interface RecordingTap extends Tap {
  readonly requests: TappedRequest[];
  readonly answers: TappedAnswer[];
  /** Resolves once `count` answers have ended. */
  ended(count: number): Promise<readonly TappedAnswer[]>;
}

/** Makes a {@link RecordingTap}. */
export function recordingTap(): RecordingTap {
  const requests: TappedRequest[] = [];
  const answers: TappedAnswer[] = [];
  const waiting = new Set<() => void>();
  return {
    requests,
    answers,
    requestReceived: (request) => requests.push(request),
    answerEnded: (answer) => {
      answers.push(answer);
      for (const check of waiting) check();
    },
    ended: (count) =>
      new Promise((resolve) => {
        const check = () => {
          if (answers.length < count) return;
          waiting.delete(check);
          resolve(answers);
        };
        waiting.add(check);
        check();
      }),
  };
}

/** A gateway that listens on loopback, for tests. */
export interface TestGateway {
  readonly port: number;
  readonly url: string;
  readonly gateway: Gateway;
  readonly metrics: Metrics;
  close(): Promise<void>;
}

/** How the gateway is served: on Node's HTTP, or through web `Request` and `Response`. */
export type Face = 'node' | 'web';

/** What a test may set. */
export interface TestGatewayOptions extends Partial<Omit<GatewayOptions, 'env' | 'guard'>> {
  readonly upstream: string;
  readonly guard?: Guard;
  readonly console?: ConsoleProof;
  readonly face?: Face;
  readonly proxies?: GatewayOptions['env']['proxies'];
}

/** Starts a gateway whose three doors lead to one upstream. */
export async function testGateway(options: TestGatewayOptions): Promise<TestGateway> {
  const { upstream, face = 'node', guard = openGuard, console, proxies, ...rest } = options;
  const metrics = rest.metrics ?? createMetrics();
  const gateway = createGateway({
    clock: systemClock,
    log: pino({ level: 'silent' }),
    accountId: ACCOUNT,
    tap: null,
    ...rest,
    metrics,
    guard,
    env: {
      upstreams: { anthropic: upstream, openai: upstream, chatgpt: `${upstream}/backend-api` },
      proxies: proxies ?? { https: null, http: null, none: null },
    },
  });
  const server =
    face === 'node'
      ? createListener({
          gateway,
          guard,
          ...(console ? { console } : {}),
          clock: systemClock,
          fallback: (_request, response) => response.end('elsewhere'),
        })
      : createServer((request, response) => void serveAsWeb(gateway, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    gateway,
    metrics,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await gateway.close(0);
    },
  };
}

/** A minimal bridge from Node's HTTP to a web handler, as a framework has one. */
async function serveAsWeb(
  gateway: Gateway,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const abort = new AbortController();
  response.on('close', () => abort.abort());
  response.on('error', () => undefined);
  const method = request.method ?? 'GET';
  const bodiless = method === 'GET' || method === 'HEAD';
  const answer = await gateway.forWeb(
    new Request(`http://127.0.0.1${request.url}`, {
      method,
      headers: pairsOf(request.rawHeaders),
      body: bodiless ? null : (Readable.toWeb(request) as unknown as ReadableStream),
      signal: abort.signal,
      duplex: 'half',
    } as RequestInit),
  );
  response.sendDate = false;
  const flat = [...answer.headers].flat();
  response.writeHead(answer.status, answer.statusText, flat);
  response.flushHeaders();
  if (answer.body === null) {
    response.end();
    return;
  }
  const reader = (answer.body as unknown as NodeWebStream<Uint8Array>).getReader();
  abort.signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined));
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (!response.write(part.value) && !response.destroyed) await drained(response);
    }
    response.end();
  } catch {
    response.socket?.resetAndDestroy();
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  const forbidden = /^(connection|keep-alive|transfer-encoding|expect|upgrade|te)$/i;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (!forbidden.test(raw[at] ?? '')) pairs.push([raw[at] ?? '', raw[at + 1] ?? '']);
  }
  return pairs;
}

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Agent, createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

const RECORDED = join(import.meta.dirname, '..', 'clients', 'recorded');

/** One request of a real agent as it was recorded, with the answer it got. */
interface Exchange {
  readonly method: string;
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  readonly status: number;
  readonly answerHeaders: readonly (readonly [name: string, value: string])[];
  readonly answer: Buffer;
}

/** The recorded exchanges of a case such as `claude-code/opus-session`, in their order. */
export function recordedCase(name: string): readonly Exchange[] {
  const folder = join(RECORDED, name);
  const numbers = readdirSync(folder)
    .filter((file) => file.endsWith('.headers.json'))
    .map((file) => file.slice(0, 3))
    .sort();
  return numbers.map((number) => {
    const at = (rest: string) => join(folder, `${number}.${rest}`);
    const bytes = (...names: string[]) =>
      names
        .map(at)
        .filter(existsSync)
        .map((file) => readFileSync(file))[0];
    const head = JSON.parse(readFileSync(at('headers.json'), 'utf8'));
    return {
      ...head,
      body: bytes('request.json') ?? Buffer.alloc(0),
      answer: bytes('response.sse', 'response.json') ?? Buffer.alloc(0),
    };
  });
}

/** A provider that knows what it answered to each recorded body, and nothing else. */
export interface ReplayProvider {
  readonly url: string;
  /** From now on every request is refused with these words. */
  refuse(message: string): void;
  stop(): Promise<void>;
}

/**
 * Starts a provider that answers recorded requests as they were answered: by their bytes, or, where the product has changed
 * them on their way, by model and newest message.
 */
export async function startReplayProvider(exchanges: readonly Exchange[]): Promise<ReplayProvider> {
  const answers = new Map(exchanges.flatMap((one) => keysOf(one.body).map((key) => [key, one] as const)));
  let refusal: string | null = null;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (refusal !== null) {
        response.writeHead(401, { 'content-type': 'application/json' });
        response.end(
          JSON.stringify({ type: 'error', error: { type: 'authentication_error', message: refusal } }),
        );
        return;
      }
      const known = keysOf(Buffer.concat(chunks))
        .map((key) => answers.get(key))
        .find((one) => one !== undefined);
      const kept = known?.answerHeaders.filter(
        ([name]) => !/^(content-length|transfer-encoding|connection)$/i.test(name),
      );
      response.writeHead(known?.status ?? 404, kept?.flat() ?? []);
      response.end(known?.answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse(message) {
      refusal = message;
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** One connection that stays open, as an agent keeps its own. */
const connection = new Agent({ keepAlive: true, maxSockets: 1 });

/** Sends recorded exchanges through a door, one after the other, each answer read to its end. */
export async function replay(
  exchanges: readonly Exchange[],
  product: string,
  door: '/anthropic' | '/openai',
): Promise<void> {
  for (const exchange of exchanges) {
    if (exchange.headers.some(([name]) => name.toLowerCase() === 'upgrade')) continue;
    await send(exchange, product, door);
  }
}

function send(exchange: Exchange, product: string, door: string): Promise<void> {
  const { hostname, port } = new URL(product);
  const kept = exchange.headers.filter(([name]) => !/^(host|content-length|connection)$/i.test(name));
  const ownHeaders = [
    ['host', `${hostname}:${port}`],
    ['content-length', `${exchange.body.length}`],
    ['connection', 'keep-alive'],
  ] as const;
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      {
        agent: connection,
        hostname,
        port,
        method: exchange.method,
        path: `${door}${exchange.target}`,
        headers: [...kept, ...ownHeaders].flat(),
      },
      (response) => {
        response.resume();
        response.once('end', () => resolve());
        response.once('error', reject);
      },
    );
    request.once('error', reject);
    request.end(exchange.body);
  });
}

/** What a request is known by, the surest first. */
function keysOf(body: Buffer): readonly string[] {
  const keyOf = (content: Buffer | string) => createHash('sha256').update(content).digest('hex');
  try {
    const { model, messages, input } = JSON.parse(body.toString());
    const newest = (messages ?? input)?.at(-1);
    return [keyOf(body), ...(newest === undefined ? [] : [keyOf(`${model} ${JSON.stringify(newest)}`)])];
  } catch {
    return [keyOf(body)];
  }
}

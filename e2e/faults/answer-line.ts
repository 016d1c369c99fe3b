import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What becomes of a request on its way. */
export interface Passage {
  /** False: it is taken and neither sent on nor answered. */
  readonly sends: boolean;
  /** Most bytes of its answer that are passed on; the rest is held for ever. */
  readonly answerBytes: number;
  /** Called once, when there is nothing more that may be passed on. */
  held(): void;
}

/** A request as it came to the line. */
export interface Passing {
  readonly path: string;
  readonly body: Buffer;
}

/** The line between a gateway and its provider, on which a request or its answer can be held. */
export interface AnswerLine {
  readonly url: string;
  /** Every request that came, oldest first. */
  readonly came: readonly Passing[];
  stop(): Promise<void>;
}

/**
 * Listens on a free port of the loopback address and passes everything on to `target`.
 * @param decide asked for each request before it is sent on; null: it passes
 */
export async function openAnswerLine(
  target: string,
  decide: (passing: Passing) => Promise<Passage | null>,
): Promise<AnswerLine> {
  const came: Passing[] = [];
  const server = createServer(async (incoming, answer) => {
    const passing = { path: incoming.url ?? '/', body: await buffer(incoming) };
    came.push(passing);
    const passage = await decide(passing);
    if (passage !== null && !passage.sends) return passage.held();
    pass(target, incoming, passing, answer, passage);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    came,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function pass(
  target: string,
  incoming: IncomingMessage,
  { path, body }: Passing,
  answer: ServerResponse,
  passage: Passage | null,
): void {
  const out = request(`${target}${path}`, { method: incoming.method, headers: incoming.headers }, (from) => {
    let left = passage?.answerBytes ?? Number.POSITIVE_INFINITY;
    if (left > 0) {
      answer.writeHead(from.statusCode ?? 502, from.headers);
      answer.flushHeaders();
    }
    from.on('data', (chunk: Buffer) => {
      if (left > 0) answer.write(chunk.subarray(0, left));
      left -= chunk.length;
    });
    from.on('end', () => {
      if (passage === null) answer.end();
      else passage.held();
    });
  });
  out.on('error', () => answer.destroy());
  answer.on('close', () => out.destroy());
  out.end(body);
}

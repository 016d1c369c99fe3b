import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Attempt, attempt } from './attempt.ts';

/** What stands between a test's agent and the gateway, and does what real agents do where a connection breaks. */
export interface RetryingClient {
  readonly url: string;
  /** How many requests were sent once more. */
  readonly retries: () => number;
  stop(): Promise<void>;
}

/**
 * Listens on a free port of the loopback address and sends what comes to the gateway, the same bytes again until there is
 * a whole answer.
 * @param gateway the gateway's address; waited for before each attempt
 */
export async function openRetryingClient(gateway: () => Promise<string>): Promise<RetryingClient> {
  let retries = 0;
  const server = createServer(async (incoming, answer) => {
    const { host: _, connection: __, ...headers } = incoming.headers;
    const call = {
      path: incoming.url ?? '/',
      headers: headers as Record<string, string>,
      body: await buffer(incoming),
    };
    let got: Attempt;
    for (;;) {
      got = await attempt({ ...call, base: await gateway() });
      if (got.whole) break;
      retries += 1;
    }
    answer.writeHead(got.status ?? 502, { 'content-type': got.headers['content-type'] ?? 'text/plain' });
    answer.end(got.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    retries: () => retries,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

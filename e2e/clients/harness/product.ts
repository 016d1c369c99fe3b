import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { BUILT, endProcess, REPOSITORY, runProduct } from '../../product/running.ts';

const STOP_MS = 20_000;

/** The product, started as a person would start it. */
export interface Product {
  /** Address without a slash at its end. */
  readonly url: string;
  readonly port: number;
  readonly home: string;
  /** Everything that it has written to its output so far. */
  output(): string;
  /** Ends it with SIGTERM and waits for it. */
  stop(): Promise<void>;
}

/** Where its two providers are, as base addresses. */
export interface Upstreams {
  readonly anthropic: string;
  readonly openai: string;
}

/** What listens: the product's own server, or Next alone (`npm run start:next`). */
export type ServedBy = 'own' | 'next';

const COMMANDS: Readonly<Record<ServedBy, readonly string[]>> = {
  own: ['--enable-source-maps', BUILT],
  next: [join(REPOSITORY, 'server', 'setup', 'start.mjs'), '--next'],
};

/**
 * Starts the built product on a data folder of its own and a free port, and waits until it is ready.
 * @throws Error with its whole output, where it ends or is not ready in time
 */
export async function startProduct(
  home: string,
  upstreams: Upstreams,
  servedBy: ServedBy = 'own',
): Promise<Product> {
  const logFile =
    process.env.CLIENT_TEST_LOG === undefined ? null : createWriteStream(process.env.CLIENT_TEST_LOG);
  const { child, url, output } = await runProduct({
    ...upstreams,
    command: COMMANDS[servedBy],
    home,
    onOutput: (chunk) => logFile?.write(chunk),
  });
  return {
    url,
    port: Number(new URL(url).port),
    home,
    output,
    async stop() {
      await endProcess(child, 'SIGTERM', STOP_MS);
    },
  };
}

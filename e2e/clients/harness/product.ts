import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const REPOSITORY = join(import.meta.dirname, '..', '..', '..');
const START_LIMIT_MS = 60_000;
const POLL_MS = 50;

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
  own: ['--enable-source-maps', join(REPOSITORY, 'dist', 'main.js')],
  next: [join(REPOSITORY, 'server', 'setup', 'start.mjs'), '--next'],
};

/** Builds what is to be started. Does nothing where the build is up to date. */
export function buildProduct(): void {
  execFileSync(process.execPath, [join(REPOSITORY, 'server', 'setup', 'build.mjs')], {
    cwd: REPOSITORY,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/**
 * Starts the built product on a data folder of its own and a free port, and waits until it is ready.
 * @throws Error with its whole output, where it ends or is not ready within a minute.
 */
export async function startProduct(
  home: string,
  upstreams: Upstreams,
  servedBy: ServedBy = 'own',
): Promise<Product> {
  const child = spawn(process.execPath, COMMANDS[servedBy], {
    cwd: REPOSITORY,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      PORT: '0',
      CONTEXT_MODE_HOME: home,
      ANTHROPIC_UPSTREAM_URL: upstreams.anthropic,
      OPENAI_UPSTREAM_URL: upstreams.openai,
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  const logFile =
    process.env.CLIENT_TEST_LOG === undefined ? null : createWriteStream(process.env.CLIENT_TEST_LOG);
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      logFile?.write(chunk);
    });
  }
  const output = () => Buffer.concat(chunks).toString('utf8');
  const url = await untilReady(child, home, output);
  return { url, port: Number(new URL(url).port), home, output, stop: () => end(child) };
}

async function untilReady(child: ChildProcess, home: string, output: () => string): Promise<string> {
  const deadline = performance.now() + START_LIMIT_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the product ended at its start:\n${output()}`);
    const url = addressIn(join(home, 'gateway.json'), child.pid);
    if (url !== null && (await isReady(url))) return url;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  await end(child);
  throw new Error(`the product was not ready within ${START_LIMIT_MS} ms:\n${output()}`);
}

/** The address that the product wrote down; null as long as it wrote none. */
function addressIn(file: string, pid: number | undefined): string | null {
  if (!existsSync(file)) return null;
  try {
    const written = JSON.parse(readFileSync(file, 'utf8')) as { pid: number; url: string };
    return written.pid === pid ? written.url : null;
  } catch {
    return null;
  }
}

async function isReady(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/readyz`)).ok;
  } catch {
    return false;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
  await closed;
  clearTimeout(timer);
}

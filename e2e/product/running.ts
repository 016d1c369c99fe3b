import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Root of the repository. */
export const REPOSITORY = join(import.meta.dirname, '..', '..');
/** The built product. */
export const BUILT = join(REPOSITORY, 'dist', 'main.js');

const START_MS = 90_000;
const POLL_MS = 30;

/** What a process of the product is started with. */
export interface RunOptions {
  /** Arguments to Node; the built product alone unless said otherwise. */
  readonly command?: readonly string[];
  readonly home: string;
  /** Base addresses of the two providers. */
  readonly anthropic: string;
  readonly openai: string;
  /** More variables of the environment. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Told of all output as it comes. */
  readonly onOutput?: (chunk: Buffer) => void;
}

/** A process of the product that is ready to archive. */
export interface RunningProduct {
  readonly child: ChildProcess;
  /** Address without a slash at its end. */
  readonly url: string;
  /** Everything that it has written so far. */
  output(): string;
}

/**
 * Starts the product on a data folder and a free port, with no variables but those it needs, and waits until it is ready.
 * @throws Error with its whole output, where it ends or is not ready in time
 */
export async function runProduct(options: RunOptions): Promise<RunningProduct> {
  const child = spawn(process.execPath, [...(options.command ?? [BUILT])], {
    cwd: REPOSITORY,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      PORT: '0',
      CONTEXT_MODE_HOME: options.home,
      ANTHROPIC_UPSTREAM_URL: options.anthropic,
      OPENAI_UPSTREAM_URL: options.openai,
      LOG_LEVEL: 'info',
      ...options.variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      options.onOutput?.(chunk);
    });
  }
  const output = () => Buffer.concat(chunks).toString('utf8');
  const url = await untilReady(child, options.home, output);
  return { child, url, output };
}

async function untilReady(child: ChildProcess, home: string, output: () => string): Promise<string> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the product ended at its start:\n${output()}`);
    const url = await addressOf(home, child.pid);
    if (url !== null && (await isReady(url))) return url;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  await endProcess(child, 'SIGKILL');
  throw new Error(`the product was not ready within ${START_MS} ms:\n${output()}`);
}

/** The address that the process wrote down; null as long as it wrote none. */
async function addressOf(home: string, pid: number | undefined): Promise<string | null> {
  try {
    const written = JSON.parse(await readFile(join(home, 'gateway.json'), 'utf8')) as {
      pid: number;
      url: string;
    };
    return written.pid === pid ? written.url : null;
  } catch {
    return null;
  }
}

function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/readyz`, { signal: AbortSignal.timeout(5_000) }).then(
    (answer) => answer.ok,
    () => false,
  );
}

/**
 * Sends a signal to a process, waits until it has ended, and gives its exit code; null after a signal.
 * @param killAfterMs when it is killed if it still runs; never unless said otherwise
 */
export async function endProcess(
  child: ChildProcess,
  signal: NodeJS.Signals,
  killAfterMs?: number,
): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill(signal);
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  await ended;
  clearTimeout(timer);
  return child.exitCode;
}

/** The flags of Node that `npm start` runs the product with. */
export function startFlags(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').filter((part) => part.startsWith('--'));
}

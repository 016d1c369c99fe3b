import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const REPOSITORY = join(import.meta.dirname, '..', '..');
const START_LIMIT_MS = 90_000;
/** A stop that takes longer than answers and archive may take together is no stop. */
const STOP_LIMIT_MS = 45_000;

/** How the product is served: by its own listener (`npm start`) or by Next alone (`npm run start:next`). */
export type Server = 'own' | 'next';

/** Both ways, for `describe.each`. */
export const SERVERS: readonly Server[] = ['own', 'next'];

/** How a process ended and what it had written. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process of the product, started as a person starts it. */
export interface StartedProduct {
  readonly child: ChildProcess;
  /** Resolves with the process's address once its three lines stand; rejects where it ends or is silent before. */
  readonly url: Promise<string>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<Ended>;
  stdout(): string;
  stderr(): string;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<Ended>;
}

/** The arguments to Node of `npm start` and `npm run start:next`, as package.json has them. */
function commandOf(server: Server): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  };
  const [node, ...args] = (server === 'own' ? scripts.start : scripts['start:next'])?.split(' ') ?? [];
  if (node !== 'node') throw new Error(`not a command of Node: ${node}`);
  return args.map((part) => (part.endsWith('.mjs') ? join(REPOSITORY, part) : part));
}

/** Starts the product with these variables and no others of its own. */
export function startProduct(
  server: Server,
  variables: Readonly<Record<string, string>>,
  cwd: string = REPOSITORY,
): StartedProduct {
  const child = spawn(process.execPath, [...commandOf(server)], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_ENV: 'production',
      PORT: '0',
      LOG_LEVEL: 'warn',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, ...written }));
  return {
    child,
    url: addressOf(child, () => written, ended),
    ended,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      return ended.finally(() => clearTimeout(timer));
    },
  };
}

function addressOf(
  child: ChildProcess,
  written: () => { stdout: string; stderr: string },
  ended: Promise<Ended>,
): Promise<string> {
  const found = new Promise<string>((resolve, reject) => {
    const give = () =>
      reject(new Error(`the product did not start:\n${written().stdout}${written().stderr}`));
    const timer = setTimeout(give, START_LIMIT_MS);
    void ended.then(give);
    child.stdout?.on('data', () => {
      const address = /^Console {2}(\S+)$[\s\S]*^Data .+$/m.exec(written().stdout)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(new URL(address).origin);
    });
  });
  // Whoever only waits for the end does not look here.
  found.catch(() => undefined);
  return found;
}

/** A scratch folder of a test; `remove` takes it away. */
export function scratchFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'context-mode-doors-'));
  // Root's database runs under another user; where that one may enter, it lies inside and goes with the folder.
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Resolves when a file of a folder has this content. */
export function fileIn(folder: string, name: string, holds: (text: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    const look = () => {
      const text = textOf(join(folder, name));
      if (text === null || !holds(text)) return;
      watcher.close();
      resolve(text);
    };
    const watcher = watch(folder, look);
    look();
  });
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

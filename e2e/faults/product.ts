import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { BUILT, endProcess, runProduct, startFlags } from '../product/running.ts';

/** The built product: the repository's own unless another one is to be tried. */
const TRIED = process.env.FAULTS_PRODUCT ?? BUILT;

/** The product, started as a process of its own. */
export interface Product {
  readonly url: string;
  /** Base of the door for the Messages API. */
  readonly anthropic: string;
  readonly openai: string;
  readonly pid: number;
  /** Everything that it has written so far. */
  output(): string;
  /** Kibibytes that it holds in memory now. */
  memoryKib(): number;
  /** Sends a signal and waits until it has ended; gives the exit code, null after a signal. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** What a product is started on. */
export interface ProductOptions {
  readonly home: string;
  /** Address of the provider. */
  readonly provider: string;
  readonly databaseUrl?: string;
  /** Folder of switches for the code of `switches.mjs`, which is loaded into every thread. */
  readonly switches?: string;
}

/** Starts the built product and waits until it can archive. */
export async function startProduct(options: ProductOptions): Promise<Product> {
  const switches = pathToFileURL(join(import.meta.dirname, 'switches.mjs')).href;
  const { child, url, output } = await runProduct({
    command: [...startFlags(), TRIED],
    home: options.home,
    anthropic: options.provider,
    openai: options.provider,
    variables: {
      HOME: options.home,
      // Whatever disk a test runs on: what happens when it is really full is to be seen.
      CONTEXT_MODE_MIN_FREE_MB: '0',
      ...(options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }),
      ...(options.switches === undefined
        ? {}
        : { FAULT_SWITCHES: options.switches, NODE_OPTIONS: `--import ${switches}` }),
    },
  });
  const pid = child.pid ?? 0;
  return {
    url,
    anthropic: `${url}/anthropic`,
    openai: `${url}/openai`,
    pid,
    output,
    memoryKib: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
    end: (signal) => endProcess(child, signal),
  };
}

/** A data folder of its own that the user of the embedded server can reach. */
export async function scratchHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'context-mode-faults-'));
  await chmod(home, 0o755);
  return home;
}

/** Folder of the embedded server's files: usually inside the data folder, else where that says. */
export async function databaseFolder(home: string): Promise<string> {
  const pointer = await readFile(join(home, 'database.json'), 'utf8').catch(() => null);
  return pointer === null ? join(home, 'postgres') : (JSON.parse(pointer) as { folder: string }).folder;
}

/** A connection to the embedded server, past the product. */
export async function openDatabase(home: string): Promise<pg.Client> {
  const folder = await databaseFolder(home);
  const elsewhere = await readFile(join(folder, 'socket-folder'), 'utf8').catch(() => null);
  const client = new pg.Client({
    host: elsewhere ?? join(folder, 'run'),
    user: 'context_mode',
    database: 'context_mode',
    password: await readFile(join(folder, 'password'), 'utf8'),
  });
  // The server may end before the connection does.
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Removes a data folder with its database, which may lie elsewhere. */
export async function removeHome(home: string): Promise<void> {
  await rm(await databaseFolder(home), { recursive: true, force: true, maxRetries: 5 });
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
}

/** The processes of the embedded server: its first one and those that it made. */
export async function serverProcesses(home: string): Promise<readonly number[]> {
  const note = await readFile(join(await databaseFolder(home), 'data', 'postmaster.pid'), 'utf8');
  const first = Number(note.split('\n')[0]);
  const children = readFileSync(`/proc/${first}/task/${first}/children`, 'utf8');
  return [first, ...children.split(' ').filter(Boolean).map(Number)];
}

/** Sends a signal to processes that may have gone meanwhile. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** True where this system can do what a test needs: signals to and a look at processes by number. */
export const isLinux = process.platform === 'linux';

/** Runs a program of the system and gives what it wrote. */
export function runProgram(file: string, args: readonly string[]): string {
  return execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

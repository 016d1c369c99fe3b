import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

/** The agents that the tests run, as `agents/package.json` pins them. */
export type TestedAgent = 'claude-code' | 'codex' | 'opencode' | 'pi';

/** They take seconds; where others compute too, that is a while. */
const LIMIT_MS = 150_000;

/** As `nice` counts it: 10 below what is usual. */
const AGENT_PRIORITY = 10;

const MODULES = join(import.meta.dirname, '..', 'agents', 'node_modules');

/** How a run of an agent ended and what it showed. */
export interface AgentRun {
  readonly args: readonly string[];
  /** Exit code; null if a signal ended it (the time limit sends SIGKILL). */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly totalMs: number;
}

/** Lines for an agent's input, each written once the one before is answered; behind the last answer the input ends. */
export interface Talk {
  readonly lines: readonly string[];
  /** Whether a line of its output ends an answer. */
  readonly isAnswered: (line: string) => boolean;
}

/** What an agent is started with. The environment holds nothing but what is named here and a plain PATH. */
export interface AgentCommand {
  readonly agent: TestedAgent;
  readonly args: readonly string[];
  readonly folder: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** What it is told on its input; nothing if left out. */
  readonly talk?: Talk;
  /** After this the agent is killed and `code` is null. Default 150,000. */
  readonly timeoutMs?: number;
}

/** What is started: a program, and what stands before the arguments of a run. */
export interface AgentProgram {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * The agent's own program. Its packages are installed without their install scripts, which would only copy or link
 * this file to another place.
 * @throws Error that names the command which installs the agents, where they are missing.
 */
export function programOf(agent: TestedAgent): AgentProgram {
  const found = CANDIDATES[agent]().find((path) => existsSync(path));
  if (found === undefined) {
    throw new Error(`${agent} is not installed: run npm ci --ignore-scripts in e2e/clients/agents`);
  }
  return agent === 'pi' ? { file: process.execPath, args: [found] } : { file: found, args: [] };
}

const PLATFORM = `${process.platform}-${process.arch}`;
const EXECUTABLE = process.platform === 'win32' ? '.exe' : '';

/** Where each agent's program may lie, best first. */
const CANDIDATES: Readonly<Record<TestedAgent, () => readonly string[]>> = {
  'claude-code': () =>
    [PLATFORM, `${PLATFORM}-musl`].map((name) =>
      join(MODULES, '@anthropic-ai', `claude-code-${name}`, `claude${EXECUTABLE}`),
    ),
  codex: () => codexPrograms(join(MODULES, '@openai', `codex-${PLATFORM}`, 'vendor'), `codex${EXECUTABLE}`),
  opencode: openCodePrograms,
  pi: () => [join(MODULES, '@mariozechner', 'pi-coding-agent', 'dist', 'cli.js')],
};

/** Runs an agent to its end. */
export async function runAgent(command: AgentCommand): Promise<AgentRun> {
  const startedAt = performance.now();
  const program = programOf(command.agent);
  const child = spawn(program.file, [...program.args, ...command.args], {
    cwd: command.folder,
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: command.home,
      SHELL: '/bin/bash',
      LANG: 'C.UTF-8',
      TERM: 'xterm',
      ...command.env,
    } as Record<string, string | undefined> as NodeJS.ProcessEnv,
    stdio: [command.talk === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  // On a machine of their own they would not take the product's and the provider's time.
  if (child.pid !== undefined) setPriority(child.pid, AGENT_PRIORITY);
  const timer = setTimeout(() => child.kill('SIGKILL'), command.timeoutMs ?? LIMIT_MS);
  if (command.talk !== undefined) tell(child, command.talk);
  try {
    const [stdout, stderr, code] = await Promise.all([
      textOf(child.stdout),
      textOf(child.stderr),
      exitOf(child),
    ]);
    return { args: command.args, code, stdout, stderr, totalMs: performance.now() - startedAt };
  } finally {
    clearTimeout(timer);
  }
}

/** What OpenCode keeps, message by message, part by part. */
const OPENCODE_KEPT = `
  import { Database } from 'bun:sqlite';
  const database = new Database(process.argv.at(-1), { readonly: true });
  const rows = database.query(
    'SELECT m.data AS message, p.data AS part FROM message m LEFT JOIN part p ON p.message_id = m.id ORDER BY m.id, p.id',
  );
  console.log(JSON.stringify(rows.all()));
`;

/**
 * Reads OpenCode's own database, row by row. The runtime inside its program does it: it knows how the file is written, and
 * `opencode db`, which gives the same rows, computes for three seconds before it does.
 */
export async function openCodeKept(home: string): Promise<unknown> {
  const file = join(home, '.local', 'share', 'opencode', 'opencode.db');
  const { stdout } = await promisify(execFile)(programOf('opencode').file, ['-e', OPENCODE_KEPT, file], {
    env: { BUN_BE_BUN: '1', HOME: home } as Record<string, string | undefined> as NodeJS.ProcessEnv,
    maxBuffer: 100_000_000,
  });
  return JSON.parse(stdout);
}

/** Writes the lines of a talk. An agent that ends in the middle is seen by its exit code. */
function tell({ stdin, stdout }: ChildProcess, { lines, isAnswered }: Talk): void {
  if (stdin === null || stdout === null) return;
  stdin.on('error', () => {});
  const left = lines.values();
  const say = () => {
    const { value, done } = left.next();
    if (done) stdin.end();
    else stdin.write(`${value}\n`);
  };
  createInterface({ input: stdout }).on('line', (line) => {
    if (isAnswered(line)) say();
  });
  say();
}

function codexPrograms(vendor: string, name: string): readonly string[] {
  if (!existsSync(vendor)) return [];
  return readdirSync(vendor).map((target) => join(vendor, target, 'bin', name));
}

/** On x64 there are two builds; the usual one needs a processor with AVX2. */
function openCodePrograms(): readonly string[] {
  const platform = process.platform === 'win32' ? `windows-${process.arch}` : PLATFORM;
  const names = process.arch === 'x64' ? [platform, `${platform}-baseline`] : [platform];
  const ordered = process.arch === 'x64' && !hasAvx2() ? names.toReversed() : names;
  return [...ordered, ...ordered.map((name) => `${name}-musl`)].map((name) =>
    join(MODULES, `opencode-${name}`, 'bin', `opencode${EXECUTABLE}`),
  );
}

/** False only where the system says so. */
function hasAvx2(): boolean {
  const file = '/proc/cpuinfo';
  return !existsSync(file) || /\bavx2\b/.test(readFileSync(file, 'utf8'));
}

async function textOf(stream: NodeJS.ReadableStream | null): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream ?? []) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
}

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The agents that the tests run, as `agents/package.json` pins them. */
export type TestedAgent = 'claude-code' | 'codex';

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

/** What an agent is started with. The environment holds nothing but what is named here and a plain PATH. */
export interface AgentCommand {
  readonly agent: TestedAgent;
  readonly args: readonly string[];
  readonly folder: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** After this the agent is killed and `code` is null. Default 60,000. */
  readonly timeoutMs?: number;
}

/**
 * The agent's own program. Its packages are installed without their install scripts, which would only copy or link
 * this file to another place.
 * @throws Error that names the command which installs the agents, where they are missing.
 */
export function programOf(agent: TestedAgent): string {
  const platform = `${process.platform}-${process.arch}`;
  const executable = process.platform === 'win32' ? '.exe' : '';
  const candidates =
    agent === 'claude-code'
      ? [platform, `${platform}-musl`].map((name) =>
          join(MODULES, '@anthropic-ai', `claude-code-${name}`, `claude${executable}`),
        )
      : codexPrograms(join(MODULES, '@openai', `codex-${platform}`, 'vendor'), `codex${executable}`);
  const found = candidates.find((path) => existsSync(path));
  if (found === undefined) {
    throw new Error(`${agent} is not installed: run npm ci --ignore-scripts in e2e/clients/agents`);
  }
  return found;
}

/** Runs an agent to its end with nothing on its input. */
export async function runAgent(command: AgentCommand): Promise<AgentRun> {
  const startedAt = performance.now();
  const child = spawn(programOf(command.agent), command.args, {
    cwd: command.folder,
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: command.home,
      SHELL: '/bin/bash',
      LANG: 'C.UTF-8',
      TERM: 'xterm',
      ...command.env,
    } as Record<string, string | undefined> as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), command.timeoutMs ?? 60_000);
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

function codexPrograms(vendor: string, name: string): readonly string[] {
  if (!existsSync(vendor)) return [];
  return readdirSync(vendor).map((target) => join(vendor, target, 'bin', name));
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });
}

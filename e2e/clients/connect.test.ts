import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Simulator } from '../simulator/index.ts';
import { type AgentRun, runAgent, type TestedAgent } from './harness/agents.ts';
import { type Product, startProduct } from './harness/product.ts';
import { startProvider } from './harness/provider.ts';
import {
  makeScratch,
  makeScratchFolder,
  removeScratchFolder,
  type Scratch,
  writeInto,
} from './harness/scratch.ts';
import { OPENCODE_ENVIRONMENT, PI_ENVIRONMENT } from './harness/side.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'server', 'cli', 'bin', 'context-mode.mjs');
const TYPED = 'Say hello in one line.';
const ANSWER = 'Hello from the provider.';

let folder: string;
let provider: Simulator;
let product: Product;
let runs = 0;

beforeAll(async () => {
  folder = makeScratchFolder();
  provider = await startProvider({
    scenarios: [{ id: 'hello', when: { equals: TYPED }, rounds: [{ steps: [{ say: ANSWER }] }] }],
  });
  product = await startProduct(join(folder, 'data'), { anthropic: provider.url, openai: provider.url });
});

afterAll(async () => {
  await product?.stop();
  await provider?.stop();
  removeScratchFolder(folder);
});

/** A home and a repository with the agent's configuration file in it. */
function scratchWith(file: string, content: string): Scratch {
  runs += 1;
  const scratch = makeScratch(join(folder, String(runs)), 'direct', { 'notes.txt': 'one\n' });
  writeInto(scratch.home, file, content);
  return scratch;
}

/** Runs the command as a script would: no terminal, one JSON value as its answer. */
function command(
  scratch: Scratch,
  ...args: readonly string[]
): Promise<{
  ok: boolean;
  agents: readonly { agent: string; state?: string; lastRequest?: { requests: number } | null }[];
}> {
  const env = {
    NODE_ENV: 'test' as const,
    PATH: process.env.PATH,
    HOME: scratch.home,
    CONTEXT_MODE_URL: product.url,
  };
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [PROGRAM, ...args, '--json'],
      { env, cwd: scratch.project },
      (fault, stdout, stderr) => {
        if (fault && stdout === '') reject(new Error(stderr));
        else resolve(JSON.parse(stdout));
      },
    );
  });
}

/** Requests of an agent that the gateway has seen; the count comes from its archive, so it may lag a little. */
async function requestsSeen(scratch: Scratch, agent: TestedAgent): Promise<number> {
  const { agents } = await command(scratch, 'status');
  return agents.find((entry) => entry.agent === agent)?.lastRequest?.requests ?? 0;
}

function run(agent: TestedAgent, scratch: Scratch): Promise<AgentRun> {
  const { args, env } = RUNS[agent];
  return runAgent({
    agent,
    args,
    folder: scratch.project,
    home: scratch.home,
    env,
  });
}

/** How each agent is asked once. OpenCode joins its words to one prompt. */
const RUNS: Readonly<
  Record<TestedAgent, { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }>
> = {
  'claude-code': {
    args: ['-p', TYPED],
    env: { ANTHROPIC_API_KEY: 'sk-test', IS_SANDBOX: '1', DISABLE_AUTOUPDATER: '1' },
  },
  codex: {
    args: ['exec', '--json', '--dangerously-bypass-approvals-and-sandbox', '-m', 'gpt-5.4', TYPED],
    env: { CODEX_API_KEY: 'sk-test' },
  },
  opencode: {
    args: ['run', '-m', 'anthropic/claude-sonnet-4-6', '--', ...TYPED.split(' ')],
    env: OPENCODE_ENVIRONMENT,
  },
  pi: { args: ['-p', '--model', 'openai/gpt-5.4', TYPED], env: PI_ENVIRONMENT },
};

/** Files as people have them; the address in them is where the agent goes without the gateway. */
const CASES: readonly {
  readonly agent: TestedAgent;
  readonly file: string;
  readonly name: string;
  readonly content: () => string;
}[] = [
  {
    agent: 'claude-code',
    name: 'tabs, odd blanks and CRLF',
    file: '.claude/settings.json',
    content: () =>
      `\uFEFF{\r\n\t"env" : {"ANTHROPIC_BASE_URL":"${provider.url}" ,"X":"1"},\r\n\r\n\t"includeCoAuthoredBy": false}`,
  },
  {
    agent: 'codex',
    name: 'comments, tables and CRLF',
    file: '.codex/config.toml',
    content: () =>
      `# mine\r\nopenai_base_url='${provider.url}/v1' # before\r\n\r\n[ tui ] # a table\r\nnotifications = [\r\n  "x", # one\r\n]`,
  },
  {
    agent: 'opencode',
    name: 'comments and trailing commas',
    file: '.config/opencode/opencode.jsonc',
    content: () =>
      `{ // mine\n  "$schema": "https://opencode.ai/config.json",\n  "autoupdate" : false, /* why */\n  "provider": {"anthropic":{"options":{"baseURL":"${provider.url}/v1",},},},\n}`,
  },
  {
    agent: 'pi',
    name: 'comments to the end of a line',
    file: '.pi/agent/models.json',
    content: () => `{ // mine\n\t"providers" : {"openai" : { "baseUrl":"${provider.url}/v1" }, }\n}\n`,
  },
];

describe.each(CASES)('$agent with a file of $name', ({ agent, file, content }) => {
  test('goes through the gateway after connect, and past it with the old bytes after disconnect', async () => {
    const before = content();
    const scratch = scratchWith(file, before);
    expect(await command(scratch, 'connect', '--yes', '--agent', agent)).toMatchObject({ ok: true });
    const seen = await requestsSeen(scratch, agent);

    const connected = await run(agent, scratch);
    expect(connected.stdout, connected.stderr).toContain(ANSWER);
    await expect.poll(() => requestsSeen(scratch, agent), { timeout: 10_000 }).toBeGreaterThan(seen);
    const states = (await command(scratch, 'status')).agents.filter((entry) => entry.agent === agent);
    expect(states).toMatchObject([{ state: 'connected' }]);
    const afterRun = readFileSync(join(scratch.home, file), 'utf8');
    expect(afterRun).toContain(product.url);

    expect(await command(scratch, 'disconnect', '--yes')).toMatchObject({ ok: true });
    expect(readFileSync(join(scratch.home, file), 'utf8')).toBe(before);
    const counted = await requestsSeen(scratch, agent);
    const asked = provider.requests.entries.length;
    const alone = await run(agent, scratch);
    expect(alone.stdout, alone.stderr).toContain(ANSWER);
    expect(provider.requests.entries.length).toBeGreaterThan(asked);
    expect(await requestsSeen(scratch, agent)).toBe(counted);
  });
});

test('Claude Code keeps tool search after connect', async () => {
  const scratch = scratchWith('.claude/settings.json', '{}');
  expect(await command(scratch, 'connect', '--yes', '--agent', 'claude-code')).toMatchObject({ ok: true });
  const from = provider.requests.entries.length;
  const connected = await run('claude-code', scratch);
  expect(connected.stdout, connected.stderr).toContain(ANSWER);
  const bodies = provider.requests.entries
    .slice(from)
    .map((entry) => Buffer.from(entry.body).toString('utf8'));
  expect(bodies.some((body) => body.includes('"name":"ToolSearch"'))).toBe(true);
});

test('Claude Code does not see settings with a comment, and connect says so with the place', async () => {
  const scratch = scratchWith('.claude/settings.json', `{ // mine\n  "env": {"X": "1"}\n}\n`);
  const told = JSON.stringify(await command(scratch, 'connect', '--yes', '--agent', 'claude-code'));
  expect(told).toContain('not-strict-json');
  expect(told).toContain('line 1, column 3');
  const from = provider.requests.entries.length;
  const env = {
    ANTHROPIC_API_KEY: 'sk-test',
    IS_SANDBOX: '1',
    DISABLE_AUTOUPDATER: '1',
    ANTHROPIC_BASE_URL: `${provider.url}/past`,
  };
  await runAgent({
    agent: 'claude-code',
    args: ['-p', TYPED],
    folder: scratch.project,
    home: scratch.home,
    env,
  });
  const targets = provider.requests.entries.slice(from).map((entry) => entry.target);
  expect(targets.length).toBeGreaterThan(0);
  expect(targets.every((target) => target.startsWith('/past'))).toBe(true);
});

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../../server/gateway/testing/call.ts';
import { runAgent } from '../clients/harness/agents.ts';
import { makeScratch, writeInto } from '../clients/harness/scratch.ts';
import { OPENCODE_ENVIRONMENT, PI_ENVIRONMENT } from '../clients/harness/side.ts';
import { type Simulator, startSimulator } from '../simulator/index.ts';
import { type StartedProduct, scratchFolder, startProduct } from './testing-product.ts';

const PROGRAM = join(import.meta.dirname, '..', '..', 'server', 'cli', 'bin', 'context-mode.mjs');
const TYPED = 'Say hello in one line.';
const SAID = 'Hello from the provider.';

const folder = scratchFolder();
const data = join(folder.path, 'data');
let simulator: Simulator;
let product: StartedProduct;
let key = '';

beforeAll(async () => {
  simulator = await startSimulator();
  product = startProduct('own', {
    CONTEXT_MODE_HOME: data,
    CONTEXT_MODE_OWNERS: 'key',
    ANTHROPIC_UPSTREAM_URL: simulator.url,
    OPENAI_UPSTREAM_URL: simulator.url,
  });
  await product.url;
  key = readFileSync(join(data, 'local.key'), 'utf8').trim();
});
afterAll(async () => {
  await product?.stop();
  await simulator?.stop();
  folder.remove();
});

const AGENTS = {
  'claude-code': {
    file: '.claude/settings.json',
    before: '{ "env": { "ANTHROPIC_CUSTOM_HEADERS": "X-Mine: 1" } }\n',
    args: ['-p', TYPED],
    env: { ANTHROPIC_API_KEY: 'sk-test', IS_SANDBOX: '1', DISABLE_AUTOUPDATER: '1' },
  },
  codex: {
    file: '.codex/config.toml',
    before: '# mine\n',
    args: ['exec', '--json', '--dangerously-bypass-approvals-and-sandbox', '-m', 'gpt-5.4', TYPED],
    env: { CODEX_API_KEY: 'sk-test' },
  },
  opencode: {
    file: '.config/opencode/opencode.json',
    before:
      '{"$schema": "https://opencode.ai/config.json", "provider": {"anthropic": {"options": {"headers": {"X-Mine": "1"}}}}}\n',
    args: ['run', '-m', 'anthropic/claude-sonnet-4-6', '--', ...TYPED.split(' ')],
    env: OPENCODE_ENVIRONMENT,
  },
  pi: {
    file: '.pi/agent/models.json',
    before: '{"providers": {"openai": {"headers": {"X-Mine": "1"}}}}\n',
    args: ['-p', '--model', 'openai/gpt-5.4', TYPED],
    env: PI_ENVIRONMENT,
  },
} as const;

test.each(['claude-code', 'codex', 'opencode', 'pi'] as const)(
  '%s shows the key after connect, is archived, and its provider does not see it',
  async (agent) => {
    const { file, before, args, env } = AGENTS[agent];
    simulator.reset();
    // No provider answers within milliseconds, and an agent is gone right after its last answer.
    const steps = [{ wait: 300 }, { say: SAID }];
    simulator.script.add({ id: 'hello', when: { equals: TYPED }, rounds: [{ steps }] });
    const scratch = makeScratch(join(folder.path, agent), 'direct', { 'notes.txt': 'one\n' });
    writeInto(scratch.home, file, before);
    const command = (...given: string[]) =>
      execFileSync(process.execPath, [PROGRAM, ...given, '--agent', agent, '--yes'], {
        cwd: scratch.project,
        env: { NODE_ENV: 'test', PATH: process.env.PATH, HOME: scratch.home, CONTEXT_MODE_HOME: data },
      });
    expect(command('connect').toString()).not.toContain(key);
    const asked = { agent, args, folder: scratch.project, home: scratch.home, env };
    const ran = await runAgent({ ...asked, timeoutMs: 150_000 });
    expect(ran.stdout, ran.stderr).toContain(SAID);
    await expect.poll(() => archived(agent), { timeout: 20_000 }).toBeGreaterThan(0);
    const seen = simulator.requests.entries.map(({ target, headers }) => JSON.stringify([target, headers]));
    expect(seen.length).toBeGreaterThan(0);
    for (const request of seen) expect(request).not.toContain(key);
    if (agent !== 'codex') expect(seen.join().toLowerCase()).toContain('x-mine');
    command('disconnect');
    expect(readFileSync(join(scratch.home, file), 'utf8')).toBe(before);
  },
  200_000,
);

/** How many sessions of an agent the archive holds. */
async function archived(agent: string): Promise<number> {
  const headers = ['x-context-mode-key', key];
  const got = await call(await product.url, { method: 'GET', path: '/api/v1/sessions', headers });
  const { items } = JSON.parse(got.body.toString()) as { items: readonly { agent: string }[] };
  return items.filter((session) => session.agent === agent).length;
}

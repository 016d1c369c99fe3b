import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startSimulator } from '../simulator/index.ts';
import { ClaudeLike } from './claude-like.ts';
import { CodexLike } from './codex-like.ts';
import { type DemoConversation, scenariosOf } from './conversation.ts';
import { dayIn } from './day.ts';
import { makeRepositories } from './repositories.ts';
import { SmallLike } from './small-like.ts';

/**
 * The product on a scratch data folder, against the provider simulator, filled with a scripted day. The real data
 * folder is not touched; the scratch one is removed at the end.
 */
const scratch = await mkdtemp(join(tmpdir(), 'context-mode-demo-'));
await chmod(scratch, 0o755);
const day = dayIn(join(scratch, 'dev'));
makeRepositories(join(scratch, 'dev'));
const simulator = await startSimulator({ scenarios: scenariosOf(day) });
const product = spawn(process.execPath, [join('dist', 'main.js')], {
  stdio: ['ignore', 'pipe', 'inherit'],
  // Ctrl-C reaches this process alone, which then ends the product in order.
  detached: true,
  env: {
    ...process.env,
    CONTEXT_MODE_DEMO: '1',
    CONTEXT_MODE_HOME: join(scratch, 'data'),
    DATABASE_URL: '',
    ANTHROPIC_UPSTREAM_URL: simulator.url,
    OPENAI_UPSTREAM_URL: simulator.url,
    CHATGPT_UPSTREAM_URL: simulator.url,
  },
});
let ending = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void end(0));
product.on('exit', (code) => void end(ending ? 0 : (code ?? 1)));

const url = await consoleAddress(product);
process.stdout.write(
  'A day of work is being played: simulated agents, a simulated provider, invented data.\n',
);
const key = (await readFile(join(scratch, 'data', 'local.key'), 'utf8')).trim();
// With the key in the path the agents are known to be the owner's on systems that do not tell owners, too.
await play(`${new URL(url).origin}/k/${key}`);
process.stdout.write(`The demo is ready at ${url}. Ctrl-C ends it and removes its data.\n`);

async function play(base: string): Promise<void> {
  simulator.faults.add({
    fault: { kind: 'status', status: 529 },
    when: { prompt: day[1]?.turns[0]?.prompt ?? '' },
    times: 1,
  });
  for (const conversation of day) {
    const agent = agentOf(base, conversation);
    for (const turn of conversation.turns) await agent.turn(turn);
  }
}

function agentOf(base: string, conversation: DemoConversation): CodexLike | ClaudeLike | SmallLike {
  const { agent } = conversation;
  if (agent === 'codex') return new CodexLike(base, conversation);
  if (agent === 'claude-code') return new ClaudeLike(base, conversation);
  return new SmallLike(base, conversation, agent);
}

/** Reads the product's first lines and gives the console's address. */
async function consoleAddress(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The product has no output to read.');
  let address = '';
  for await (const line of createInterface({ input: child.stdout })) {
    process.stdout.write(`${line}\n`);
    if (line.startsWith('Console')) address = line.replace(/^Console\s+/, '');
    if (line.startsWith('Data')) break;
  }
  child.stdout.resume();
  return address;
}

async function end(code: number): Promise<void> {
  if (ending) return;
  ending = true;
  if (product.exitCode === null && product.signalCode === null) {
    product.kill('SIGTERM');
    await once(product, 'exit');
  }
  await simulator.stop();
  await rm(scratch, { recursive: true, force: true });
  process.exit(code);
}

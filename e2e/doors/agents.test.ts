import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../../server/gateway/testing/call.ts';
import { makeScratch } from '../clients/harness/scratch.ts';
import { Side } from '../clients/harness/side.ts';
import { type Simulator, startSimulator } from '../simulator/index.ts';
import { type StartedProduct, scratchFolder, startProduct } from './testing-product.ts';

const NOTES = 'first line\nzweite Zeile – ünïcode 🙂\n';
const TYPED = 'Add a last line to notes.txt.';
/** No provider answers within milliseconds, and an agent is gone right after its last answer. */
const THINK = { wait: 300 };
const SAID = 'Done — „letzte Zeile“ 👋';

const folder = scratchFolder();
let simulator: Simulator;
let product: StartedProduct;
let url = '';

beforeAll(async () => {
  simulator = await startSimulator();
  product = startProduct('next', {
    CONTEXT_MODE_HOME: join(folder.path, 'data'),
    ANTHROPIC_UPSTREAM_URL: simulator.url,
    OPENAI_UPSTREAM_URL: simulator.url,
  });
  url = await product.url;
});
afterAll(async () => {
  await product?.stop();
  await simulator?.stop();
  folder.remove();
});

test.each(['claude', 'codex'] as const)(
  '%s works a turn with tools through Next alone, and it stands in the archive',
  async (agent) => {
    simulator.reset();
    simulator.script.add({
      id: 'write',
      when: { equals: TYPED },
      rounds: [
        { steps: [THINK, { use: 'read', path: 'notes.txt' }] },
        { steps: [THINK, { use: 'shell', command: 'echo done >> notes.txt' }] },
        { steps: [THINK, { say: SAID }] },
      ],
    });
    const scratch = makeScratch(join(folder.path, agent), 'routed', { 'notes.txt': NOTES });
    const side = new Side('routed', scratch, simulator, {
      anthropic: `${url}/anthropic`,
      openai: `${url}/openai/v1`,
    });
    side.configureCodex('gpt-5.4', 'own');
    const events =
      agent === 'claude'
        ? await side.claude(['--dangerously-skip-permissions', TYPED])
        : await side.codex([TYPED]);
    expect(JSON.stringify(events)).toContain(SAID);
    expect(readFileSync(join(scratch.project, 'notes.txt'), 'utf8')).toBe(`${NOTES}done\n`);
    await expect.poll(() => archived(agent), { timeout: 20_000 }).toContain(SAID);
  },
);

/** The newest session's log of an agent, as text. */
async function archived(agent: string): Promise<string> {
  const sessions = await read('/api/v1/sessions');
  const found = (sessions.items as readonly { id: string; agent: string }[]).find((session) =>
    session.agent.startsWith(agent),
  );
  return found === undefined ? '' : JSON.stringify(await read(`/api/v1/sessions/${found.id}/log`));
}

async function read(path: string): Promise<{ readonly items: readonly unknown[] }> {
  const got = await call(url, { method: 'GET', path });
  return JSON.parse(got.body.toString());
}

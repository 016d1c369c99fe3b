import { expect } from 'vitest';
import { ClaudeAgent, CodexAgent, type TestAgent } from '../../server/gateway/compose/testing/clients.ts';
import { codeWordsModel, run } from '../../server/gateway/compose/testing/model.ts';
import { eventually } from '../product/eventually.ts';
import { type Simulator, startSimulator } from '../simulator/index.ts';
import { logOf, metric, sessionOf } from './archive.ts';
import type { Talk } from './talk.ts';

/** The agents of these tests, in the shapes of the real ones. */
export const AGENTS: readonly (readonly [string, (base: string) => TestAgent])[] = [
  ['Claude Code', (base) => new ClaudeAgent({ base, model: 'claude-opus-5-5', run, systemMessages: true })],
  ['Codex', (base) => new CodexAgent({ base, model: 'gpt-6.2-sol', run })],
];

/** What stands in a request that was laid out, and in one that carries hidden rounds. */
const INDEX = 'Context Mode, generated';
const TOOL = 'context-mode-search';

/** A provider that refuses whatever is not exactly bound, and whose model looks a code word up with our tool. */
export async function strictProvider(seed: string): Promise<Simulator> {
  const simulator = await startSimulator({ seed, settings: { binding: 'enforced' } });
  simulator.script.add(codeWordsModel());
  return simulator;
}

/** Small limits, so that a short conversation passes them. */
export async function setLimits(url: string): Promise<void> {
  const limits = { contextLimit: 12_000, keepRecent: 10_000, minGain: 1_000 };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/v1/settings`, {
    method: 'PATCH',
    headers,
    body: JSON.stringify(limits),
  });
  expect(answer.status, await answer.text()).toBe(200);
}

/** Waits until nothing is on its way to the archive. */
export function settled(url: string): Promise<void> {
  return eventually(async () => expect(await metric(url, 'context_mode_record_queue_bytes')).toBe(0));
}

/** A question that is answered only by what our tool reads back. */
export async function askForWord(agent: TestAgent): Promise<void> {
  expect(await agent.turn('What is the code word of the harbour office?')).toBe('HARBOUR-4711');
}

/** Makes a conversation that goes on under a layout and has hidden rounds. */
export async function layOut(agent: TestAgent, simulator: Simulator, url: string): Promise<void> {
  await agent.turn('The code word of the harbour office is HARBOUR-4711.');
  for (let turn = 0; turn < 20 && !isLaidOut(simulator); turn += 1) {
    await settled(url);
    await agent.turn(`task ${turn} of ${agent.session} rounds=2 lines=120`);
  }
  expect(isLaidOut(simulator)).toBe(true);
  await settled(url);
  await askForWord(agent);
  await settled(url);
}

/** Whether the newest request bears a layout. */
export function isLaidOut(simulator: Simulator): boolean {
  const body = simulator.requests.entries.at(-1)?.body.toString() ?? '';
  return body.includes(INDEX) && body.includes(TOOL);
}

/** Nothing was refused. */
export function expectTaken(simulator: Simulator): void {
  const refused = simulator.requests.entries.flatMap(({ answer }) =>
    answer !== undefined && answer.status >= 400 ? [answer.body.toString().slice(0, 300)] : [],
  );
  expect(refused).toEqual([]);
}

/** Waits until the archive holds each text that a person typed, once and in order. */
export async function expectArchived(url: string, agent: TestAgent): Promise<void> {
  await eventually(async () => {
    const session = await sessionOf(url, { id: agent.session as Talk['id'], name: agent.agent });
    if (session === null) throw new Error('no session');
    const rows = await logOf(url, session);
    expect(rows.map((row) => row.seq)).toEqual(rows.map((_, index) => index + 1));
    const typed = rows.filter((row) => row.kind === 'input').map((row) => row.body);
    expect(typed).toEqual(agent.typed().filter((text) => !text.startsWith('<')));
  }, 60_000);
}

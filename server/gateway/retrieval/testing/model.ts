import { expect } from 'vitest';
import { type Simulator, startSimulator } from '../../../../e2e/simulator/index.ts';
import { RETRIEVAL_TOOL } from '../../../recall/index.ts';
import type { Json } from './read-answer.ts';
import type { Talk } from './talk.ts';

type Scripted = Parameters<Simulator['script']['add']>[0];
/** What the model does in answer to one request. */
export type Round = NonNullable<ReturnType<Extract<Scripted, (...args: never[]) => unknown>>>;

/** The simulated provider at its strictest, with a model that does what a test says. */
export interface Model {
  readonly simulator: Simulator;
  /** Forgets what was, and gives the model its rounds: one for each request. */
  start(rounds: readonly Round[]): void;
  /** What must hold whatever was said: nothing of ours for the client, no refusal, and a history that only ever grows. */
  checkAll(talk: Talk): void;
}

/** A call of our tool. */
export function ours(q: string) {
  return { call: RETRIEVAL_TOOL, input: { q } };
}

/** Starts a {@link Model}. */
export async function startModel(seed: string): Promise<Model> {
  const simulator = await startSimulator({ seed, settings: { binding: 'enforced' } });
  return {
    simulator,
    start(rounds) {
      simulator.reset();
      let asked = 0;
      simulator.script.add(() => rounds[asked++] ?? { steps: [{ say: 'Done.' }] });
    },
    checkAll(talk) {
      for (const { answer } of simulator.requests.entries) {
        expect([answer?.status, answer?.status === 200 ? '' : answer?.body.toString()]).toEqual([200, '']);
        expect(answer?.body.toString()).not.toContain('input_transformations');
      }
      checkHidden(simulator, talk);
      for (const [index, view] of talk.upstream.entries()) {
        const before = talk.upstream[index - 1] ?? [];
        expect(view.slice(0, before.length)).toEqual(before);
      }
    },
  };
}

/** No name, id or argument of ours has reached the client. */
function checkHidden(simulator: Simulator, talk: Talk): void {
  const hidden = new Set(
    simulator.requests.entries.flatMap(({ body }) => ourIds(JSON.parse(body.toString()) as Json)),
  );
  for (const { body } of talk.answers) {
    expect(body).not.toContain(RETRIEVAL_TOOL);
    for (const id of hidden) expect(body).not.toContain(id);
  }
}

function ourIds(body: Json): string[] {
  const list = (body.messages ?? body.input) as Json[];
  const parts = list.flatMap((one) => (Array.isArray(one.content) ? (one.content as Json[]) : [one]));
  return parts.flatMap((part) => (part.name === RETRIEVAL_TOOL ? [String(part.call_id ?? part.id)] : []));
}

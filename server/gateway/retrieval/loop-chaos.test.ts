import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HiddenRecord } from '../../recall/index.ts';
import { type Model, ours, type Round, startModel } from './testing/model.ts';
import { type Json, readItems, readParts } from './testing/read-answer.ts';
import { Talk } from './testing/talk.ts';
import type { Protocol, Retrieval } from './types.ts';

let model: Model;
beforeAll(async () => {
  model = await startModel('chaos');
});
afterAll(() => model.simulator.stop());

const retrieval: Retrieval = {
  answer: async ({ input }) => ({ text: `found for ${input}`, images: [], documents: [] }),
};

/** What goes wrong with one request of the client's. */
type Mishap =
  | { readonly is: 'nothing' }
  | { readonly is: 'leaves'; readonly after: number }
  | { readonly is: 'reset'; readonly after: number; readonly round: number }
  | { readonly is: 'refused'; readonly round: number }
  | { readonly is: 'store down' };
/** What the agent does with an answer that broke off, and whether another gateway goes on. */
interface Step {
  readonly mishap: Mishap;
  readonly keeps: boolean;
  readonly restarts: boolean;
}

const mishap: fc.Arbitrary<Mishap> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ is: 'nothing' as const }) },
  fc.record({ is: fc.constant('leaves' as const), after: fc.integer({ min: 1, max: 25 }) }),
  fc.record({
    is: fc.constant('reset' as const),
    after: fc.integer({ min: 1, max: 12 }),
    round: fc.integer({ min: 0, max: 2 }),
  }),
  fc.record({ is: fc.constant('refused' as const), round: fc.integer({ min: 1, max: 2 }) }),
  fc.constant({ is: 'store down' as const }),
);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ mishap, keeps: fc.boolean(), restarts: fc.boolean() }),
  { minLength: 2, maxLength: 6 },
);
const say = fc
  .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 6 })
  .map((words) => ({ say: `. ${words}` }));
const think = fc.constant({ think: 'hm' });
const rounds: fc.Arbitrary<Round[]> = fc.array(
  fc
    .tuple(
      fc.array(fc.oneof(say, think), { maxLength: 2 }),
      fc.constantFrom(ours('x'), ours('y'), ours('z'), { call: 'Read', input: {} }, { say: 'End.' }),
    )
    .map(([before, last]): Round => ({ steps: [...before, last] })),
  { minLength: 10, maxLength: 20 },
);

/** A store that fails as long as it is told to: for what would go out next, not for what is over. */
function store() {
  const state = { isDown: false };
  const keepHidden = async (_account: unknown, { data }: HiddenRecord) => {
    const isOver = data === null || (data as Json).open === false || (data as Json).before != null;
    if (state.isDown && !isOver) throw new Error('no database');
  };
  return { state, keepHidden };
}

for (const protocol of ['anthropic', 'openai'] as const) {
  test(`${protocol}: whatever breaks off where, the provider takes all that follows, and its reasoning fits`, async () => {
    await fc.assert(
      fc.asyncProperty(rounds, steps, async (planned, taken) => {
        model.start(planned);
        const { state, keepHidden } = store();
        const talk = new Talk(model.simulator, { protocol, retrieval, keepHidden });
        talk.type('go');
        for (const step of taken) await take(talk, protocol, step, state);
        for (const { answer, fault } of model.simulator.requests.entries) {
          if (fault !== undefined) continue;
          expect([answer?.status, answer?.status === 200 ? '' : answer?.body.toString()]).toEqual([200, '']);
          expect(answer?.body.toString()).not.toContain('input_transformations');
        }
        for (const { body } of talk.answers) expect(body).not.toContain('context-mode-search');
      }),
      { numRuns: 20 },
    );
  }, 120_000);
}

async function take(talk: Talk, protocol: Protocol, step: Step, state: { isDown: boolean }): Promise<void> {
  const { mishap: goes } = step;
  const { faults } = model.simulator;
  faults.clear();
  state.isDown = goes.is === 'store down';
  if (goes.is === 'refused') faults.add({ fault: { kind: 'status', status: 529 }, skip: goes.round });
  if (goes.is === 'reset')
    faults.add({ fault: { kind: 'reset', afterEvents: goes.after, pauseMs: 5 }, skip: goes.round });
  const { ending } = await talk.ask(goes.is === 'leaves' ? goes.after : undefined).done;
  await new Promise((resolve) => setTimeout(resolve, 5));
  state.isDown = false;
  if (ending === 'end') {
    if (!talk.takeAnswer()) talk.type('more');
  } else if (step.keeps && keepPart(talk, protocol)) talk.type('[Request interrupted by user] more');
  if (step.restarts) talk.restart();
}

/** Takes what came of an answer into the history, as agents do where a person breaks in; false: nothing that stands by itself. */
function keepPart(talk: Talk, protocol: Protocol): boolean {
  const { body = '' } = talk.answers.at(-1) ?? {};
  if (protocol === 'anthropic') {
    const parts = readParts(body);
    if (!parts.some((part) => part.type === 'text' || part.type === 'tool_use')) return false;
  } else {
    const items = readItems(body);
    const last = items.at(-1);
    if (last === undefined || (last.type === 'reasoning' && !isFollowed(talk, last))) return false;
  }
  talk.takeAnswer();
  return true;
}

/** True where a hidden round stands behind an item. */
function isFollowed(talk: Talk, { id }: Json): boolean {
  return [...talk.remembered.values()].some(({ data }) =>
    ((data as Json | null)?.after as string[] | null)?.includes(`id ${String(id)}`),
  );
}

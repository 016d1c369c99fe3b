import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Model, ours, type Round, startModel } from './testing/model.ts';
import { eventsOf } from './testing/read-answer.ts';
import { Talk, type TalkOptions } from './testing/talk.ts';
import type { Protocol, Retrieval } from './types.ts';

let model: Model;
beforeAll(async () => {
  model = await startModel('loop');
});
afterAll(() => model.simulator.stop());
beforeEach(() => model.start([]));

const retrieval: Retrieval = {
  answer: async ({ input }) => ({ text: `found for ${input}`, images: [], documents: [] }),
};
const own = () => ({ call: 'Read', input: {} });
const talking = (protocol: Protocol, more: Partial<TalkOptions> = {}) =>
  new Talk(model.simulator, { protocol, retrieval, ...more });

const said = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).map((say) => ({ say: `. ${say}` }));
const step = fc.oneof(
  said,
  fc.constant({ think: 'hm' }),
  fc.string({ maxLength: 6 }).map(ours),
  fc.constantFrom({ say: ' \n' }, own()),
);
/** A round that calls something, and one that does not. */
const asking = fc
  .tuple(fc.array(step, { maxLength: 3 }), fc.constantFrom(ours('x'), ours('y'), own()))
  .map(([before, last]): Round => ({ steps: [...before, last] }));
const ending = fc
  .tuple(fc.array(fc.oneof(said, fc.constant({ think: 'hm' })), { maxLength: 2 }), said)
  .map(([before, last]): Round => ({ steps: [...before, last] }));
const turns = fc.array(fc.tuple(fc.array(asking, { maxLength: 4 }), ending), { minLength: 1, maxLength: 3 });

for (const protocol of ['anthropic', 'openai'] as const) {
  for (const stream of [true, false]) {
    const how = `${protocol}, ${stream ? 'streamed' : 'whole'}`;

    test(`${how}: whatever the model calls, the client sees nothing of ours, and history upstream only grows`, async () => {
      await fc.assert(
        fc.asyncProperty(turns, async (planned) => {
          model.start(planned.flatMap(([before, last]) => [...before, last]));
          const talk = talking(protocol, { stream });
          for (const [index] of planned.entries()) await talk.turn(`go ${index}`);
          model.checkAll(talk);
          expect(talk.failed).toEqual([]);
          await new Promise(setImmediate);
          expect(talk.stored).toEqual(talk.remembered);
        }),
        { numRuns: 12 },
      );
    }, 60_000);
  }

  test(`${protocol}: the input is masked once, and that is what is sent, asked and put back`, async () => {
    model.start([{ steps: [{ say: 'Looking.' }, ours('the secret')] }]);
    const asked: string[] = [];
    const talk = talking(protocol, {
      retrieval: {
        answer: async ({ input }) => {
          asked.push(input);
          return { text: 'found', images: [], documents: [] };
        },
      },
    });
    await talk.turn('one');
    await talk.turn('two');
    model.checkAll(talk);
    expect(asked).toEqual(['{"q":"the masked"}']);
    for (const view of talk.upstream.slice(1)) expect(JSON.stringify(view)).toContain('the masked');
    expect(JSON.stringify(talk.upstream)).not.toContain('the secret');
  });
}

test('streams of Responses have one beginning, one end, and numbers without a gap', async () => {
  model.start([{ steps: [{ think: 'a' }, ours('x')] }, { steps: [{ think: 'b' }, { say: 'B' }] }]);
  const talk = talking('openai');
  await talk.turn('go');
  const events = eventsOf(talk.answers[0]?.body ?? '');
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  expect(events.filter(({ type }) => type === 'response.created')).toHaveLength(1);
  expect(events.at(-1)?.type).toBe('response.completed');
});

test('the room for answers is shared by the calls of a round, and what an answer took is gone for the next', async () => {
  model.start([{ steps: [ours('a'), ours('b')] }, { steps: [ours('c')] }]);
  const rooms: number[] = [];
  const image = { mime: 'image/png', bytes: Buffer.from(PIXEL, 'base64') };
  const talk = talking('anthropic', {
    room: 20_000,
    retrieval: {
      answer: async (_call, _asking, tokens) => {
        rooms.push(tokens);
        return { text: 'found', images: [image], documents: [] };
      },
    },
  });
  await talk.turn('go');
  model.checkAll(talk);
  expect(rooms.slice(0, 2)).toEqual([10_000, 10_000]);
  expect(rooms[2]).toBeLessThan(20_000 - 3_200);
  expect(rooms[2]).toBeGreaterThan(20_000 - 3_600);
});

/** A PNG of one pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

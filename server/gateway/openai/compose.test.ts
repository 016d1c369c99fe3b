import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldNamed, scanBody } from '../../conversation/index.ts';
import { type Answer, Session } from './testing/session.ts';

/** One in a few. */
const rarely = fc.nat(4).map((n) => n === 0);
const sometimes = fc.tuple(rarely, fc.nat(3_000)).map(([now, recent]) => (now ? recent : null));
const step = fc.record({ reasons: fc.boolean(), says: fc.boolean(), asks: fc.integer({ min: 1, max: 2 }) });
const answer: fc.Arbitrary<Answer> = fc.record({
  hidden: fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(step, { maxLength: 3 })),
  last: step,
  mixed: fc.boolean(),
  cut: fc.constant(null),
});
const ending = fc
  .tuple(answer, fc.option(fc.double({ min: 0, max: 0.99, noNaN: true }), { freq: 1 }))
  .map(([said, cut]) => ({ ...said, cut }));
const scripts = fc.record({
  options: fc.record({
    tool: fc.boolean(),
    itemTools: fc.boolean(),
    trims: fc.boolean(),
    space: fc.constantFrom(0, 1),
  }),
  turns: fc.array(
    fc.record({
      late: fc.boolean(),
      layOut: sometimes,
      rounds: fc.array(fc.record({ answer, calls: fc.integer({ min: 1, max: 2 }), layOut: sometimes }), {
        maxLength: 4,
      }),
      end: ending,
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

/** The bytes of a composed body up to the end of its list of items. */
function sentBytes(body: Buffer): Buffer {
  const scan = scanBody(body, new Set(['input']));
  const elements = scan === null ? [] : (fieldNamed(scan, 'input')?.elements ?? []);
  return body.subarray(0, elements.at(-1)?.end);
}

test('whatever the conversation and whatever is done with it, validator and provider take it, and each request begins with the one before', () => {
  fc.assert(
    fc.property(scripts, fc.nat(), fc.nat(255), ({ options, turns }, at, byte) => {
      const session = new Session(options);
      let before: { readonly layout: unknown; readonly bytes: Buffer } | null = null;
      const send = () => {
        const { verdict, composed, judge } = session.send();
        expect(verdict).toEqual({ ok: true });
        expect(session.refusal()).toBeNull();
        const damaged = Buffer.from(composed.body);
        damaged[at % damaged.length] = byte;
        judge(damaged);
        const bytes = sentBytes(composed.body);
        if (before?.layout === session.layout)
          expect(bytes.subarray(0, before.bytes.length).toString()).toBe(before.bytes.toString());
        before = { layout: session.layout, bytes };
      };
      for (const { late, rounds, end, layOut } of turns) {
        session.type(late);
        if (layOut !== null) session.layOut(layOut);
        for (const { answer: said, calls, layOut: inside } of rounds) {
          send();
          session.answer(said, calls);
          if (inside !== null) session.layOut(inside);
        }
        send();
        session.answer(end, 0);
      }
    }),
    { numRuns: 40 },
  );
}, 120_000);

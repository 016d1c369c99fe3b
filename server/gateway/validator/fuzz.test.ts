import { ok } from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'vitest';
import { fuzzedBody } from '../reading/testing/bodies.ts';
import type { Edit } from './index.ts';
import { judgeMessages, judgeResponses } from './testing/judging.ts';

const place = fc.oneof(fc.integer({ min: -1, max: 6 }), fc.constantFrom(0.5, Number.NaN, 1e12));
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        'head-message',
        'memory-part',
        'stub',
        'hidden-round',
        'trimmed-result',
        'filled-result',
      ),
      place,
      place,
    )
    .map(([kind, element, part]): Edit => ({ kind, element, ...(part > 3 ? {} : { part }) })),
  fc
    .tuple(fc.constantFrom('left-out-thinking', 'left-out-turn', 'left-out-messages'), place, place)
    .map(([kind, from, to]): Edit => ({ kind, from, to })),
  fc
    .tuple(place, place, place)
    .map(([element, from, to]): Edit => ({ kind: 'left-out-parts', element, from, to })),
  fc
    .tuple(place, place)
    .map(([index, item]): Edit => ({ kind: 'tool-definition', index, ...(item > 3 ? {} : { item }) })),
  fc.constant<Edit>({ kind: 'block-binding' }),
);
const edits = fc.array(edit, { maxLength: 4 });

describe.each([
  ['anthropic', judgeMessages],
  ['openai', judgeResponses],
] as const)('any bytes of %s with any edits named', (protocol, judge) => {
  const body = fuzzedBody[protocol];

  it('get a verdict, the same each time, and pass only where nothing differs or the edits say so', () => {
    fc.assert(
      fc.property(body, body, edits, fc.boolean(), (client, other, named, same) => {
        const edited = same ? Buffer.from(client) : other;
        const verdict = judge(client, edited, named);
        ok(JSON.stringify(judge(client, edited, named)) === JSON.stringify(verdict));
        if (verdict.ok && named.length === 0)
          ok(
            edited.equals(client) ||
              JSON.stringify(JSON.parse(edited.toString())) === JSON.stringify(JSON.parse(client.toString())),
          );
      }),
      { seed: 20261130, numRuns: 2_000 },
    );
  });
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Collector, MAX_HELD_BYTES } from './collect.ts';

const piece = fc
  .tuple(fc.integer({ min: 0, max: 700_000 }), fc.stringMatching(/^[a-z]{1,7}$/))
  .map(([length, text]) => new Uint8Array(Buffer.alloc(length, text)));

test('what is kept of an answer is what came, however large its pieces', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const held = { total: 0 };
      const collector = new Collector(held);
      for (const one of pieces) collector.add(one);
      expect(held.total).toBe(pieces.reduce((sum, one) => sum + one.length, 0));
      const { chunks, overflow } = collector.take();
      expect(overflow).toBe(false);
      expect(held.total).toBe(0);
      expect(Buffer.compare(Buffer.concat(chunks), Buffer.concat(pieces))).toBe(0);
    }),
    { numRuns: 30 },
  );
});

test('an answer over its bound, or over that of all together, is let go of at once', () => {
  const held = { total: 0 };
  const collector = new Collector(held, 1_000_000);
  for (const length of [300_000, 600_000, 100_001]) collector.add(new Uint8Array(length));
  expect([collector.take(), held.total]).toEqual([{ chunks: [], overflow: true }, 0]);
  held.total = MAX_HELD_BYTES;
  const other = new Collector(held);
  other.add(new Uint8Array(1));
  expect([other.take().overflow, held.total]).toEqual([true, MAX_HELD_BYTES]);
});

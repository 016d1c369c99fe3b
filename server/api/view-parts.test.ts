import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RequestView, SeenRun } from '../archive/types.ts';
import { chainOf, hashAt } from './testing.ts';
import { viewPartsOf } from './view-parts.ts';

function viewWith(runs: readonly SeenRun[]): RequestView {
  const tokens = { client: 10, sent: 10, limit: null };
  return { layout: null, made: null, because: null, unedited: null, runs, sentBytes: 1, tokens };
}

it('a request without a view, or with one that tells of no change, is one kept stretch', () => {
  const whole = [{ is: 'kept', from: 0, to: 3, items: 3, bytes: 30 }];
  expect(viewPartsOf(null, chainOf(3))).toEqual(whole);
  expect(viewPartsOf(viewWith([]), chainOf(3))).toEqual(whole);
  expect(viewPartsOf(null, [])).toEqual([]);
});

it('whatever the cuts, stretches that cover a conversation cover it side by side, with all of its items and bytes', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 60 }), fc.array(fc.nat(59)), fc.boolean(), (count, cuts, left) => {
      const starts = [...new Set([0, ...cuts.filter((cut) => cut < count)])].sort((a, b) => a - b);
      const runs = starts.map((from, at): SeenRun => {
        const last = hashAt((starts[at + 1] ?? count) - 1);
        return { is: (at % 2 === 0) === left ? 'left_out' : 'kept', first: hashAt(from), last };
      });
      const parts = viewPartsOf(viewWith(runs), chainOf(count));
      expect(parts.map((part) => ('from' in part ? part.from : -1))).toEqual(starts);
      const total = (name: 'items' | 'bytes') =>
        parts.reduce(
          (sum, part) => sum + (name in part ? (part as { items: number; bytes: number })[name] : 0),
          0,
        );
      expect([total('items'), total('bytes')]).toEqual([count, count * 10]);
    }),
  );
});

it('a stretch whose messages the archive does not hold is said to be missing, in its place', () => {
  const runs: readonly SeenRun[] = [
    { is: 'ours', what: 'index', bytes: 7, record: null },
    { is: 'left_out', first: hashAt(99), last: hashAt(1) },
    { is: 'kept', first: hashAt(2), last: hashAt(1) },
    { is: 'changed', message: hashAt(2), what: 'trimmed' },
    { is: 'changed', message: hashAt(77), what: 'filled' },
  ];
  expect(viewPartsOf(viewWith(runs), chainOf(3))).toEqual([
    { is: 'ours', what: 'index', bytes: 7, record: null },
    { is: 'missing', was: 'left_out' },
    { is: 'missing', was: 'kept' },
    { is: 'changed', what: 'trimmed', from: 2, to: 3, items: 1, bytes: 10 },
    { is: 'missing', was: 'changed' },
  ]);
});

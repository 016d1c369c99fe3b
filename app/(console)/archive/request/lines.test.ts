import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { WireViewPart } from '@/server/api/index.ts';
import { lineKey, linesOf } from './lines.ts';

const stretch = { from: 0, to: 3, items: 3, bytes: 30 };
const PARTS: readonly WireViewPart[] = [
  { is: 'ours', what: 'index', bytes: 9, record: null },
  { is: 'left_out', ...stretch },
  { is: 'missing', was: 'kept' },
  { is: 'changed', what: 'trimmed', from: 3, to: 4, items: 1, bytes: 10 },
  { is: 'kept', ...stretch, from: 4, to: 6 },
];

it('closed, each part is one line behind the line for what stands before all messages', () => {
  const lines = linesOf(PARTS, new Set());
  expect(lines.map(({ is }) => is)).toEqual(['frame', 'part', 'part', 'part', 'part', 'part']);
});

it('messages that were left out or changed stand with the agent alone, kept ones on both sides', () => {
  const sides = linesOf(PARTS, new Set([1, 3, 4])).flatMap((line) =>
    line.is === 'message' ? [[line.message, line.side]] : [],
  );
  expect(sides).toEqual([
    [0, 'client'],
    [1, 'client'],
    [2, 'client'],
    [3, 'client'],
    [4, 'both'],
    [5, 'both'],
  ]);
});

it('whatever is open, also what does not exist, every line has a key of its own, and closed parts have no more than theirs', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -2, max: 9 })), (open) => {
      const lines = linesOf(PARTS, new Set(open));
      expect(new Set(lines.map(lineKey)).size).toBe(lines.length);
      const inside = lines.filter((line) => line.is === 'message' || line.is === 'text');
      for (const line of inside) expect(open).toContain('number' in line ? line.number : -1);
    }),
  );
});

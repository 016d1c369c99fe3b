import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DocId } from '../conversation/index.ts';
import { trimmed } from './trimming.ts';

const ID = 'context-mode-msg-00000000000000aa' as DocId;
const estimate = (text: string) => Math.ceil(text.length / 2.5);
const lines = (count: number, word = 'fine') =>
  Array.from({ length: count }, (_, n) => `line ${n} ${word}`).join('\n');

test('an output of 6,000 tokens or less stays as it is', () => {
  expect(trimmed('x'.repeat(15_000), ID, estimate)).toBeNull();
  expect(trimmed('x'.repeat(15_001), ID, estimate)).not.toBeNull();
});

test('a long output keeps its beginning and end, names what looks like errors, and says where the whole is', () => {
  const text = `${lines(1_000)}\nsrc/a.ts: error TS2304: Cannot find name\n${lines(1_000)}`;
  const short = trimmed(text, ID, estimate) ?? '';
  expect(text.startsWith(short.split('\n[…')[0] ?? '-')).toBe(true);
  expect(short.endsWith(text.slice(-4_900))).toBe(true);
  expect(short).toContain('\nsrc/a.ts: error TS2304: Cannot find name\n[…]\n');
  expect(short).toContain(`{"docid": "${ID}"}`);
});

test('errors are shown within bounds, and the rest of them counted', () => {
  const short = trimmed(`${lines(1_000)}\n${lines(3_000, 'failed')}\n${lines(1_000)}`, ID, estimate) ?? '';
  expect(short.match(/failed/g)?.length).toBeLessThanOrEqual(40);
  expect(short).toMatch(/\[and \d+ more such lines …\]/);
});

/** True if no surrogate stands alone. */
const isWhole = (text: string) => Buffer.from(text).toString() === text;

const output = fc
  .array(
    fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.constantFrom('Error: no', '✗ fails', '')),
    {
      minLength: 1,
      maxLength: 400,
    },
  )
  .chain((some) =>
    fc.integer({ min: 1, max: 6 }).map((times) => Array(times).fill(some.join('\n')).join('\n')),
  );

test('what is trimmed is never long itself, always shorter, the same each time, and valid text where the output is', () => {
  fc.assert(
    fc.property(output, (text) => {
      const short = trimmed(text, ID, estimate);
      if (short === null) return;
      expect(short.length).toBeLessThan(text.length);
      expect(trimmed(short, ID, estimate)).toBeNull();
      expect(trimmed(text, ID, estimate)).toBe(short);
      if (isWhole(text)) expect(isWhole(short)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

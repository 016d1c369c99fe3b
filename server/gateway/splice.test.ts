import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyEdits, type Edit } from './splice.ts';

const bytes = fc.uint8Array({ maxLength: 60 });

/** A body and edits of it that do not overlap, made by cutting it up. */
const edited = fc
  .array(fc.record({ kept: bytes, gone: bytes, insert: bytes }), { maxLength: 6 })
  .map((pieces) => {
    const body: number[] = [];
    const expected: number[] = [];
    const edits: Edit[] = [];
    for (const { kept, gone, insert } of pieces) {
      body.push(...kept);
      expected.push(...kept, ...insert);
      edits.push({ start: body.length, end: body.length + gone.length, insert });
      body.push(...gone);
    }
    return { body: Uint8Array.from(body), expected: Uint8Array.from(expected), edits };
  })
  .filter(({ edits }) => new Set(edits.map((edit) => edit.start)).size === edits.length);

test('every byte outside the edits is as it was, in whatever order they are given', () => {
  fc.assert(
    fc.property(edited, fc.boolean(), ({ body, expected, edits }, backwards) => {
      const result = applyEdits(body, backwards ? edits.toReversed() : edits).joined();
      expect(Uint8Array.from(result)).toEqual(expected);
    }),
  );
});

test('without edits it is the very same memory', () => {
  const body = Uint8Array.from([1, 2, 3]);
  expect(applyEdits(body, []).joined().buffer).toBe(body.buffer);
});

test('edits that overlap or lie outside are a fault, and nothing is guessed', () => {
  const insert = new Uint8Array();
  const body = new Uint8Array(10);
  expect(() =>
    applyEdits(body, [
      { start: 0, end: 5, insert },
      { start: 4, end: 6, insert },
    ]),
  ).toThrow(RangeError);
  expect(() => applyEdits(body, [{ start: 8, end: 11, insert }])).toThrow(RangeError);
  expect(() => applyEdits(body, [{ start: 5, end: 4, insert }])).toThrow(RangeError);
});

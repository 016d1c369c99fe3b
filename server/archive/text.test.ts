import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainText } from '../kernel/column-text.ts';
import { characters, decodeText, encodeText, sliceCharacters, storedText, textOf } from './text.ts';

/** Any JavaScript string: all code units, also lone surrogates and NUL, often next to each other. */
const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.integer({ min: 0xd7f0, max: 0xe010 }).map((unit) => String.fromCharCode(unit)),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\0', '\ud83d', '\ude00', '\u{1f600}', '\ufeff', '\r\n', '\ufffd', '\u2400'),
    ),
  )
  .map((pieces) => pieces.join(''));

describe('the text codec', () => {
  test('any string comes back as it was', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(decodeText(encodeText(text))).toBe(text);
        expect(textOf(storedText(text))).toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  test('a string without lone surrogates is plain UTF-8, and different strings have different bytes', () => {
    fc.assert(
      fc.property(anyText, anyText, (left, right) => {
        if (!/\p{Surrogate}/u.test(left)) expect(encodeText(left)).toEqual(Buffer.from(left));
        expect(encodeText(left).equals(encodeText(right))).toBe(left === right);
      }),
    );
  });

  test('the stand-in is text that PostgreSQL takes and has as many characters as the exact text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const stored = storedText(text);
        expect(stored.text).not.toMatch(/[\0\p{Surrogate}]/u);
        expect([...stored.text]).toHaveLength(stored.chars);
        expect(characters(text)).toBe([...text].length);
        expect(stored.bytes).toBe(encodeText(text).length);
        expect(stored.exact === null).toBe(stored.text === text && plainText(text) === text);
      }),
    );
  });

  test('slices by characters put together give the whole', () => {
    fc.assert(
      fc.property(anyText, fc.nat({ max: 40 }), (text, at) => {
        expect(sliceCharacters(text, 0, at) + sliceCharacters(text, at, text.length)).toBe(text);
        expect(sliceCharacters(text, 0, at)).toBe([...text].slice(0, at).join(''));
      }),
    );
  });

  test('decoding never throws, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(typeof decodeText(bytes)).toBe('string');
      }),
    );
  });
});

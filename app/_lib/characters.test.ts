import fc from 'fast-check';
import { expect, test } from 'vitest';

import { characters } from './characters.ts';

/** As the archive cuts texts: by code points. */
const sliceCharacters = (text: string, from: number, count: number) =>
  [...text].slice(from, from + count).join('');

test('steps of characters give every word of a text once, emoji and lone surrogates among them', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 7 }), (text, step) => {
      let shown = '';
      for (
        let at = 0, part = sliceCharacters(text, 0, step);
        part !== '';
        part = sliceCharacters(text, at, step)
      ) {
        shown += part;
        at += characters(part);
      }
      expect(shown).toBe(text);
    }),
  );
  expect(characters('a😀\ud800')).toBe(3);
});

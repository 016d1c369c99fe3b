import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holdsPhrase } from './match.ts';
import { parseQuery } from './query.ts';
import { texts } from './testing-texts.ts';

describe('queries', () => {
  test('any text is read or refused with a reason, and what it asks for stands in itself', () => {
    fc.assert(
      fc.property(texts, (text) => {
        try {
          const query = parseQuery(text);
          expect(query.terms.length + query.phrases.length + query.prefixes.length).toBeGreaterThan(0);
          for (const [one, other] of query.pairs)
            expect(Math.max(one, other)).toBeLessThan(query.terms.length);
        } catch (error) {
          expect(error).toMatchObject({ code: 'bad_request' });
        }
      }),
    );
  });

  test('quoted words stand in the text that they were taken from', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 3, maxLength: 30 }),
        fc.nat(20),
        (words, from) => {
          const part = words.slice(Math.min(from, words.length - 1), from + 4).join(' ');
          fc.pre(part !== '');
          const [phrase] = parseQuery(`"${part}"`).phrases;
          expect(phrase && holdsPhrase(words.join('\n'), phrase)).toBe(true);
        },
      ),
    );
  });

  test.each([
    ['-p 4141', { without: 0 }],
    ['ffmpeg -crf=23', { without: 0 }],
    ['build -production', { without: 1 }],
    ['build -"old world"', { without: 1 }],
    ['"a b" c*', { without: 0, phrases: 1, prefixes: 0 }],
    ['"a b" cd*', { without: 0, phrases: 1, prefixes: 1 }],
    ['say "hello', { without: 0, phrases: 0 }],
  ])('%s is read as meant', (q, counts) => {
    const { without, phrases, prefixes } = parseQuery(q);
    expect({ without: without.length, phrases: phrases.length, prefixes: prefixes.length }).toMatchObject(
      counts,
    );
  });
});

describe('hostile queries', () => {
  test.each([
    ['a "', 50_000],
    ['"a ', 33_000],
    ['a', 100_000],
    ['(', 100_000],
    ['"x-', 33_000],
    ['\u4e2d', 100_000],
  ])(
    '%s a hundred thousand characters long is refused with what to do, and read where it is short',
    (unit, times) => {
      expect(() => parseQuery(unit.repeat(times))).toThrow(/longer than 4,000 characters/);
      parseQuery(unit.repeat(20));
    },
  );
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holdsPhrase } from './match.ts';
import { parseQuery } from './query.ts';
import { LONGEST_ENDING, stem } from './stem.ts';
import { texts } from './testing-texts.ts';
import { wantedOf } from './wanted.ts';
import { countTerms, LONGEST_TERM, spansOf, spansWanted } from './words.ts';

describe('words', () => {
  test('a text has the same words for the index and for its matches, in order and inside it', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const counted = countTerms(text);
        const terms = new Set(counted.terms.keys());
        const spans = spansOf(text);
        expect(new Set(spans.flatMap((span) => (span.term === null ? [] : [span.term])))).toEqual(terms);
        const counts = [...counted.terms.values()].map(({ count }) => count);
        expect(Math.min(1, ...counts)).toBe(1);
        expect(counts.reduce((sum, count) => sum + count, 0)).toBe(counted.words);
        for (const { start, end } of spans)
          expect(0 <= start && start < end && end <= text.length).toBe(true);
        const smallest = spans.filter((span) => span.smallest);
        expect(smallest.map((span) => span.unit)).toEqual(smallest.map((_, at) => at));
        for (const [at, span] of smallest.entries())
          expect(span.start).toBeGreaterThanOrEqual(smallest[at - 1]?.end ?? 0);
        expect(spansWanted(text, wantedOf(terms))).toEqual(spans.filter((span) => span.term !== null));
        const some = wantedOf(
          [...terms].filter((_, at) => at % 3 === 0),
          spans.filter((_, at) => at % 5 === 1).map((span) => span.form),
          spans.filter((_, at) => at % 7 === 2).map((span) => span.form.slice(0, 2)),
        );
        expect(spansWanted(text, some)).toEqual(
          spans.filter(
            ({ term, form }) =>
              (term !== null && some.terms.has(term)) ||
              some.forms.has(form) ||
              some.beginnings.some((beginning) => form.startsWith(beginning)),
          ),
        );
      }),
    );
  });

  test('what stands around a text in lines of their own changes nothing of its words', () => {
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        const both = (text: string) => spansOf(text).map((span) => span.term);
        expect(both(`${one}\n ${other}`)).toEqual([...both(one), ...both(other)]);
      }),
    );
  });

  test.each([
    ['deploy', 'deploys', 'deployed', 'deploying', 'deployment', 'deployments'],
    ['cache', 'caches', 'cached', 'caching'],
    ['retry', 'retries', 'retried'],
    ['validate', 'validates', 'validated', 'validation', 'validating'],
    ['configure', 'configured', 'configuration', 'configurations'],
    ['stop', 'stops', 'stopped', 'stopping'],
    ['box', 'boxes'],
    ['class', 'classes'],
  ])('the forms of %s meet', (...forms) => {
    expect(new Set(forms.map(stem)).size).toBe(1);
  });

  test('a stem is a beginning of its word but for a last y, and not much shorter', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,14}(?:s|es|ing|ed|ation|ly|ments|y|ies)?$/), (word) => {
        const short = stem(word);
        expect(
          word.startsWith(short) || (short.endsWith('i') && word.startsWith(`${short.slice(0, -1)}y`)),
        ).toBe(true);
        expect(word.length - short.length).toBeLessThanOrEqual(LONGEST_ENDING);
      }),
    );
  });
});

describe('hostile words', () => {
  /** Texts without a space, made of what folds to more, joins to what stands before it, or has no end. */
  const units = [
    '\u4e2d',
    '\u6587',
    '\u20d0',
    '\u0bbe',
    '\u3099',
    '\ufdfa',
    '\u2474',
    'a',
    'B',
    '7',
    '_',
    '-',
    '.',
    '\u1112',
    '\u1161',
    '\u{2f800}',
  ];
  const runs = fc
    .array(fc.tuple(fc.constantFrom(...units), fc.integer({ min: 1, max: 90 })), {
      minLength: 1,
      maxLength: 60,
    })
    .map((some) => some.map(([unit, times]) => unit.repeat(times)).join(''));

  test('no term is longer than an index takes, whatever the text', () => {
    fc.assert(
      fc.property(runs, (text) => {
        for (const term of countTerms(text).terms.keys())
          if (term.length > LONGEST_TERM) throw new Error(`a term of ${term.length} units`);
      }),
    );
    const han = Array.from({ length: 1900 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('');
    for (const text of [`${han}-a`, `a.${han}.ts`, `\u4e2d${'\u20d0'.repeat(1900)}`, '\ufdfa'.repeat(80)])
      for (const { term } of spansOf(text)) expect((term ?? '').length).toBeLessThanOrEqual(LONGEST_TERM);
  });

  test('a character with a hundred thousand marks is read once', () => {
    const spans = spansOf(`\u4e2d${'\u3099'.repeat(100_000)}`);
    expect(spans).toHaveLength(1);
    expect(spans[0]?.end).toBe(100_001);
  });

  test.each([
    ['\ud658\ubd88 \uc815\ucc45', '\ud658\ubd88'],
    ['\u30ac\u30b9', '\u30ac\u30b9'],
    ['\u30d1\u30b9', '\u30d1\u30b9'],
    ['caf\u00e9', 'caf\u00e9'],
  ])(
    '%s: a text in pieces, as some systems write names of files, is found by whole characters and the other way',
    (text, q) => {
      const termsOf = (one: string) => spansOf(one).flatMap(({ term }) => (term === null ? [] : [term]));
      expect(termsOf(text.normalize('NFD'))).toEqual(termsOf(text));
      for (const [there, asked] of [
        [text.normalize('NFD'), q],
        [text, q.normalize('NFD')],
      ] as const) {
        const [phrase] = parseQuery(`"${asked}"`).phrases;
        if (phrase === undefined) throw new Error('no phrase');
        expect(holdsPhrase(there, phrase)).toBe(true);
      }
    },
  );

  test('half-width kana with sound marks are the full ones', () => {
    const [phrase] = parseQuery('"\u30ac\u30b9"').phrases;
    if (phrase === undefined) throw new Error('no phrase');
    expect(holdsPhrase('\uff76\uff9e\uff7d', phrase)).toBe(true);
  });

  test('a phrase of any word of a text stands in that text, also where characters fold to punctuation', () => {
    for (const word of ['\u2474', 'x\u2474', '\u2488a', '\u00bd', '\u32a4', '\u2474\u2475', '\u3220\u3221']) {
      const [phrase] = parseQuery(`"${word}"`).phrases;
      if (phrase === undefined) throw new Error('no phrase');
      expect(holdsPhrase(`before ${word} behind`, phrase)).toBe(true);
    }
  });
});

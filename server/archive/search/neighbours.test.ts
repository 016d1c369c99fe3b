import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chunksWith } from './beside.ts';
import { holdsPhrase } from './match.ts';
import { chunkKey, PostingsBuilder } from './postings.ts';
import { parseQuery } from './query.ts';
import { texts } from './testing-texts.ts';
import { countTerms } from './words.ts';

const quoted = (text: string) => {
  try {
    return parseQuery(`"${text.replaceAll('"', ' ')}"`).phrases[0];
  } catch {
    return undefined;
  }
};

/** Phrases cut out of a text anywhere, also inside words, and texts in which they may stand. */
const cases = fc
  .tuple(texts, fc.nat(200), fc.integer({ min: 1, max: 30 }), texts)
  .map(([text, from, length, around]) => ({
    phrase: quoted(text.slice(from % (text.length + 1), (from % (text.length + 1)) + length)),
    texts: [
      text,
      text.toUpperCase(),
      `${around}${text}${around}`,
      text.replace(/\s+/g, '_'),
      text.replace(/\s+/g, "'s "),
    ],
  }));

test('where a phrase stands in a text, each of its words there has the neighbours that the phrase gives it', () => {
  let held = 0;
  let told = 0;
  let refused = 0;
  fc.assert(
    fc.property(cases, ({ phrase, texts: some }) => {
      if (phrase === undefined) return;
      for (const text of some) {
        const { terms } = countTerms(text);
        const holds = holdsPhrase(text, phrase);
        held += holds ? 1 : 0;
        for (const [term, bits] of phrase.neighbours) {
          const there = terms.get(term);
          if (there === undefined) continue;
          if (holds) expect([term, there.neighbours & bits]).toEqual([term, bits]);
          else refused += (there.neighbours & bits) === bits ? 0 : 1;
          told += 1;
        }
      }
    }),
    { numRuns: 600 },
  );
  expect(held).toBeGreaterThan(200);
  expect(told).toBeGreaterThan(100);
  expect(refused).toBeGreaterThan(5);
});

test('a name of parts is found by them in a row, and a part of one letter knows what stands beside it', () => {
  for (const [text, words] of [
    ['refundWindow', 'refund window'],
    ['the x and the xValue', 'x value'],
    ['a.b.config file', 'config file'],
  ] as const) {
    const phrase = quoted(words);
    if (phrase === undefined) throw new Error('no phrase');
    expect(phrase.neighbours.size).toBeGreaterThan(0);
    for (const [term, bits] of phrase.neighbours) {
      expect([term, (countTerms(text).terms.get(term)?.neighbours ?? 0) & bits]).toEqual([term, bits]);
    }
  }
});

test('chunks are those in which every word has the neighbours that are asked for, or none that are known', () => {
  const postings = fc.uniqueArray(
    fc.record({ doc: fc.nat(12), n: fc.nat(3), neighbours: fc.integer({ min: -8, max: 7 }) }),
    { selector: ({ doc, n }) => chunkKey(doc, n), maxLength: 30 },
  );
  const word = fc.record({ postings, bits: fc.nat(7), known: fc.boolean() });
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 3 }), (words) => {
      const found = chunksWith(
        words.map(({ postings: some, bits, known }) => {
          const builder = new PostingsBuilder();
          for (const { doc, n, neighbours } of some)
            builder.add(doc, n, new Map([['term', { count: 1, neighbours }]]), 9);
          const rows = [...builder.parts()];
          return {
            chunks: some.length,
            rows: rows.map(({ bytes }) => bytes),
            neighbours: rows.map(({ neighbours }) => (known ? neighbours : null)),
            bits,
          };
        }),
      );
      const keys = words.map(
        ({ postings: some, bits, known }) =>
          new Set(
            some
              .filter(({ neighbours }) => !known || (neighbours & bits) === bits)
              .map(({ doc, n }) => chunkKey(doc, n)),
          ),
      );
      const [first = new Set<number>()] = keys;
      const wanted = [...first].filter((key) => keys.every((some) => some.has(key)));
      expect([...found].sort((one, other) => one - other)).toEqual(wanted.sort((one, other) => one - other));
    }),
  );
});

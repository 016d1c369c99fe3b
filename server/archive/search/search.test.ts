import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHUNK, charactersBetween, chunksOf, OVERLAP } from './chunks.ts';
import { holdsPhrase, matchPassage } from './match.ts';
import {
  coarseLength,
  eachPosting,
  type PostingRows,
  PostingsBuilder,
  withoutPostings,
  wordsOfCoarse,
} from './postings.ts';
import { parseQuery } from './query.ts';
import { bestOf, rarity, scoreDocuments } from './rank.ts';
import { readable } from './readable.ts';
import { SNIPPET, snippetOf } from './snippet.ts';
import { LONGEST_ENDING, stem } from './stem.ts';
import { wantedOf } from './wanted.ts';
import { eachTerm, LONGEST_TERM, spansOf, spansWanted } from './words.ts';

/** Texts with all that words are made of, and what breaks careless code. */
const bits = fc.constantFrom(
  ...[
    'refund',
    'Window',
    'HTTP',
    '_',
    '-',
    '.',
    '/',
    ' ',
    '\n',
    "'s",
    '’',
    '0x1F',
    '42',
    'é',
    'e\u0301',
    'ß',
    'İ',
  ],
  ...[
    '返金',
    '期',
    '환불',
    'ก็',
    '𝄞',
    '🚀',
    '\ud800',
    '\udc00',
    '\0',
    '\\n',
    '\\u00e9',
    '"',
    'the',
    'a',
    'x',
    'Я',
    '٣',
  ],
);
const texts = fc
  .array(fc.oneof({ weight: 5, arbitrary: bits }, fc.string({ unit: 'binary', maxLength: 4 })), {
    maxLength: 60,
  })
  .map((some) => some.join(''));
const long = fc.array(texts, { maxLength: 200 }).map((some) => some.join(' '));
const isCut = (text: string, at: number) =>
  /[\ud800-\udbff]/.test(text.charAt(at - 1)) && /[\udc00-\udfff]/.test(text.charAt(at));

describe('words', () => {
  test('a text has the same words for the index and for its matches, in order and inside it', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const terms = new Set<string>();
        eachTerm(text, (term) => terms.add(term));
        const spans = spansOf(text);
        expect(new Set(spans.flatMap((span) => (span.term === null ? [] : [span.term])))).toEqual(terms);
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

describe('chunks', () => {
  test.each([false, true])(
    'together they hold every character, overlap, and cut no character (JSON: %s)',
    (isJson) => {
      fc.assert(
        fc.property(long, (text) => {
          const source = isJson ? JSON.stringify(text) : text;
          const chunks = chunksOf(source, isJson);
          expect(chunks[0]?.from).toBe(0);
          expect(chunks.at(-1)?.to).toBe(source.length);
          for (const [at, chunk] of chunks.entries()) {
            expect(chunk.to - chunk.from).toBeLessThanOrEqual(CHUNK);
            expect(isCut(source, chunk.from) || isCut(source, chunk.to)).toBe(false);
            expect(chunk.start).toBe(charactersBetween(source, 0, chunk.from));
            const next = chunks[at + 1];
            if (next) {
              expect(next.from).toBeGreaterThan(chunk.from);
              expect(chunk.to - next.from).toBeGreaterThanOrEqual(OVERLAP - 10);
            }
          }
          if (isJson) {
            const [first = { from: 0, to: 0 }, ...others] = chunks;
            const joined = others.reduce(
              (before, chunk) => ({
                text:
                  before.text + readable(source.slice(Math.max(before.to, chunk.from), chunk.to), true).text,
                to: chunk.to,
              }),
              { text: readable(source.slice(first.from, first.to), true).text, to: first.to },
            );
            expect(joined.text).toBe(readable(source, true).text);
          }
        }),
        { numRuns: 60 },
      );
    },
  );

  test('JSON is read without its escapes, and each character knows where it came from', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const source = JSON.stringify(text);
        const read = readable(source, true);
        expect(read.text).toBe(`"${text}"`);
        for (let at = 0; at < read.text.length; at += 1) {
          const from = read.sourceAt(at);
          const to = read.sourceAt(at + 1);
          expect(readable(source.slice(from, to), true).text).toBe(read.text.charAt(at));
        }
      }),
    );
  });
});

describe('snippets', () => {
  test('they are a part of the text, bounded, cut no character, and mark what was looked for', () => {
    fc.assert(
      fc.property(long, texts, (text, words) => {
        fc.pre(words.trim() !== '' && spansOf(words).length > 0);
        let query: ReturnType<typeof parseQuery>;
        try {
          query = parseQuery(words);
        } catch {
          return;
        }
        const worth = query.terms.map((_, at) => 1 + at);
        const passage = matchPassage(text, query, worth);
        const snippet = snippetOf(passage, worth);
        expect(text).toContain(snippet.text);
        expect(snippet.text.length).toBeLessThanOrEqual(SNIPPET);
        const at = text.indexOf(snippet.text);
        expect(isCut(text, at) || isCut(text, at + snippet.text.length)).toBe(false);
        let before = -1;
        for (const [start, end] of snippet.marks) {
          expect(start > before && start < end && end <= snippet.text.length).toBe(true);
          before = end;
        }
        if (passage.matches.length > 0 && passage.matches.every((match) => match.end - match.start < 100))
          expect(snippet.marks.length).toBeGreaterThan(0);
        if (passage.matches.length === 0) expect(snippet.marks).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });

  test('a mark covers the word and nothing else', () => {
    const query = parseQuery('refund');
    const { text, marks } = snippetOf(matchPassage('no 𝄞 refunds, noRefundHere, REFUND', query, [1]), [1]);
    expect(marks.map(([start, end]) => text.slice(start, end))).toEqual(['refunds', 'Refund', 'REFUND']);
  });
});

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

describe('postings and ranking', () => {
  const postings = fc.array(
    fc.record({
      doc: fc.nat(40),
      n: fc.nat(65_535),
      count: fc.integer({ min: 1, max: 400 }),
      words: fc.nat(2_500),
    }),
    { minLength: 1, maxLength: 40 },
  );

  test('what is written is read, joined rows are rows, and dropped ones are gone', () => {
    fc.assert(
      fc.property(postings, fc.nat(40), (some, gone) => {
        const builder = new PostingsBuilder();
        for (const { doc, n, count, words } of some) builder.add(doc, n, new Map([['term', count]]), words);
        const [rows, ...others] = builder.parts();
        if (!rows) throw new Error('no rows');
        const { bytes, terms, lows, highs } = rows;
        expect(others).toEqual([]);
        const read: number[][] = [];
        eachPosting(Buffer.concat([bytes, bytes]), (doc, n, count) => read.push([doc, n, count]));
        const wanted = some.map(({ doc, n, count }) => [doc, n, Math.min(255, count)]);
        expect(terms).toEqual(['term']);
        expect(read).toEqual([...wanted, ...wanted]);
        expect([lows[0], highs[0]]).toEqual([
          Math.min(...some.map((one) => one.doc)),
          Math.max(...some.map((one) => one.doc)),
        ]);
        const left: number[][] = [];
        eachPosting(withoutPostings(bytes, (doc) => doc === gone) ?? bytes, (doc, n, count) =>
          left.push([doc, n, count]),
        );
        expect(left).toEqual(wanted.filter(([doc]) => doc !== gone));
      }),
    );
  });

  test('parts of rows are the same rows, each term once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.stringMatching(/^[a-f]{1,2}$/), { maxLength: 9 }), { maxLength: 20 }),
        fc.integer({ min: 1, max: 9 }),
        (chunks, size) => {
          const builder = new PostingsBuilder();
          for (const [n, words] of chunks.entries())
            builder.add(1, n, new Map(words.map((word) => [word, 1])), words.length);
          const read = (parts: Iterable<PostingRows>) =>
            [...parts].flatMap((part) =>
              part.terms.map((term, at) => [
                term,
                Buffer.from(
                  part.bytes.subarray(part.froms[at] ?? 0, (part.froms[at] ?? 0) + (part.sizes[at] ?? 0)),
                ).toString('hex'),
              ]),
            );
          const parts = read(builder.parts(size));
          expect(parts).toEqual(read(builder.parts(1_000)));
          expect(new Set(parts.map(([term]) => term)).size).toBe(parts.length);
        },
      ),
    );
  });

  test('a length survives its byte within an eighth, or two words', () => {
    for (let words = 0; words <= 2_500; words += 1)
      expect(Math.abs(wordsOfCoarse(coarseLength(words)) - words)).toBeLessThan(Math.max(2, words / 8));
  });

  test('the best are those of a full sort, whatever their number', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 80 }),
        fc.integer({ min: 1, max: 90 }),
        (scores, count) => {
          const scored = {
            docs: Uint32Array.from(scores.keys()).map((place) => (place * 7) % 83),
            scores: Float32Array.from(scores),
            holds: new Uint32Array(scores.length),
          };
          const sorted = [...scores.keys()].sort(
            (one, other) =>
              (scores[other] ?? 0) - (scores[one] ?? 0) ||
              (scored.docs[other] ?? 0) - (scored.docs[one] ?? 0),
          );
          expect([...bestOf(scored, count)]).toEqual(sorted.slice(0, count));
        },
      ),
    );
  });

  test('what is scored does not depend on what was scored before, also where that failed', () => {
    const posting = (doc: number) => [doc, 0, 0, 0, 0, 0, 1, 40];
    const list = (...docs: readonly number[]) => ({
      chunks: docs.length,
      rows: [Buffer.from(docs.flatMap(posting))],
    });
    const any = { required: 0, excluded: () => false, allowed: null };
    const docNumbers = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(docNumbers, docNumbers, fc.boolean(), (one, other, fails) => {
        const totals = { chunks: 31, words: 310, docs: 31 };
        const alone = scoreDocuments([list(...one)], totals, any);
        const excluded = () => {
          if (fails) throw new Error('a condition fails');
          return false;
        };
        const between = () => scoreDocuments([list(...other), list(...one)], totals, { ...any, excluded });
        if (fails) expect(between).toThrow('a condition fails');
        else expect([...between().docs].sort()).toEqual([...new Set([...one, ...other])].sort());
        expect(scoreDocuments([list(...one)], totals, any)).toEqual(alone);
        expect([...alone.docs].sort()).toEqual([...one].sort());
      }),
    );
  });

  test('a rarer word is worth more, a further one never less, and a longer chunk with as much never more', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 999 }),
        fc.integer({ min: 1, max: 254 }),
        fc.integer({ min: 0, max: 254 }),
        (chunks, count, length) => {
          expect(rarity(chunks, 1_000)).toBeGreaterThan(rarity(chunks + 1, 1_000));
          const row = Buffer.from(
            [0, 1, 2].flatMap((doc) => [
              doc,
              0,
              0,
              0,
              0,
              0,
              doc === 1 ? count + 1 : count,
              doc === 2 ? length + 1 : length,
            ]),
          );
          const scored = scoreDocuments(
            [{ chunks, rows: [row] }],
            { chunks: 1_000, words: 100_000, docs: 3 },
            {
              required: 0,
              excluded: () => false,
              allowed: null,
            },
          );
          const score = (doc: number) => scored.scores[scored.docs.indexOf(doc)] ?? 0;
          expect(score(1)).toBeGreaterThanOrEqual(score(0));
          expect(score(2)).toBeLessThanOrEqual(score(0));
        },
      ),
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
        eachTerm(text, (term) => {
          if (term.length > LONGEST_TERM) throw new Error(`a term of ${term.length} units`);
        });
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

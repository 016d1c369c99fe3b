import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  coarseLength,
  eachPosting,
  NEIGHBOUR_BYTES,
  type PostingRows,
  PostingsBuilder,
  withoutPostings,
  wordsOfCoarse,
} from './postings.ts';
import { bestOf, rarity, scoreChunks, scoreDocuments } from './rank.ts';

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
        for (const { doc, n, count, words } of some)
          builder.add(doc, n, new Map([['term', { count, neighbours: doc * n }]]), words);
        const [rows, ...others] = builder.parts();
        if (!rows) throw new Error('no rows');
        const { bytes, neighbours, terms, lows, highs } = rows;
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
        const row = { data: bytes, neighbours };
        const left = withoutPostings(row, (doc) => doc === gone) ?? row;
        const kept: number[][] = [];
        eachPosting(left.data, (doc, n, count) => kept.push([doc, n, count]));
        expect(kept).toEqual(wanted.filter(([doc]) => doc !== gone));
        const beside = Buffer.from(left.neighbours ?? []);
        expect(kept.map((_, at) => beside.readInt32LE(at * NEIGHBOUR_BYTES))).toEqual(
          kept.map(([doc = 0, n = 0]) => doc * n),
        );
        expect(withoutPostings({ ...row, neighbours: null }, (doc) => doc === gone)?.data ?? bytes).toEqual(
          left.data,
        );
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
            builder.add(
              1,
              n,
              new Map(words.map((word) => [word, { count: 1, neighbours: n }])),
              words.length,
            );
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
    const any = { required: 0, below: 31, excluded: new Set<number>(), allowed: null };
    const docNumbers = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(docNumbers, docNumbers, fc.boolean(), (one, other, fails) => {
        const totals = { chunks: 31, words: 310, docs: 31 };
        const alone = scoreDocuments([list(...one)], totals, any);
        const excluded = {
          size: 1,
          has: () => {
            if (fails) throw new Error('a condition fails');
            return false;
          },
        };
        const between = () => scoreDocuments([list(...other), list(...one)], totals, { ...any, excluded });
        if (fails) expect(between).toThrow('a condition fails');
        else expect([...between().docs].sort()).toEqual([...new Set([...one, ...other])].sort());
        expect(scoreDocuments([list(...one)], totals, any)).toEqual(alone);
        expect([...alone.docs].sort()).toEqual([...one].sort());
      }),
    );
  });

  test('chunks of documents are the same ones, in whatever order a row names them and whether it was scored before', () => {
    const totals = { chunks: 200, words: 9_000, docs: 41 };
    const given = fc.array(postings, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(given, fc.uniqueArray(fc.nat(45), { maxLength: 20 }), (lists, docs) => {
        const rowsOf = (some: (typeof lists)[number]) => {
          const builder = new PostingsBuilder();
          for (const { doc, n, count, words } of some)
            builder.add(doc, n, new Map([['term', { count, neighbours: doc * n }]]), words);
          return [...builder.parts()].map(({ bytes }) => bytes);
        };
        const made = (order: (some: (typeof lists)[number]) => (typeof lists)[number]) =>
          lists.map((some) => ({ chunks: some.length, rows: rowsOf(order(some)) }));
        const read = made((some) => [...some].sort((one, other) => one.doc - other.doc));
        const unread = scoreChunks(read, totals, docs);
        scoreDocuments(read, totals, { required: 0, below: 41, excluded: new Set(), allowed: null });
        expect(scoreChunks(read, totals, docs)).toEqual(unread);
        const mixed = made((some) => some);
        scoreDocuments(mixed, totals, { required: 0, below: 41, excluded: new Set(), allowed: null });
        const numbers = (chunks: typeof unread) =>
          docs.map((doc) =>
            chunks
              .get(doc)
              ?.map(({ n }) => n)
              .sort((one, other) => one - other),
          );
        expect(numbers(scoreChunks(mixed, totals, docs))).toEqual(numbers(unread));
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
            { required: 0, below: 3, excluded: new Set(), allowed: null },
          );
          const score = (doc: number) => scored.scores[scored.docs.indexOf(doc)] ?? 0;
          expect(score(1)).toBeGreaterThanOrEqual(score(0));
          expect(score(2)).toBeLessThanOrEqual(score(0));
        },
      ),
    );
  });
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { marksOf, marksWithin, matchesIn, matchFrom, placeOf } from './text-matches.ts';
import { type Block, beginsLine, blocksOf, indexOfCharacter, runsOf, segmentsOf } from './text-pieces.ts';

const line = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom('', '😀'.repeat(2500), 'x'.repeat(6100), 'naïve 日本'),
);
const text = fc.array(line, { maxLength: 120 }).map((lines) => lines.join('\n'));

/** A text cut into pieces of `size` UTF-16 units, never inside a character. */
function cut(whole: string, size: number): Map<number, string> {
  const pieces = new Map<number, string>();
  const characters = [...whole];
  for (let at = 0; at < characters.length; at += size) {
    pieces.set(pieces.size, characters.slice(at, at + size).join(''));
  }
  return pieces.size === 0 ? new Map([[0, '']]) : pieces;
}

const lines = (blocks: readonly Block[]) =>
  blocks.flatMap((block) =>
    block.shape === 'gap'
      ? []
      : [...segmentsOf(block.run.text, block.from, block.to, beginsLine(block.run, block.from))].map(
          (one) => ({
            ...one,
            text: block.run.text.slice(one.from, one.to),
          }),
        ),
  );

it('the lines of all blocks are the lines of the text, each once, in order', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 400 }), (whole, size) => {
      const pieces = cut(whole, size);
      const blocks = blocksOf(runsOf(pieces), pieces.size);
      const joined: string[] = [];
      for (const one of lines(blocks)) {
        if (one.begins) joined.push(one.text);
        else joined.push(`${joined.pop() ?? ''}${one.text}`);
      }
      const wanted = whole.split('\n');
      if (wanted.at(-1) === '') wanted.pop();
      expect(joined).toEqual(wanted);
    }),
  );
});

it('a block knows the number of its line, and no segment ends inside a character', () => {
  fc.assert(
    fc.property(text, (whole) => {
      const blocks = blocksOf(runsOf(new Map([[0, whole]])), 1);
      for (const block of blocks) {
        if (block.shape === 'gap') throw new Error('there is no gap');
        expect(block.line).toBe(whole.slice(0, block.from).split('\n').length);
      }
      const isTorn = (one: string) => /\p{Surrogate}/u.test(one);
      for (const one of lines(blocks)) expect(isTorn(one.text) && !isTorn(whole)).toBe(false);
    }),
  );
});

it('what is not loaded stands as a gap in its place, and lines behind a gap have no number', () => {
  const pieces = new Map([
    [0, 'a\nb'],
    [3, 'c'],
    [4, 'd\ne'],
  ]);
  expect(blocksOf(runsOf(pieces), 7)).toMatchObject([
    { shape: 'lines', from: 0, to: 3, line: 1 },
    { shape: 'gap', first: 1, last: 2 },
    { shape: 'lines', from: 0, to: 4, line: null },
    { shape: 'gap', first: 5, last: 6 },
  ]);
});

it('every occurrence is found once, also where it stands across pieces', () => {
  const word = fc.constantFrom('aa', 'ab', 'ABA', 'é', '.*');
  const parts = fc.array(fc.constantFrom('a', 'b', 'A', 'É', 'é', '.', '*', '\n'), { maxLength: 60 });
  fc.assert(
    fc.property(parts, word, fc.integer({ min: 3, max: 9 }), (letters, words, size) => {
      const whole = letters.join('');
      const pieces = cut(whole, size);
      const found = [...pieces].flatMap(([piece, own]) =>
        matchesIn(piece, own, pieces.get(piece + 1) ?? '', words).map((match) => piece * size + match.at),
      );
      const low = whole.toLowerCase();
      for (const at of found) expect(low.startsWith(words.toLowerCase(), at)).toBe(true);
      for (let at = 0; at < whole.length; at += 1) {
        if (!low.startsWith(words.toLowerCase(), at)) continue;
        // An occurrence is either found or overlaps one that is.
        expect(found.some((other) => Math.abs(other - at) < words.length)).toBe(true);
      }
    }),
  );
});

it('marks lie where their matches stand, whatever range is drawn', () => {
  const pieces = new Map([
    [2, 'one two '],
    [3, 'two one'],
  ]);
  const [run] = runsOf(pieces);
  if (run === undefined) throw new Error('there is one run');
  const matches = [
    ...matchesIn(0, 'two', '', 'two'),
    ...matchesIn(2, 'one two ', 'two', 'two'),
    ...matchesIn(3, 'two one', '', 'two'),
  ];
  const marks = marksOf(run, matches, 2);
  expect(marks.map(({ from, to, now }) => [run.text.slice(from, to), now])).toEqual([
    ['two', false],
    ['two', true],
  ]);
  expect(marksWithin(marks, 5, 10)).toEqual([
    { from: 0, to: 2, now: false },
    { from: 3, to: 5, now: true },
  ]);
  expect(marksWithin(marks, 11, 15)).toEqual([]);
});

it('an offset counts characters, not UTF-16 units', () => {
  expect(indexOfCharacter('😀😀b', 2)).toBe(4);
  expect(placeOf(2, new Map([[0, '😀😀b']]))).toEqual({ piece: 0, at: 4 });
  const matches = matchesIn(0, 'b 😀 b', '', 'b');
  expect(matchFrom(matches, { piece: 0, at: 1 })).toBe(1);
  expect(matchFrom(matches, { piece: 0, at: 6 })).toBe(1);
  expect(matchFrom([], { piece: 0, at: 0 })).toBe(-1);
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHUNK, charactersBetween, chunksOf, OVERLAP } from './chunks.ts';
import { readable } from './readable.ts';
import { isCut, long, texts } from './testing-texts.ts';

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

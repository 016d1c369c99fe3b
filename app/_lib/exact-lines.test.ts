import fc from 'fast-check';
import { expect, it } from 'vitest';
import { byteRuns, LINE_BYTES, lineStarts, strayBytes, tornBytes } from './exact-lines.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

const shown = (bytes: Uint8Array) => {
  const starts = lineStarts(bytes);
  return starts.slice(0, -1).map((start, at) =>
    byteRuns(bytes.subarray(start, starts[at + 1]))
      .map((run) => run.text)
      .join(''),
  );
};

it('every byte stands in exactly one line, none of which is too long', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 700 }), (bytes) => {
      const starts = lineStarts(bytes);
      expect(starts[0]).toBe(0);
      expect(starts.at(-1)).toBe(bytes.length);
      for (const [at, start] of starts.slice(0, -1).entries()) {
        const length = (starts[at + 1] ?? 0) - start;
        expect(length).toBeGreaterThan(0);
        expect(length).toBeLessThanOrEqual(LINE_BYTES);
      }
    }),
  );
});

const letters = fc.string({ unit: fc.constantFrom('a', 'é', '日', '😀'), maxLength: 400 });

it('visible text comes out whole, however it is cut', () => {
  fc.assert(
    fc.property(letters, (text) => {
      expect(shown(utf8(text)).join('')).toBe(text);
    }),
  );
});

it('a part that was cut anywhere is shown without the characters that were cut in two', () => {
  fc.assert(
    fc.property(letters, fc.nat(), fc.nat(), (text, a, b) => {
      const bytes = utf8(text);
      const [from = 0, to = 0] = [a % (bytes.length + 1), b % (bytes.length + 1)].sort((x, y) => x - y);
      const part = bytes.subarray(from, to);
      const own = part.subarray(strayBytes(part));
      const whole = shown(own.subarray(0, own.length - tornBytes(own))).join('');
      expect(whole).not.toContain('\\x');
      expect(text).toContain(whole);
      expect(utf8(whole).length).toBeGreaterThanOrEqual(part.length - 6);
    }),
  );
});

it('a line ends behind its line feed, which is shown', () => {
  expect(lineStarts(utf8('one\ntwo'))).toEqual([0, 4, 7]);
  expect(shown(utf8('one\ntwo'))).toEqual(['one↵', 'two']);
});

it('bytes that are not UTF-8 are shown as numbers beside what is', () => {
  expect(shown(new Uint8Array([0x61, 0xed, 0xa0, 0x80, 0x62]))).toEqual(['a\\xED\\xA0\\x80b']);
});

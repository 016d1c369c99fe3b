import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exactLines, LINE_BYTES } from './exact-lines.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);

it('every byte stands in exactly one line and offsets follow one another', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 700 }), fc.nat(1000), (bytes, base) => {
      const offsets = exactLines(bytes, base).map((line) => line.offset);
      const ends = [...offsets.slice(1), base + bytes.length];
      expect(offsets[0] ?? base).toBe(base);
      for (const [at, offset] of offsets.entries()) {
        const length = (ends[at] ?? 0) - offset;
        expect(length).toBeGreaterThan(0);
        expect(length).toBeLessThanOrEqual(LINE_BYTES);
      }
    }),
  );
});

it('visible text comes out whole, however it is cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'é', '日', '😀'), maxLength: 400 }), (text) => {
      const shown = exactLines(utf8(text)).flatMap((line) => line.runs.map((run) => run.text));
      expect(shown.join('')).toBe(text);
    }),
  );
});

it('a line ends behind its line feed, which is shown', () => {
  const lines = exactLines(utf8('one\ntwo'));
  expect(lines.map((line) => [line.offset, line.runs.map((run) => run.text).join('')])).toEqual([
    [0, 'one↵'],
    [4, 'two'],
  ]);
});

it('bytes that are not UTF-8 are shown as numbers beside what is', () => {
  const bytes = new Uint8Array([0x61, 0xed, 0xa0, 0x80, 0x62]);
  expect(
    exactLines(bytes)[0]
      ?.runs.map((run) => run.text)
      .join(''),
  ).toBe('a\\xED\\xA0\\x80b');
});

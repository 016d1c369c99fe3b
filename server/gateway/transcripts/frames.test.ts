import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FrameReader } from './frames.ts';

interface Given {
  readonly name: string;
  readonly lines: readonly string[];
  readonly isTorn: boolean;
}

const line = fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => text.replaceAll('\n', ''));
const file: fc.Arbitrary<Given> = fc.record({
  name: fc.string(),
  lines: fc.array(line, { maxLength: 6 }),
  isTorn: fc.boolean(),
});

function contentOf({ lines, isTorn }: Given): Buffer {
  const text = lines.map((one) => `${one}\n`).join('');
  return Buffer.from(isTorn ? text.replace(/\n$/, '') : text, 'utf8');
}

function framed(files: readonly Given[]): Buffer {
  return Buffer.concat(
    files.flatMap((one) => {
      const content = contentOf(one);
      const header = `${JSON.stringify({ file: one.name, bytes: content.length })}\n`;
      return [Buffer.from(header), content, Buffer.from('\n')];
    }),
  );
}

function read(bytes: Buffer, cuts: readonly number[]) {
  const reader = new FrameReader();
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  let from = 0;
  const found = ends.flatMap((end) => {
    const piece = bytes.subarray(from, end);
    from = end;
    return [...reader.push(piece)];
  });
  reader.end();
  return found.map(({ file: name, number, bytes: own }) => [
    name,
    number,
    own === null ? null : Buffer.from(own).toString('utf8'),
  ]);
}

it('files come out line by line as they went in, however the pieces are cut', () => {
  fc.assert(
    fc.property(fc.array(file, { maxLength: 4 }), fc.array(fc.nat(), { maxLength: 8 }), (files, cuts) => {
      const expected = files.flatMap(({ name, lines }) =>
        lines.flatMap((text, index) => (text === '' ? [] : [[name, index + 1, text]])),
      );
      expect(read(framed(files), cuts)).toEqual(expected);
    }),
  );
});

it.each([
  ['a file that is not whole', '{"file":"a","bytes":5}\nabc'],
  ['bytes without a file', '{"a":1}\n'],
  ['a size that is none', '{"file":"a","bytes":-1}\n'],
  ['a header that does not end', `{"file":"${'a'.repeat(70_000)}`],
])('%s is refused', (_what, text) => {
  expect(() => read(Buffer.from(text), [])).toThrow(/file/i);
});

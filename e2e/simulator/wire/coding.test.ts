import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { decompress } from '@bokuweb/zstd-wasm';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { decode, encodePieces, prepareCodings } from './coding.ts';

beforeAll(() => prepareCodings());

const CODINGS = ['gzip', 'deflate', 'br', 'zstd'] as const;

describe('content codings', () => {
  it.each(CODINGS.filter((coding) => coding !== 'zstd'))(
    'of %s give back what was put in, over any pieces',
    async (coding) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.uint8Array({ maxLength: 200 }), { minLength: 1, maxLength: 6 }),
          async (arrays) => {
            const pieces = arrays.map((array) => Buffer.from(array));
            const coded = await encodePieces(pieces, coding);
            expect(coded).toHaveLength(pieces.length);
            expect(decode(Buffer.concat(coded), coding)?.equals(Buffer.concat(pieces))).toBe(true);
          },
        ),
        { numRuns: 40 },
      );
    },
  );

  it.each(CODINGS.filter((coding) => coding !== 'zstd'))(
    'of %s let a reader read each piece as it arrives',
    async (coding) => {
      const pieces = ['first event', 'second event', 'third'].map((text) => Buffer.from(text));
      const coded = await encodePieces(pieces, coding);
      const reader =
        coding === 'gzip'
          ? createGunzip()
          : coding === 'deflate'
            ? createInflate()
            : createBrotliDecompress();
      const read = new Promise<string>((resolve) =>
        reader.once('data', (data: Buffer) => resolve(data.toString())),
      );
      reader.write(coded[0]);
      expect(await read).toBe('first event');
      reader.destroy();
    },
  );

  it('of zstd code each piece as a frame of its own', async () => {
    const coded = await encodePieces([Buffer.from('first'), Buffer.from('second')], 'zstd');
    expect(coded.map((piece) => Buffer.from(decompress(piece)).toString())).toEqual(['first', 'second']);
  });

  it('that are unknown or do not fit the bytes give nothing', () => {
    expect(decode(Buffer.from('x'), 'snappy')).toBeUndefined();
    expect(decode(Buffer.from('x'), 'gzip')).toBeUndefined();
    expect(decode(Buffer.from('x'), 'identity')?.toString()).toBe('x');
  });
});

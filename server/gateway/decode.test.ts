import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBody } from './decode.ts';
import { zstdOf } from './testing/zstd.ts';

const LIMIT = 1_000_000;
const codings: [string, (bytes: Buffer) => Buffer | Promise<Buffer>][] = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['zstd', zstdOf],
];

describe.each(codings)('%s', (coding, encode) => {
  test('gives back what was encoded', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5_000 }), async (bytes) => {
        const decoded = await decodeBody(await encode(Buffer.from(bytes)), coding, { limit: LIMIT });
        expect(Buffer.from(decoded ?? 'nothing').equals(Buffer.from(bytes))).toBe(true);
      }),
    );
  });

  test('is refused where more than the bound comes out, at and above it', async () => {
    const body = await encode(Buffer.alloc(LIMIT + 1));
    expect(await decodeBody(body, coding, { limit: LIMIT })).toBeNull();
    expect(await decodeBody(body, coding, { limit: LIMIT, partial: true })).toBeNull();
    expect((await decodeBody(await encode(Buffer.alloc(LIMIT)), coding, { limit: LIMIT }))?.length).toBe(
      LIMIT,
    );
  });

  test('many megabytes are given whole, and as far as they go where they broke off', async () => {
    const text = Buffer.alloc(
      9_000_000,
      Buffer.from(Array.from({ length: 9_000 }, (_, at) => `${at} `).join('')),
    );
    const body = await encode(text);
    const whole = await decodeBody(body, coding, { limit: text.length });
    expect(text.equals(whole ?? Buffer.of())).toBe(true);
    expect(await decodeBody(body, coding, { limit: text.length - 1 })).toBeNull();
    const cut = body.subarray(0, body.length - 40);
    const part = await decodeBody(cut, coding, { limit: text.length, partial: true });
    // Brotli's last block is a large one.
    expect(part?.length).toBeGreaterThan(coding === 'br' ? 10_000 : 5_000_000);
    expect(text.subarray(0, part?.length).equals(part ?? Buffer.of())).toBe(true);
  });

  test('what broke off is nothing as a whole, and its beginning as a part', async () => {
    const text = Buffer.from(Array.from({ length: 40_000 }, (_, at) => `${at * 7919} `).join(''));
    const body = await encode(text);
    const cut = body.subarray(0, Math.floor(body.length / 2));
    expect(await decodeBody(cut, coding, { limit: LIMIT })).toBeNull();
    const part = await decodeBody(cut, coding, { limit: LIMIT, partial: true });
    expect(part?.length).toBeGreaterThan(10_000);
    expect(text.subarray(0, part?.length).equals(Buffer.from(part ?? []))).toBe(true);
  });

  test('never throws, and gives at most the bound, on any bytes', async () => {
    const real = await encode(Buffer.from('hello '.repeat(100)));
    const damaged = fc.tuple(fc.nat(real.length - 1), fc.nat(255)).map(([at, byte]) => {
      const copy = Buffer.from(real);
      copy[at] = byte;
      return copy;
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array(), damaged), fc.boolean(), async (bytes, partial) => {
        const decoded = await decodeBody(bytes, coding, { limit: 5_000, partial });
        expect(decoded === null || decoded.length <= 5_000).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('decodeBody', () => {
  test('identity is given back as it is, within the bound', async () => {
    const body = Buffer.from('abc');
    expect(await decodeBody(body, '', { limit: 3 })).toBe(body);
    expect(await decodeBody(body, ' Identity ', { limit: 3 })).toBe(body);
    expect(await decodeBody(body, '', { limit: 2 })).toBeNull();
  });

  test('stacked codings are undone from the last to the first', async () => {
    const body = await zstdOf(brotliCompressSync(gzipSync(Buffer.from('deep'))));
    const decoded = await decodeBody(body, 'gzip, br,identity, ZSTD', { limit: LIMIT });
    expect(Buffer.from(decoded ?? []).toString()).toBe('deep');
    expect(await decodeBody(body, 'gzip, gzip, gzip, gzip, gzip', { limit: LIMIT })).toBeNull();
  });

  test('an unknown coding is not guessed at', async () => {
    expect(await decodeBody(Buffer.from('abc'), 'compress', { limit: LIMIT })).toBeNull();
  });

  test('several zstd frames, with a skippable one between, are one body', async () => {
    const skippable = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
    const body = Buffer.concat([await zstdOf(Buffer.from('ab')), skippable, await zstdOf(Buffer.from('cd'))]);
    expect(Buffer.from((await decodeBody(body, 'zstd', { limit: LIMIT })) ?? []).toString()).toBe('abcd');
  });

  test('a zstd frame that asks for gigabytes of memory is refused, also behind a harmless one', async () => {
    const greedy = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf8, 0x01, 0x00, 0x00]);
    expect(await decodeBody(greedy, 'zstd', { limit: LIMIT })).toBeNull();
    const hidden = Buffer.concat([await zstdOf(Buffer.from('ab')), greedy]);
    expect(await decodeBody(hidden, 'zstd', { limit: LIMIT })).toBeNull();
    expect(await decodeBody(hidden, 'zstd', { limit: LIMIT, partial: true })).toBeNull();
  });
});

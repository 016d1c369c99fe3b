import { expect, test } from 'vitest';
import { jsonOf } from '../reading/testing/recorded.ts';
import { estimateBytes } from './estimate.ts';

const pad = (head: Buffer, bytes = 3_000) => Buffer.concat([head, Buffer.alloc(bytes, 7)]);

function png(width: number, height: number): Buffer {
  const head = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0', 'latin1');
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return pad(head);
}

function gif(width: number, height: number): Buffer {
  const head = Buffer.from('GIF89a\0\0\0\0', 'latin1');
  head.writeUInt16LE(width, 6);
  head.writeUInt16LE(height, 8);
  return pad(head);
}

/** @param before bytes of a segment in front of the frame's */
function jpeg(width: number, height: number, before = 20): Buffer {
  const first = Buffer.alloc(before + 2);
  first.writeUInt16BE(0xffe1, 0);
  first.writeUInt16BE(before, 2);
  const frame = Buffer.from([0xff, 0xc0, 0, 17, 8, height >> 8, height & 255, width >> 8, width & 255, 3]);
  return pad(Buffer.concat([Buffer.from([0xff, 0xd8]), first, frame]));
}

function webp(kind: 'VP8 ' | 'VP8L' | 'VP8X', width: number, height: number): Buffer {
  const head = Buffer.alloc(32);
  head.write(`RIFF    WEBP${kind}`, 'latin1');
  if (kind === 'VP8X') {
    head.writeUIntLE(width - 1, 24, 3);
    head.writeUIntLE(height - 1, 27, 3);
  } else if (kind === 'VP8L') head.writeUInt32LE((((height - 1) << 14) | (width - 1)) >>> 0, 21);
  else {
    head.writeUInt16LE(width, 26);
    head.writeUInt16LE(height, 28);
  }
  return pad(head);
}

/** What an image adds to the forms in which the protocols carry it. */
function tokensOf(image: Buffer): readonly number[] {
  const data = image.toString('base64');
  const forms = (value: string, address: string) => [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: value } },
    { type: 'input_image', image_url: address },
    { type: 'image_url', image_url: { url: address } },
  ];
  const plain = forms('', '').map((form) => estimateBytes(jsonOf(form)));
  return forms(data, `data:image/png;base64,${data}`).map(
    (form, index) => estimateBytes(jsonOf(form)) - (plain[index] ?? 0),
  );
}

test.each([
  ['PNG', png],
  ['GIF', gif],
  ['JPEG', jpeg],
  ['lossy WebP', (width: number, height: number) => webp('VP8 ', width, height)],
  ['lossless WebP', (width: number, height: number) => webp('VP8L', width, height)],
  ['extended WebP', (width: number, height: number) => webp('VP8X', width, height)],
] as const)('a %s image counts by its size, in every form, not by its bytes', (_kind, make) => {
  const [width, height] = [840, 560];
  for (const tokens of tokensOf(make(width, height))) {
    expect(Math.abs(tokens - 30 * 20)).toBeLessThan(8);
  }
});

test('an image counts at most what a model scales it down to, and a constant where its size is not near its beginning', () => {
  for (const image of [png(8_000, 8_000), gif(60_000, 3), png(2_000, 2_000)]) {
    for (const tokens of tokensOf(image)) expect(tokens).toBeLessThan(4_784 + 8);
  }
  for (const image of [jpeg(100, 100, 60_000), png(0, 100), pad(Buffer.from([0xff, 0xd8, 0xff]))]) {
    for (const tokens of tokensOf(image)) expect(Math.abs(tokens - 1_600)).toBeLessThan(8);
  }
});

test('a PDF counts as more the larger it is', () => {
  const of = (bytes: number) =>
    estimateBytes(jsonOf({ source: { data: pad(Buffer.from('%PDF-1.7\n'), bytes).toString('base64') } }));
  expect(of(240_000) / of(24_000)).toBeCloseTo(10, 0);
});

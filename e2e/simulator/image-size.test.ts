import { describe, expect, it } from 'vitest';
import { imageSize } from './image-size.ts';
import type { JsonObject } from './json.ts';
import { judgeAnthropic } from './judge.ts';
import { messagesBody } from './testing.ts';

const base64 = (...parts: (Buffer | string | number[])[]) =>
  Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  ).toString('base64');

const u16be = (value: number) => [value >> 8, value & 255];
const u16le = (value: number) => [value & 255, value >> 8];
const u24le = (value: number) => [...u16le(value & 0xffff), value >> 16];

const png = (width: number, height: number) =>
  base64('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0, ...u16be(width), 0, 0, ...u16be(height)]);
const gif = (width: number, height: number) => base64('GIF89a', u16le(width), u16le(height), 'rest');
const jpeg = (width: number, height: number) =>
  base64(
    [0xff, 0xd8, 0xff, 0xe0, ...u16be(16)],
    'JFIF\0'.padEnd(14, '\0'),
    [0xff, 0xff, 0xe1, ...u16be(70_000 % 65_536)],
    Buffer.alloc((70_000 % 65_536) - 2),
    [0xff, 0xc4, ...u16be(4), 1, 2],
    [0xff, 0xc2, ...u16be(17), 8, ...u16be(height), ...u16be(width), 3],
    Buffer.alloc(12),
  );
const webp = (kind: string, body: number[]) =>
  base64('RIFF', [0, 0, 0, 0], 'WEBP', kind, [0, 0, 0, 0], body, Buffer.alloc(16));
const KINDS: [string, (width: number, height: number) => string][] = [
  ['PNG', png],
  ['GIF', gif],
  ['JPEG', jpeg],
  ['extended WebP', (w, h) => webp('VP8X', [0, 0, 0, 0, ...u24le(w - 1), ...u24le(h - 1)])],
  [
    'lossless WebP',
    (w, h) => {
      const bits = ((w - 1) | ((h - 1) << 14)) >>> 0;
      return webp('VP8L', [0x2f, bits & 255, (bits >> 8) & 255, (bits >> 16) & 255, bits >>> 24]);
    },
  ],
  ['lossy WebP', (w, h) => webp('VP8 ', [0, 0, 0, 0x9d, 1, 0x2a, ...u16le(w), ...u16le(h)])],
];

describe('image sizes', () => {
  it.each(KINDS)('are read from the head of a %s', (_name, make) => {
    for (const [width, height] of [
      [1, 1],
      [640, 480],
      [9_000, 20],
    ] as const) {
      expect(imageSize(make(width, height))).toEqual({ width, height });
    }
  });

  it('are unknown of anything else, cut heads too', () => {
    for (const data of ['', 'AAAA', base64('RIFF'), base64([0xff, 0xd8, 0xff]), base64('GIF89a')]) {
      expect(imageSize(data)).toBeUndefined();
    }
  });
});

describe('image limits of the Messages API', () => {
  const image = (data: string): JsonObject => ({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data },
  });
  const body = (blocks: JsonObject[]) => messagesBody({ messages: [{ role: 'user', content: blocks }] });

  it.each(KINDS)('hold for a %s', (_name, make) => {
    expect(judgeAnthropic(body([image(make(8000, 8000))]))).toBeNull();
    expect(judgeAnthropic(body([image(make(8, 8001))]))).toMatchObject({
      code: 'image_dimensions_too_large',
      message:
        'messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
    });
  });

  it('are stricter above twenty images, unless the switch is off', () => {
    const many = (count: number) => body(Array.from({ length: count }, () => image(png(2001, 10))));
    expect(judgeAnthropic(many(20))).toBeNull();
    expect(judgeAnthropic(many(21))?.message).toBe(
      'messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
    );
    expect(judgeAnthropic(many(21), [], { rules: { 'anthropic.many-image-limit': false } })).toBeNull();
  });
});

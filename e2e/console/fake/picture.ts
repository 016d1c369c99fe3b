import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

/** A PNG of 320 by 160 pixels: a page with a heading and lines. */
function pictureBytes(): Buffer {
  const [width, height] = [320, 160];
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Buffer.alloc(1 + width * 3, 250);
    row[0] = 0;
    const isLine = y > 20 && (y < 34 || (y % 16 < 5 && y > 48 && y < 140));
    if (isLine) row.fill(y < 34 ? 60 : 170, 1 + 24 * 3, 1 + (y < 34 ? 160 : 280 - (y % 3) * 30) * 3);
    return row;
  });
  const chunk = (name: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crcOf(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** CRC-32 as PNG wants it (Node 20 has none of its own before 20.15). */
function crcOf(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** A picture of a page. */
export const PIXELS = pictureBytes();
/** The hash that names it. */
export const PICTURE = createHash('sha256').update(PIXELS).digest('hex');

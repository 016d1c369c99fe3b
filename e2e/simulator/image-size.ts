/** Width and height in pixels. */
export type ImageSize = { readonly width: number; readonly height: number };

/** Bytes of an image that are looked at; the frame of a JPEG can stand behind long metadata. */
const HEAD_BYTES = 256 * 1024;

/** Width and height from the head of a PNG, JPEG, GIF or WebP in base64; `undefined` when it is none of them. */
export function imageSize(base64: string): ImageSize | undefined {
  const head = Buffer.from(base64.slice(0, Math.ceil((HEAD_BYTES * 4) / 3)), 'base64');
  return pngSize(head) ?? gifSize(head) ?? webpSize(head) ?? jpegSize(head);
}

function pngSize(head: Buffer): ImageSize | undefined {
  if (head.length < 24 || head.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
}

function gifSize(head: Buffer): ImageSize | undefined {
  if (head.length < 10 || !/^GIF8[79]a$/.test(head.toString('latin1', 0, 6))) return undefined;
  return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
}

function webpSize(head: Buffer): ImageSize | undefined {
  if (head.length < 30 || head.toString('latin1', 0, 4) !== 'RIFF') return undefined;
  if (head.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    default:
      return undefined;
  }
}

/** A JPEG is a row of segments; the frame header is the first of the kinds 0xC0 to 0xCF but for C4, C8 and CC. */
function jpegSize(head: Buffer): ImageSize | undefined {
  if (head.length < 4 || head.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at + 9 < head.length && head[at] === 0xff) {
    const kind = head[at + 1] ?? 0;
    if (kind === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind);
    if (isFrame) return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) };
    at += 2 + head.readUInt16BE(at + 2);
  }
  return undefined;
}

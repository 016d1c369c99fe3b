/** Longer sides and more patches than these are scaled down first (Claude 4.7 and later). */
const MAX_SIDE = 2576;
const MAX_PATCHES = 4784;
/** Pixels of a patch's side; a patch is a token. */
const PATCH = 28;
/** An image whose size is not found near its beginning: about 1,100 by 1,100 pixels. */
const UNKNOWN_IMAGE_TOKENS = 1_600;
/** A guess: pages of text and drawings. Bytes of base64. */
const PDF_BYTES_PER_TOKEN = 32;
/** Bytes of base64 that are looked at for the size of an image. */
const LOOKED_AT = 16_384;

/** How each kind of media begins in base64. */
const BEGINNINGS = { png: 'iVBORw0KGgo', jpeg: '/9j/', gif: 'R0lGOD', webp: 'UklGR', pdf: 'JVBERi' } as const;

/** Tokens of media in base64: of an image by its size, of what is not media none (ciphertexts have the same member). */
export function mediaTokens(bytes: Buffer, start: number, end: number): number {
  const beginning = bytes.toString('latin1', start, Math.min(end, start + 12));
  if (beginning.startsWith(BEGINNINGS.pdf)) return Math.ceil((end - start) / PDF_BYTES_PER_TOKEN);
  const sizeOf = readerFor(beginning);
  if (sizeOf === null) return 0;
  const head = Buffer.from(bytes.toString('latin1', start, Math.min(end, start + LOOKED_AT)), 'base64');
  const size = sizeOf(head);
  return size === null ? UNKNOWN_IMAGE_TOKENS : imageTokens(size.width, size.height);
}

/** Tokens of an image: its patches, once it is scaled down to what a model takes. */
function imageTokens(width: number, height: number): number {
  const patches = (scale: number) => Math.ceil((width * scale) / PATCH) * Math.ceil((height * scale) / PATCH);
  return Math.min(MAX_PATCHES, patches(Math.min(1, MAX_SIDE / Math.max(width, height))));
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function readerFor(beginning: string): ((head: Buffer) => Size | null) | null {
  if (beginning.startsWith(BEGINNINGS.png)) return pngSize;
  if (beginning.startsWith(BEGINNINGS.jpeg)) return jpegSize;
  if (beginning.startsWith(BEGINNINGS.gif)) return gifSize;
  return beginning.startsWith(BEGINNINGS.webp) ? webpSize : null;
}

function sized(width: number, height: number): Size | null {
  return width > 0 && height > 0 ? { width, height } : null;
}

function pngSize(head: Buffer): Size | null {
  return head.length < 24 ? null : sized(head.readUInt32BE(16), head.readUInt32BE(20));
}

function gifSize(head: Buffer): Size | null {
  return head.length < 10 ? null : sized(head.readUInt16LE(6), head.readUInt16LE(8));
}

/** The frame header is the first segment of the kinds C0 to CF but for C4, C8 and CC. */
function jpegSize(head: Buffer): Size | null {
  let at = 2;
  while (at + 9 <= head.length && head[at] === 0xff) {
    const kind = head[at + 1] ?? 0;
    if (kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind)) {
      return sized(head.readUInt16BE(at + 7), head.readUInt16BE(at + 5));
    }
    at += kind === 0xff ? 1 : 2 + head.readUInt16BE(at + 2);
  }
  return null;
}

function webpSize(head: Buffer): Size | null {
  if (head.length < 30) return null;
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return sized(head.readUIntLE(24, 3) + 1, head.readUIntLE(27, 3) + 1);
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return sized((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    default:
      return sized(head.readUInt16LE(26) & 0x3fff, head.readUInt16LE(28) & 0x3fff);
  }
}

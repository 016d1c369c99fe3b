import { type Slice, viewOf } from '../../conversation/index.ts';
import { unreadAt } from './unread.ts';
import { NOTHING, PARTS, WEIGHTS, WIDE } from './weights.ts';

const QUOTE = 0x22;
const COLON = 0x3a;
const SPACE = 0x20;
/** Bytes that are summed up before the sum is put by. */
const STRETCH = 1 << 20;

/**
 * Estimated tokens of JSON as a request carries it, in the measure of Claude 4.7 and later: to be multiplied by the factor
 * of the thread and model. Signatures, ciphertexts and media are not counted by their characters: images count by their
 * size, ciphertexts nothing. In one pass over the bytes, without parsing: JSON that is broken is counted as it stands.
 */
export function estimateBytes(bytes: Uint8Array): number {
  return Math.ceil(partsBetween(viewOf(bytes), 0, bytes.length) / PARTS);
}

/** The same for each of some slices of a body. */
export function estimateSlices(body: Uint8Array, slices: readonly Slice[]): number[] {
  const bytes = viewOf(body);
  return slices.map(({ start, end }) => Math.ceil(partsBetween(bytes, start, end) / PARTS));
}

/** The inner loop only adds: it has nearly all of the bytes, and its whole numbers stay within 32 bits. */
function partsBetween(bytes: Buffer, from: number, to: number): number {
  const weights = WEIGHTS;
  let total = 0;
  let before = NOTHING;
  let at = from;
  while (at < to) {
    const stop = Math.min(to, at + STRETCH);
    let parts = 0;
    let opens = false;
    while (at < stop) {
      const byte = bytes[at] as number;
      parts = (parts + (weights[(before << 8) | byte] as number)) | 0;
      at += 1;
      if (byte === QUOTE) {
        opens = before === COLON || before === SPACE;
        before = byte;
        break;
      }
      before = byte;
    }
    total += parts;
    const unread = opens ? unreadAt(bytes, at - 1, from, to) : null;
    if (unread === null) continue;
    total += unread.tokens * PARTS;
    at = unread.end + 1;
  }
  return total;
}

/**
 * Estimated tokens of a text, in the measure of {@link estimateBytes}. It depends on the text alone, is the same on every
 * machine, and never falls as the text grows at either end.
 */
export function estimateText(text: string): number {
  const weights = WEIGHTS;
  let parts = 0;
  let before = NOTHING;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const isWide = unit >= 0x80;
    parts += isWide ? wideParts(unit) : (weights[(before << 8) | unit] as number);
    before = isWide ? WIDE : unit;
  }
  return Math.ceil(parts / PARTS);
}

/** The weight of a unit outside ASCII: of its first byte in UTF-8; each half of a surrogate pair has half of it. */
function wideParts(unit: number): number {
  if (unit < 0x800) return WEIGHTS[(WIDE << 8) | 0xc0 | (unit >> 6)] as number;
  if (unit >= 0xd800 && unit <= 0xdfff) return (WEIGHTS[(WIDE << 8) | 0xf0] as number) / 2;
  return WEIGHTS[(WIDE << 8) | 0xe0 | (unit >> 12)] as number;
}

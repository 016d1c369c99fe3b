import { type Slice, viewOf } from '../../conversation/index.ts';
import { unreadAt } from './unread.ts';
import { MAY_OPEN, NOTHING, PARTS, WEIGHTS } from './weights.ts';

/** Bytes that are summed up at most before the sum is put by, so that it stays within 32 bits. */
const STRETCH = 1 << 16;

/**
 * Estimated tokens of JSON as a request carries it, in the measure of Claude 4.7 and later: to be multiplied by the factor
 * of the thread and model. Signatures, ciphertexts and media are not counted by their characters: images count by their
 * size, ciphertexts nothing. In one pass over the bytes, without parsing: JSON that is broken is counted as it stands.
 */
export function estimateBytes(bytes: Uint8Array): number {
  return Math.ceil(partsBetween(viewOf(bytes), 0, bytes.length, true) / PARTS);
}

/** The same for a value, as its JSON. */
export function estimateJson(value: unknown): number {
  return estimateBytes(Buffer.from(JSON.stringify(value) ?? '', 'utf8'));
}

/** The same for each of some slices of a body. */
export function estimateSlices(body: Uint8Array, slices: readonly Slice[]): number[] {
  const bytes = viewOf(body);
  return slices.map(({ start, end }) => Math.ceil(partsBetween(bytes, start, end, true) / PARTS));
}

/**
 * Estimated tokens of a text, in the measure of {@link estimateBytes}. It depends on the text alone, is the same on every
 * machine, and never falls as the text grows at either end.
 */
export function estimateText(text: string): number {
  // A surrogate without its other half becomes a character that weighs half of what the pair does.
  const bytes = Buffer.from(text, 'utf8');
  return Math.ceil(partsBetween(bytes, 0, bytes.length, false) / PARTS);
}

/**
 * Most bytes are summed up four at a time, in loops that only add small whole numbers. Four in which a member's string may
 * open are taken one by one.
 */
function partsBetween(bytes: Buffer, from: number, to: number, isJson: boolean): number {
  const weights = WEIGHTS;
  const mayOpen = MAY_OPEN;
  let total = 0;
  let before = NOTHING;
  let at = from;
  while (at < to) {
    const stop = Math.min(to, at + STRETCH) - 3;
    let parts = 0;
    while (at < stop) {
      const one = bytes[at] as number;
      const two = bytes[at + 1] as number;
      const three = bytes[at + 2] as number;
      const four = bytes[at + 3] as number;
      const sum =
        (weights[(before << 8) | one] as number) +
        (weights[(one << 8) | two] as number) +
        (weights[(two << 8) | three] as number) +
        (weights[(three << 8) | four] as number);
      if (sum >= mayOpen) break;
      parts = (parts + sum) | 0;
      before = four;
      at += 4;
    }
    total += parts;
    for (const end = Math.min(to, at + 4); at < end; ) {
      const byte = bytes[at] as number;
      const weight = weights[(before << 8) | byte] as number;
      total += weight & (mayOpen - 1);
      before = byte;
      at += 1;
      const unread = isJson && weight >= mayOpen ? unreadAt(bytes, at - 1, from, to) : null;
      if (unread === null) continue;
      total += unread.tokens * PARTS;
      at = unread.end + 1;
      break;
    }
  }
  return total;
}

import { exactRuns, type Run } from './invisible.ts';

/** Bytes that one line of the exact view holds at most; longer lines go on below under their own offset. */
export const LINE_BYTES = 120;

/**
 * Where the lines of the exact view begin: behind each line feed and after {@link LINE_BYTES}, never inside a character.
 * The last entry is the end of the bytes.
 */
export function lineStarts(bytes: Uint8Array): readonly number[] {
  const starts = [0];
  let start = 0;
  while (start < bytes.length) {
    start = endOfLine(bytes, start);
    starts.push(start);
  }
  return starts;
}

/** Bytes at the beginning of a part that belong to a character which begins before it; 3 at most. */
export function strayBytes(bytes: Uint8Array): number {
  let stray = 0;
  while (stray < 3 && ((bytes[stray] ?? 0) & 0xc0) === 0x80) stray += 1;
  return stray;
}

/** Bytes at the end of a part that belong to a character which goes on behind it; 3 at most. */
export function tornBytes(bytes: Uint8Array): number {
  for (let torn = 1; torn <= Math.min(3, bytes.length); torn += 1) {
    const byte = bytes[bytes.length - torn] ?? 0;
    if ((byte & 0xc0) !== 0x80) return lengthOf(byte) > torn ? torn : 0;
  }
  return 0;
}

function endOfLine(bytes: Uint8Array, start: number): number {
  const limit = Math.min(bytes.length, start + LINE_BYTES);
  for (let at = start; at < limit; at += 1) if (bytes[at] === 0x0a) return at + 1;
  let end = limit;
  while (end > start + 1 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** What bytes say, every character that cannot be seen as a sign. Bytes that are not UTF-8 stand as `\xED`. */
export function byteRuns(bytes: Uint8Array): readonly Run[] {
  try {
    return exactRuns(strict.decode(bytes));
  } catch {
    return brokenRuns(bytes);
  }
}

/** Character by character: what decodes stands, the bytes that do not are shown as numbers. */
function brokenRuns(bytes: Uint8Array): Run[] {
  const runs: Run[] = [];
  let at = 0;
  while (at < bytes.length) {
    const length = lengthOf(bytes[at] ?? 0);
    const part = bytes.subarray(at, at + length);
    try {
      runs.push(...exactRuns(strict.decode(part)));
      at += part.length;
    } catch {
      const hex = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0');
      runs.push({ text: `\\x${hex}`, stands: `byte ${hex}, not UTF-8` });
      at += 1;
    }
  }
  return runs;
}

function lengthOf(lead: number): number {
  if (lead >= 0xf0) return 4;
  if (lead >= 0xe0) return 3;
  return lead >= 0xc0 ? 2 : 1;
}

import { exactRuns, type Run } from './invisible.ts';

/** One line of the exact view: where its bytes begin in the document, and what they say. */
export interface ExactLine {
  readonly offset: number;
  readonly runs: readonly Run[];
}

/** Bytes that one line of the exact view holds at most; longer lines go on below under their own offset. */
export const LINE_BYTES = 120;

/**
 * Cuts bytes into lines that end behind each line feed or after {@link LINE_BYTES}, never inside a character.
 * Bytes that are not UTF-8 stand as `\xED`. `base` is the offset of the first byte in the document.
 */
export function exactLines(bytes: Uint8Array, base = 0): ExactLine[] {
  const lines: ExactLine[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = endOfLine(bytes, start);
    lines.push({ offset: base + start, runs: runsOfBytes(bytes.subarray(start, end)) });
    start = end;
  }
  return lines;
}

function endOfLine(bytes: Uint8Array, start: number): number {
  const limit = Math.min(bytes.length, start + LINE_BYTES);
  for (let at = start; at < limit; at += 1) if (bytes[at] === 0x0a) return at + 1;
  let end = limit;
  while (end > start + 1 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function runsOfBytes(bytes: Uint8Array): Run[] {
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

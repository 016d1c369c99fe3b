/** A chunk at most, in UTF-16 units. */
export const CHUNK = 2000;
/** How much of a chunk the next one repeats, in UTF-16 units. */
export const OVERLAP = 200;
/** How far before its longest end a chunk may end, so that no word is cut. */
const SLACK = 160;

/** A part of a text: `[from, to)` in UTF-16 units, and where it begins in characters (code points). */
export interface Chunk {
  readonly from: number;
  readonly to: number;
  readonly start: number;
}

/**
 * Cuts a text into overlapping chunks: at white space where there is some, never inside a surrogate pair, and in JSON
 * never inside an escape. Together they hold every character; an empty text has one empty chunk.
 */
export function chunksOf(text: string, isJson: boolean): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let from = 0;
  let start = 0;
  for (;;) {
    const to = from + CHUNK >= text.length ? text.length : endOf(text, from + CHUNK, isJson);
    chunks.push({ from, to, start });
    if (to >= text.length) return chunks;
    const next = Math.max(from + 1, beginOf(text, to - OVERLAP, isJson));
    start += charactersBetween(text, from, next);
    from = next;
  }
}

function endOf(text: string, limit: number, isJson: boolean): number {
  for (let at = limit; at > limit - SLACK; at -= 1) {
    if (isSpace(text.charCodeAt(at - 1))) return whole(text, at, isJson);
  }
  return whole(text, limit, isJson);
}

function beginOf(text: string, wanted: number, isJson: boolean): number {
  for (let at = wanted; at > wanted - SLACK; at -= 1) {
    if (isSpace(text.charCodeAt(at - 1))) return whole(text, at, isJson);
  }
  return whole(text, wanted, isJson);
}

/** The nearest place before `at` where neither a surrogate pair nor an escape is cut. */
function whole(text: string, at: number, isJson: boolean): number {
  let cut = at;
  if (isJson) {
    // An escape is at most six units long; its backslash follows an even number of others.
    for (let back = 1; back <= 5; back += 1) {
      const slash = cut - back;
      if (text.charAt(slash) !== '\\' || backslashesBefore(text, slash) % 2 === 1) continue;
      if (slash + (text.charAt(slash + 1) === 'u' ? 6 : 2) > cut) return slash;
      break;
    }
  }
  if (isLow(text.charCodeAt(cut)) && isHigh(text.charCodeAt(cut - 1))) cut -= 1;
  return cut;
}

function backslashesBefore(text: string, at: number): number {
  let count = 0;
  while (text.charAt(at - 1 - count) === '\\') count += 1;
  return count;
}

/** Characters (code points; a lone surrogate is one) of `[from, to)`. */
export function charactersBetween(text: string, from: number, to: number): number {
  let count = to - from;
  for (let at = from + 1; at < to; at += 1) {
    if (isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))) {
      count -= 1;
      at += 1;
    }
  }
  return count;
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0x3000;
}

/** True for the first half of a surrogate pair. */
export function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

/** True for the second half of a surrogate pair. */
export function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

/**
 * A tool call's input is archived as the JSON that was sent. Its words stand behind escapes (`\n`, `\"`, `\u4e2d`), which
 * are undone before words are looked for; where each character came from is kept, so that a place in the one is a place
 * in the other.
 */
export interface Readable {
  readonly text: string;
  /** Where the character at an index of `text` begins in the source; both in UTF-16 units. */
  sourceAt(index: number): number;
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|(.))/gs;
const MEANS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** The text as it is, or with JSON's escapes undone. Broken JSON is read as far as it goes. */
export function readable(source: string, isJson: boolean): Readable {
  if (!isJson || !source.includes('\\')) return { text: source, sourceAt: (index) => index };
  const pieces: string[] = [];
  /** After each escape: how long the text is by then, and where the source goes on. */
  const ends: number[] = [];
  const sources: number[] = [];
  let length = 0;
  let from = 0;
  for (const { 0: whole, 1: hex, 2: letter = '', index } of source.matchAll(ESCAPE)) {
    const means =
      hex === undefined ? (MEANS[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16));
    pieces.push(source.slice(from, index), means);
    length += index - from + means.length;
    from = index + whole.length;
    ends.push(length);
    sources.push(from);
  }
  pieces.push(source.slice(from));
  return {
    text: pieces.join(''),
    sourceAt(index) {
      // The escape that ends at or before the index; one that stands at it begins where the text before it ended.
      const after = lastAtOrBefore(ends, index);
      return after < 0 ? index : (sources[after] ?? 0) + index - (ends[after] ?? 0);
    },
  };
}

function lastAtOrBefore(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

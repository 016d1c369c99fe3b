/** Units that a token has at most, so that the search for an end begins small. */
const UNITS_PER_TOKEN = 16;

/** The longest beginning of a text whose estimate is within `tokens`; a surrogate pair is never parted. */
export function firstWithin(text: string, tokens: number, estimate: (text: string) => number): string {
  const units = longest(text.length, tokens, (count) => estimate(text.slice(0, count)));
  return text.slice(0, parts(text, units) ? units - 1 : units);
}

/** The longest end of a text whose estimate is within `tokens`; a surrogate pair is never parted. */
export function lastWithin(text: string, tokens: number, estimate: (text: string) => number): string {
  const units = longest(text.length, tokens, (count) => estimate(text.slice(text.length - count)));
  const at = text.length - units;
  return text.slice(parts(text, at) ? at + 1 : at);
}

/** The largest number of units whose estimate is within `tokens`. The estimate never falls as units grow. */
function longest(length: number, tokens: number, estimateOf: (units: number) => number): number {
  let [low, high] = [0, Math.min(length, tokens * UNITS_PER_TOKEN)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (estimateOf(middle) <= tokens) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** True if a cut at this place would part a surrogate pair. */
function parts(text: string, at: number): boolean {
  const [before, behind] = [text.charCodeAt(at - 1), text.charCodeAt(at)];
  return before >= 0xd800 && before <= 0xdbff && behind >= 0xdc00 && behind <= 0xdfff;
}

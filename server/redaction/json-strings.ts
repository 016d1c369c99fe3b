/** A string of a JSON text. */
export interface JsonString {
  /** Its place in the text, quotes included. */
  readonly start: number;
  readonly end: number;
  /** False where the text ends inside the string. */
  readonly closed: boolean;
  /** What it reads as. */
  readonly value: string;
}

/** The strings of a text as JSON has them, in order; the last may be cut off by the text's end. Linear in time. */
export function* jsonStrings(json: string): Generator<JsonString> {
  let start = json.indexOf('"');
  while (start !== -1) {
    const quote = closingQuote(json, start + 1);
    const closed = quote !== -1;
    const end = closed ? quote + 1 : json.length;
    yield { start, end, closed, value: decode(json.slice(start + 1, closed ? quote : end)) };
    start = json.indexOf('"', end);
  }
}

function closingQuote(json: string, from: number): number {
  for (let quote = json.indexOf('"', from); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let slashes = quote;
    while (slashes > from && json.charCodeAt(slashes - 1) === BACKSLASH) slashes--;
    if ((quote - slashes) % 2 === 0) return quote;
  }
  return -1;
}

const BACKSLASH = 0x5c;

function decode(raw: string): string {
  if (!raw.includes('\\')) return raw;
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return decodeLoosely(raw);
  }
}

/** What is no escape of JSON's stands for itself. */
function decodeLoosely(raw: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < raw.length; ) {
    const size = unitSize(raw, at);
    pieces.push(size === 1 ? raw.charAt(at) : unitOf(raw.slice(at, at + size)));
    at += size;
  }
  return pieces.join('');
}

function unitOf(written: string): string {
  return written.length === 6
    ? String.fromCharCode(Number.parseInt(written.slice(2), 16))
    : (SHORT.get(written) ?? written.charAt(1));
}

const SHORT: ReadonlyMap<string, string> = new Map([
  ['\\b', '\b'],
  ['\\f', '\f'],
  ['\\n', '\n'],
  ['\\r', '\r'],
  ['\\t', '\t'],
]);

/** Characters of the raw text that stand for one UTF-16 unit of the value. */
function unitSize(raw: string, at: number): 1 | 2 | 6 {
  if (raw.charCodeAt(at) !== BACKSLASH || at + 1 >= raw.length) return 1;
  const next = raw.charAt(at + 1);
  if (next === 'u') return /^[0-9a-fA-F]{4}/.test(raw.slice(at + 2, at + 6)) ? 6 : 1;
  return '"\\/bfnrt'.includes(next) ? 2 : 1;
}

/**
 * Places in the raw text for places in its value, both ascending: where the unit that stands there begins.
 * @param raw what stands between a string's quotes
 */
export function rawPlaces(raw: string, places: readonly number[]): readonly number[] {
  if (!raw.includes('\\')) return places;
  const found: number[] = [];
  let at = 0;
  let unit = 0;
  for (const place of places) {
    for (; unit < place && at < raw.length; unit++) at += unitSize(raw, at);
    found.push(at);
  }
  return found;
}

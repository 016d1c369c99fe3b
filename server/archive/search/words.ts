import { stem } from './stem.ts';
import { isStopWord } from './stop-words.ts';

/**
 * How a text becomes words: the same for what is archived and for what is looked for.
 *
 * A run of letters, digits and `_` is split into its parts (`refundWindow`, `refund_window`, `HTTPServer2`) and kept as a
 * whole too, one of more than two parts also in pairs of them. Runs joined by single hyphens are one more word without them, runs joined by single dots one more with them
 * (`no-cache`, `quota.ts`, `10.0.0.1`). Letters are folded: case, accents, full width. Scripts that write no spaces, and
 * Korean, are cut into overlapping pairs of characters. Very long runs (encoded data) are no words.
 */

/** Changes whenever the words of any text change: an index that was built by another number is built anew. */
export const WORDS_VERSION = 2;

/** A word at its place in a text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** What the index knows it by; null: it stands in the text and not in the index. */
  readonly term: string | null;
  /** Folded, not stemmed. */
  readonly form: string;
  /** Which of the text's smallest words this one is, or begins with. */
  readonly unit: number;
  /** True for the smallest words, of which a phrase is a row; false for wholes and pairs. */
  readonly smallest: boolean;
}

/** A run of more units than this is no word unless its script writes no spaces. */
const LONGEST_RUN = 80;
/** Most runs that hyphens or dots join to one word. */
const LONGEST_CHAIN = 6;
/** Units of a term at most: PostgreSQL refuses index rows of more than 2,704 bytes, and three bytes are a unit at most. */
export const LONGEST_TERM = 500;
/** Units of a character with what is written onto it that are read; what follows them is passed over. */
const LONGEST_CHARACTER = 20;
/** Runs whose parts are remembered; texts repeat their words. */
const REMEMBERED = 60_000;
const REMEMBERED_LENGTH = 40;

const WORD_CHAR = /^[\p{L}\p{N}\p{M}_]$/u;
const ASCII = /^[\x20-\x7f]*$/;
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}\u30fc\u3005\u3006]/u;
/** What is one character with the one before it: marks, the later parts of a Korean syllable, half-width sound marks. */
const JOINS = /[\p{M}\u1160-\u11ff\uff9e\uff9f]/u;
const ID_LIKE = /^(?:0x)?(?=[a-f]*\d)[0-9a-f]+$/i;
const AFTER_APOSTROPHE: ReadonlySet<string> = new Set(['s', 't', 'd', 'm', 'll', 're', 've']);

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly term: string | null;
  readonly form: string;
}

interface Run {
  /** The smallest words in order. */
  readonly pieces: readonly Piece[];
  /** Wholes and pairs, with the piece that each begins at. */
  readonly wholes: readonly (Piece & { readonly at: number })[];
  /** All terms, each once. */
  readonly terms: readonly string[];
  /** The run folded, without `_`. */
  readonly form: string;
}

const remembered = new Map<string, Run>();

/** Calls `take` with each term of the text, as often as it stands there. */
export function eachTerm(text: string, take: (term: string) => void): void {
  walk(
    text,
    (run) => {
      for (const term of run.terms) take(term);
    },
    (_start, _end, form) => take(stem(form)),
  );
}

/** The words of a text in the order in which they begin. */
export function spansOf(text: string): readonly Span[] {
  const spans: Span[] = [];
  let units = 0;
  const unitAt = new Map<number, number>();
  walk(
    text,
    (run, start) => {
      unitAt.set(start, units);
      for (const [at, piece] of run.pieces.entries()) spans.push(spanOf(piece, start, units + at, true));
      for (const whole of run.wholes) spans.push(spanOf(whole, start, units + whole.at, false));
      units += run.pieces.length;
    },
    (start, end, form) =>
      spans.push({ start, end, term: stem(form), form, unit: unitAt.get(start) ?? 0, smallest: false }),
  );
  return spans;
}

/**
 * Those words of a text that the index knows by one of some terms, in the order in which they begin: what
 * {@link spansOf} gives, without the others.
 */
export function spansOfTerms(text: string, wanted: ReadonlyMap<string, unknown>): readonly Span[] {
  const read = readerFor(wanted);
  const spans: Span[] = [];
  let units = 0;
  const unitAt = new Map<number, number>();
  walk(
    text,
    (run, start) => {
      unitAt.set(start, units);
      if (run.terms.some((term) => wanted.has(term))) {
        for (const [at, piece] of run.pieces.entries())
          if (piece.term !== null && wanted.has(piece.term))
            spans.push(spanOf(piece, start, units + at, true));
        for (const whole of run.wholes)
          if (whole.term !== null && wanted.has(whole.term))
            spans.push(spanOf(whole, start, units + whole.at, false));
      }
      units += run.pieces.length;
    },
    (start, end, form) => {
      const term = stem(form);
      if (wanted.has(term))
        spans.push({ start, end, term, form, unit: unitAt.get(start) ?? 0, smallest: false });
    },
    read,
  );
  return spans;
}

/** Runs that hold none of the words that are looked for, by how many parts they have. */
const BLANKS: readonly (readonly Piece[])[] = Array.from({ length: LONGEST_RUN + 1 }, (_, count) =>
  Array.from({ length: count }, () => ({ start: 0, end: 0, term: null, form: '' })),
);

/** Reads runs; of those that cannot hold a wanted term only the number of their parts, which is a fraction of the work. */
function readerFor(wanted: ReadonlyMap<string, unknown>): (word: string) => Run | null {
  // A stem is a beginning of its word, but for a last `i` that may stand for `y`.
  const needles = [...wanted.keys()].map((term) => term.replace(/i$/, '').replace(/[^\p{L}\p{N}]/gu, '\\$&'));
  if (needles.length === 0) return runOf;
  const needle = new RegExp(needles.join('|'), 'i');
  return (word) => {
    const known = remembered.get(word);
    if (known) return known;
    if (word.length > LONGEST_RUN || !ASCII.test(word)) return runOf(word);
    const plain = word.replaceAll('_', '');
    if (needle.test(plain)) return runOf(word);
    const parts = ID_LIKE.test(word) ? 1 : boundsOf(word).length;
    return { pieces: BLANKS[parts] ?? [], wholes: [], terms: [], form: plain.toLowerCase() };
  };
}

function spanOf(piece: Piece, offset: number, unit: number, smallest: boolean): Span {
  return {
    start: offset + piece.start,
    end: offset + piece.end,
    term: piece.term,
    form: piece.form,
    unit,
    smallest,
  };
}

/** A word folded: lower case, without accents, full width as usual width. */
export function fold(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  return word
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replace(/[ßæœøłđðþı]/g, (letter) => LETTERS[letter] ?? letter);
}

const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** True where the text holds a character of a script that writes no spaces, or Korean. */
export function isUnspaced(text: string): boolean {
  return UNSPACED.test(text);
}

interface Link {
  readonly start: number;
  readonly end: number;
  readonly form: string;
}

const HYPHEN = 45;
const DOT = 46;

/** Runs of a text in order, and the words that hyphens and dots make of them. */
function walk(
  text: string,
  take: (run: Run, start: number) => void,
  takeChain: (start: number, end: number, form: string) => void,
  read: (word: string) => Run | null = runOf,
): void {
  let chain: Link[] = [];
  let joint = 0;
  for (let start = runStart(text, 0); start < text.length; ) {
    const end = runEnd(text, start);
    const word = text.slice(start, end);
    const run = isAfterApostrophe(text, start, word) ? null : read(word);
    if (run === null) {
      endChain(chain, joint, takeChain);
      chain = [];
    } else {
      take(run, start);
      const code = text.charCodeAt(end);
      const next = (code === HYPHEN || code === DOT) && widthOfWordChar(text, end + 1) > 0 ? code : 0;
      if (chain.length > 0 || next !== 0) {
        const link = { start, end, form: run.form };
        if (chain.length > 0) chain.push(link);
        if (next !== joint || chain.length === 0) {
          endChain(chain, joint, takeChain);
          chain = next === 0 ? [] : [link];
          joint = next;
        }
      }
    }
    start = runStart(text, end);
  }
}

function endChain(
  chain: readonly Link[],
  joint: number,
  takeChain: (start: number, end: number, form: string) => void,
): void {
  const [first] = chain;
  const last = chain.at(-1);
  const before = chain.at(-2);
  if (!first || !last || !before || chain.length > LONGEST_CHAIN) return;
  const take = (start: number, form: string) => {
    if (form.length <= LONGEST_TERM) takeChain(start, last.end, form);
  };
  take(first.start, chain.map((one) => one.form).join(joint === DOT ? '.' : ''));
  if (joint === DOT && chain.length > 2) take(before.start, `${before.form}.${last.form}`);
}

/** True for what an apostrophe cut off: the `s` of `user's`, the `t` of `don't`. */
function isAfterApostrophe(text: string, start: number, word: string): boolean {
  if (word.length > 2 || start < 2) return false;
  const mark = text.charAt(start - 1);
  return (
    (mark === "'" || mark === '\u2019') &&
    /[\p{L}\p{M}]/u.test(text.charAt(start - 2)) &&
    AFTER_APOSTROPHE.has(word.toLowerCase())
  );
}

function runStart(text: string, from: number): number {
  let at = from;
  while (at < text.length && widthOfWordChar(text, at) === 0) at += 1;
  return at;
}

function runEnd(text: string, start: number): number {
  let at = start;
  for (let width = widthOfWordChar(text, at); width > 0; width = widthOfWordChar(text, at)) at += width;
  return at;
}

/** For each UTF-16 unit: 0 not looked at yet, 1 stands in no word, 2 stands in one. Only these are kept, never a text. */
const unitKinds = new Uint8Array(65_536);

/** How many units the character at a place takes if it is a letter, digit, mark or `_`; else 0. */
function widthOfWordChar(text: string, at: number): number {
  if (at >= text.length) return 0;
  const code = text.charCodeAt(at);
  if (code >= 0xd800 && code <= 0xdbff)
    return WORD_CHAR.test(String.fromCodePoint(text.codePointAt(at) ?? 0)) ? 2 : 0;
  const kind = unitKinds[code] ?? 0;
  if (kind !== 0) return kind - 1;
  const is = WORD_CHAR.test(text.charAt(at));
  unitKinds[code] = is ? 2 : 1;
  return is ? 1 : 0;
}

function runOf(word: string): Run | null {
  const known = remembered.get(word);
  if (known) return known;
  const unspaced = !ASCII.test(word) && UNSPACED.test(word);
  if (word.length > LONGEST_RUN && !unspaced) return null;
  const run = unspaced ? unspacedRun(word) : spacedRun(word);
  if (word.length <= REMEMBERED_LENGTH) {
    if (remembered.size >= REMEMBERED) remembered.clear();
    // A copy of its own: a slice would keep the whole text that it was cut from.
    remembered.set(Buffer.from(word, 'utf16le').toString('utf16le'), run);
  }
  return run;
}

function spacedRun(word: string, offset = 0): Run {
  const pieces = ID_LIKE.test(word)
    ? [pieceOf(word, 0, word.length)]
    : boundsOf(word).map(([start, end]) => pieceOf(word, start, end));
  const form = fold(word.replaceAll('_', ''));
  const wholes: (Piece & { at: number })[] = [];
  if (pieces.length > 1) wholes.push({ start: 0, end: word.length, term: indexed(form), form, at: 0 });
  if (pieces.length > 2 && pieces.length <= LONGEST_CHAIN) {
    for (const [at, piece] of pieces.entries()) {
      const next = pieces[at + 1];
      if (next) wholes.push(asOne(piece, next, at));
    }
  }
  for (const [at, piece] of pieces.entries()) {
    const letters = /^(\D{2,}?)\d+$/.exec(piece.form)?.[1];
    if (letters !== undefined && !ID_LIKE.test(word))
      wholes.push({ ...piece, term: termOf(letters), form: letters, at });
  }
  const moved = (piece: Piece) => ({ ...piece, start: piece.start + offset, end: piece.end + offset });
  return made(
    pieces.map(moved),
    wholes.map((whole) => ({ ...whole, ...moved(whole) })),
    form,
  );
}

/** Two parts of a longer name as one word. */
function asOne(one: Piece, other: Piece, at: number): Piece & { at: number } {
  const form = one.form + other.form;
  return { start: one.start, end: other.end, term: indexed(form), form, at };
}

function made(pieces: readonly Piece[], wholes: readonly (Piece & { at: number })[], form: string): Run {
  const single = pieces.length > 1;
  // A single letter that camel case left over says nothing by itself.
  const kept = pieces.map((piece) =>
    single && /^[a-z]$/.test(piece.form) ? { ...piece, term: null } : piece,
  );
  const terms = [...kept, ...wholes].flatMap(({ term }) => (term === null ? [] : [term]));
  return { pieces: kept, wholes, terms: [...new Set(terms)], form };
}

function pieceOf(word: string, start: number, end: number): Piece {
  const form = fold(word.slice(start, end));
  return { start, end, form, term: termOf(form) };
}

function termOf(form: string): string | null {
  return form === '' || isStopWord(form) ? null : indexed(form);
}

/** What the index knows a form by; null where it is too long for it: some characters fold to many. */
function indexed(form: string): string | null {
  return form.length > LONGEST_TERM ? null : stem(form);
}

/** Where the parts of a name begin and end: at `_`, between small and capital letters, before a letter after digits. */
function boundsOf(word: string): readonly (readonly [number, number])[] {
  const bounds: (readonly [number, number])[] = [];
  let from = 0;
  let before = '';
  let beforeThat = '';
  let at = 0;
  let lastAt = 0;
  const cut = (to: number, next: number) => {
    if (to > from) bounds.push([from, to]);
    from = next;
  };
  for (const char of word) {
    const kind = kindOf(char);
    if (kind === 'mark') {
      at += char.length;
      continue;
    }
    if (kind === '_') cut(at, at + 1);
    else if (kind === 'upper' && (before === 'lower' || before === 'digit')) cut(at, at);
    else if (kind === 'lower' && before === 'digit') cut(at, at);
    else if (kind === 'lower' && before === 'upper' && beforeThat === 'upper') cut(lastAt, lastAt);
    beforeThat = before;
    before = kind;
    lastAt = at;
    at += char.length;
  }
  cut(at, at);
  return bounds;
}

function kindOf(char: string): 'upper' | 'lower' | 'digit' | 'mark' | '_' {
  const code = char.charCodeAt(0);
  if (code < 0x80) {
    if (code >= 97) return 'lower';
    if (code === 95) return '_';
    return code >= 65 ? 'upper' : 'digit';
  }
  if (/\p{M}/u.test(char)) return 'mark';
  if (/\p{Lu}/u.test(char)) return 'upper';
  return /\p{N}/u.test(char) ? 'digit' : 'lower';
}

/** A run with characters of scripts without spaces: these as pairs, the others as usual. */
function unspacedRun(word: string): Run {
  const pieces: Piece[] = [];
  const wholes: (Piece & { at: number })[] = [];
  let line: { start: number; end: number; form: string }[] = [];
  let other = '';
  let at = 0;
  const endLine = () => {
    const first = pieces.length;
    for (const [n, char] of line.entries()) {
      const next = line[n + 1];
      pieces.push({ ...char, term: next ? null : char.form });
      if (next) {
        const form = char.form + next.form;
        wholes.push({ start: char.start, end: next.end, form, term: form, at: first + n });
      }
    }
    line = [];
  };
  const endOther = () => {
    if (other !== '' && other.length <= LONGEST_RUN) {
      const run = spacedRun(other, at - other.length);
      for (const whole of run.wholes) wholes.push({ ...whole, at: whole.at + pieces.length });
      pieces.push(...run.pieces);
    }
    other = '';
  };
  for (const char of word) {
    const last = line.at(-1);
    if (last !== undefined && JOINS.test(char)) {
      last.end = at + char.length;
      if (last.end - last.start <= LONGEST_CHARACTER) last.form = fold(word.slice(last.start, last.end));
    } else if (UNSPACED.test(char)) {
      endOther();
      line.push({ start: at, end: at + char.length, form: fold(char) });
    } else {
      endLine();
      other += char;
    }
    at += char.length;
  }
  endLine();
  endOther();
  const terms = [...pieces, ...wholes].flatMap(({ term }) => (term === null ? [] : [term]));
  return { pieces, wholes, terms, form: fold(word) };
}

import { ASCII, fold, isUnspaced } from './fold.ts';
import { markOf } from './neighbours.ts';
import { stem } from './stem.ts';
import { isStopWord } from './stop-words.ts';

/** A run of more units than this is no word unless its script writes no spaces. */
export const LONGEST_RUN = 80;
/** A name of more parts than this has no words of two parts. */
const MOST_PARTS = 6;
/** Units of a term at most: PostgreSQL refuses index rows of more than 2,704 bytes, and three bytes are a unit at most. */
export const LONGEST_TERM = 500;
/** Units of a character with what is written onto it that are read; what follows them is passed over. */
const LONGEST_CHARACTER = 20;
/** Runs whose parts are remembered; texts repeat their words. */
const REMEMBERED = 60_000;
const REMEMBERED_LENGTH = 40;

/** What is one character with the one before it: marks, the later parts of a Korean syllable, half-width sound marks. */
const JOINS = /[\p{M}\u1160-\u11ff\uff9e\uff9f]/u;
/** A number, also one of hexadecimal digits: one part whatever stands in it. */
export const ID_LIKE = /^(?:0x)?(?=[a-f]*\d)[0-9a-f]+$/i;

/** A word inside its run, in UTF-16 units; `term` is what the index knows it by, null where it does not. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly term: string | null;
  readonly form: string;
}

/** What a run of letters, digits and `_` says: its parts, and the words that they make together. */
export interface Run {
  /** The smallest words in order. */
  readonly pieces: readonly Piece[];
  /** The mark of each of them. */
  readonly marks: readonly number[];
  /** Wholes and pairs, with the piece that each begins at. */
  readonly wholes: readonly (Piece & { readonly at: number })[];
  /** All terms, each once. */
  readonly terms: readonly string[];
  /** The run folded, without `_`; null where it is its small letters. */
  readonly form: string | null;
}

const remembered = new Map<string, Run>();

/** A run read; null where it is too long to be a word. */
export function runOf(word: string): Run | null {
  // Most numbers stand in one place alone: remembering them would cost the words that come again.
  if (word.length <= LONGEST_RUN && ID_LIKE.test(word)) return numberRun(word);
  const known = remembered.get(word);
  if (known) return known;
  const unspaced = !ASCII.test(word) && isUnspaced(word);
  if (word.length > LONGEST_RUN && !unspaced) return null;
  const run = unspaced ? unspacedRun(word) : spacedRun(word);
  if (word.length <= REMEMBERED_LENGTH) {
    if (remembered.size >= REMEMBERED) remembered.clear();
    // A copy of its own: a slice would keep the whole text that it was cut from.
    remembered.set(Buffer.from(word, 'utf16le').toString('utf16le'), run);
  }
  return run;
}

/** A number is one word, whose form is its own term. */
function numberRun(word: string): Run {
  const form = word.toLowerCase();
  const pieces = [{ start: 0, end: word.length, form, term: form }];
  return { pieces, marks: [markOf(form)], wholes: [], terms: [form], form };
}

function spacedRun(word: string, offset = 0): Run {
  const pieces = ID_LIKE.test(word)
    ? [pieceOf(word, 0, word.length)]
    : boundsOf(word).map(([start, end]) => pieceOf(word, start, end));
  const form = fold(word.replaceAll('_', ''));
  const wholes: (Piece & { at: number })[] = [];
  if (pieces.length > 1) wholes.push({ start: 0, end: word.length, term: indexed(form), form, at: 0 });
  if (pieces.length > 2 && pieces.length <= MOST_PARTS) {
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
  return { pieces: kept, marks: marksOf(kept), wholes, terms: [...new Set(terms)], form };
}

function marksOf(pieces: readonly Piece[]): readonly number[] {
  return pieces.map(({ form }) => markOf(form));
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
    } else if (isUnspaced(char)) {
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
  return { pieces, marks: marksOf(pieces), wholes, terms, form: fold(word) };
}

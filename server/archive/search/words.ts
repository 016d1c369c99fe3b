import { before, behind } from './neighbours.ts';
import { LONGEST_TERM, type Piece, type Run, runOf } from './runs.ts';
import { stem } from './stem.ts';
import { isWanted, type RunReader, readerFor, type Wanted } from './wanted.ts';

export { LONGEST_TERM } from './runs.ts';

/**
 * How a text becomes words: the same for what is archived and for what is looked for.
 *
 * A run of letters, digits and `_` is split into its parts (`refundWindow`, `refund_window`, `HTTPServer2`) and kept as a
 * whole too, one of more than two parts also in pairs of them. Runs joined by single hyphens are one more word without
 * them, runs joined by single dots one more with them (`no-cache`, `quota.ts`, `10.0.0.1`). Letters are folded: case, accents, full width. Scripts that write no spaces, and
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

/** Most runs that hyphens or dots join to one word. */
const LONGEST_CHAIN = 6;

const WORD_CHAR = /^[\p{L}\p{N}\p{M}_]$/u;
const AFTER_APOSTROPHE: ReadonlySet<string> = new Set(['s', 't', 'd', 'm', 'll', 're', 've']);

/** A term of a text. */
export interface CountedTerm {
  /** How often it stands there. */
  readonly count: number;
  /** Which words stand beside it, where it is one of the smallest words. */
  readonly neighbours: number;
}

/** The terms of a text, and how many there are, each as often as it stands there. */
export function countTerms(text: string): {
  readonly terms: ReadonlyMap<string, CountedTerm>;
  readonly words: number;
} {
  const counter = new Counter();
  walk(
    text,
    everyRun(text),
    (run) => counter.take(run),
    (_start, _end, form) => counter.takeTerm(stem(form)),
  );
  return { terms: counter.counted(), words: counter.words };
}

type Counting = { -readonly [Key in keyof CountedTerm]: CountedTerm[Key] };

class Counter {
  readonly #terms = new Map<string, Counting>();
  /** Parts that stand for no term in their name: a term of the same letters knows their neighbours too. */
  readonly #parts = new Set<string>();
  #last: Counting | null = null;
  #lastMark = -1;
  words = 0;

  take({ terms, pieces, marks }: Run): void {
    let first: Counting | null = null;
    for (const term of terms) {
      const here = this.takeTerm(term);
      first ??= here;
    }
    for (let at = 0; at < pieces.length; at += 1) {
      const piece = pieces[at];
      if (piece === undefined) continue;
      const { term, form } = piece;
      if (term === null) this.#beside(pieces.length > 1 ? this.#part(form) : null, marks[at] ?? 0);
      else this.#beside(term === terms[0] ? first : (this.#terms.get(term) ?? null), marks[at] ?? 0);
    }
  }

  takeTerm(term: string): Counting {
    const here = this.#of(term);
    here.count += 1;
    this.words += 1;
    return here;
  }

  counted(): ReadonlyMap<string, CountedTerm> {
    for (const form of this.#parts) if (this.#terms.get(form)?.count === 0) this.#terms.delete(form);
    return this.#terms;
  }

  #beside(here: Counting | null, mark: number): void {
    if (this.#last !== null) this.#last.neighbours |= behind(mark);
    if (here !== null && this.#lastMark >= 0) here.neighbours |= before(this.#lastMark);
    this.#last = here;
    this.#lastMark = mark;
  }

  #part(form: string): Counting {
    this.#parts.add(form);
    return this.#of(form);
  }

  #of(term: string): Counting {
    const known = this.#terms.get(term);
    if (known !== undefined) return known;
    const made = { count: 0, neighbours: 0 };
    this.#terms.set(term, made);
    return made;
  }
}

/** The words of a text in the order in which they begin. */
export function spansOf(text: string): readonly Span[] {
  const spans: Span[] = [];
  walk(
    text,
    everyRun(text),
    (run, start, unit) => {
      for (const [at, piece] of run.pieces.entries()) spans.push(spanOf(piece, start, unit + at, true));
      for (const whole of run.wholes) spans.push(spanOf(whole, start, unit + whole.at, false));
    },
    (start, end, form, unit) => spans.push({ start, end, term: stem(form), form, unit, smallest: false }),
  );
  return spans;
}

/** Those words of a text that are asked for, as {@link spansOf} gives them. */
export function spansWanted(text: string, wanted: Wanted): readonly Span[] {
  if (wanted.needles.length === 0) return [];
  const spans: Span[] = [];
  walk(
    text,
    readerFor(text, wanted),
    (run, start, unit) => {
      if (run.form === null) return;
      for (const [at, piece] of run.pieces.entries())
        if (isWanted(wanted, piece.term, piece.form)) spans.push(spanOf(piece, start, unit + at, true));
      for (const whole of run.wholes)
        if (isWanted(wanted, whole.term, whole.form))
          spans.push(spanOf(whole, start, unit + whole.at, false));
    },
    (start, end, form, unit) => {
      if (!wanted.needles.some((needle) => form.startsWith(needle))) return;
      const term = stem(form);
      if (isWanted(wanted, term, form)) spans.push({ start, end, term, form, unit, smallest: false });
    },
  );
  return spans;
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

interface Link {
  readonly start: number;
  readonly end: number;
  readonly form: string;
  readonly unit: number;
}

const HYPHEN = 45;
const DOT = 46;

type TakeChain = (start: number, end: number, form: string, unit: number) => void;

function everyRun(text: string): RunReader {
  return (start, end) => runOf(text.slice(start, end));
}

/** Runs of a text in order with the number of their first unit, and the words that hyphens and dots make of them. */
function walk(
  text: string,
  read: RunReader,
  take: (run: Run, start: number, unit: number) => void,
  takeChain: TakeChain,
): void {
  let chain: Link[] = [];
  let joint = 0;
  let unit = 0;
  for (let start = runStart(text, 0); start < text.length; ) {
    const end = runEnd(text, start);
    const run = isAfterApostrophe(text, start, end) ? null : read(start, end);
    if (run === null) {
      endChain(chain, joint, takeChain);
      chain = [];
    } else {
      take(run, start, unit);
      const code = text.charCodeAt(end);
      const next = (code === HYPHEN || code === DOT) && widthOfWordChar(text, end + 1) > 0 ? code : 0;
      if (chain.length > 0 || next !== 0) {
        const link = { start, end, form: run.form ?? text.slice(start, end).toLowerCase(), unit };
        if (chain.length > 0) chain.push(link);
        if (next !== joint || chain.length === 0) {
          endChain(chain, joint, takeChain);
          chain = next === 0 ? [] : [link];
          joint = next;
        }
      }
      unit += run.pieces.length;
    }
    start = runStart(text, end);
  }
}

function endChain(chain: readonly Link[], joint: number, takeChain: TakeChain): void {
  const [first] = chain;
  const last = chain.at(-1);
  const before = chain.at(-2);
  if (!first || !last || !before || chain.length > LONGEST_CHAIN) return;
  const whole = chain.map((one) => one.form).join(joint === DOT ? '.' : '');
  if (whole.length <= LONGEST_TERM) takeChain(first.start, last.end, whole, first.unit);
  const pair = `${before.form}.${last.form}`;
  if (joint === DOT && chain.length > 2 && pair.length <= LONGEST_TERM)
    takeChain(before.start, last.end, pair, before.unit);
}

/** True for what an apostrophe cut off: the `s` of `user's`, the `t` of `don't`. */
function isAfterApostrophe(text: string, start: number, end: number): boolean {
  if (end - start > 2 || start < 2) return false;
  const mark = text.charAt(start - 1);
  return (
    (mark === "'" || mark === '\u2019') &&
    /[\p{L}\p{M}]/u.test(text.charAt(start - 2)) &&
    AFTER_APOSTROPHE.has(text.slice(start, end).toLowerCase())
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

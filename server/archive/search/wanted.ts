import { ID_LIKE, LONGEST_RUN, type Run, runOf } from './runs.ts';

/** Which words of a text somebody asks for: any of these. */
export interface Wanted {
  /** Words that the index knows by one of these. */
  readonly terms: ReadonlySet<string>;
  /** Words that are one of these, folded. */
  readonly forms: ReadonlySet<string>;
  /** Words that begin with one of these, folded. */
  readonly beginnings: readonly string[];
  /** What each such word begins with, or holds: one of these. */
  readonly needles: readonly string[];
  /** Finds every needle in a text; null where every word may be meant. */
  readonly needle: RegExp | null;
}

/** Prepares to look for words in texts. */
export function wantedOf(
  terms: Iterable<string>,
  forms: Iterable<string> = [],
  beginnings: readonly string[] = [],
): Wanted {
  const wanted = { terms: new Set(terms), forms: new Set(forms), beginnings };
  // A stem is a beginning of its word, but for a last `i` that may stand for `y`.
  const stems = [...wanted.terms].map((term) => term.replace(/i$/, ''));
  const needles = [...new Set([...stems, ...wanted.forms, ...beginnings])];
  const patterns = needles.map((text) => text.replace(/[^\p{L}\p{N}]/gu, '\\$&'));
  return { ...wanted, needles, needle: needles.includes('') ? null : new RegExp(patterns.join('|'), 'gi') };
}

/** True for a word that is asked for. */
export function isWanted(wanted: Wanted, term: string | null, form: string): boolean {
  return (
    (term !== null && wanted.terms.has(term)) ||
    wanted.forms.has(form) ||
    wanted.beginnings.some((beginning) => form.startsWith(beginning))
  );
}

/** Reads the run at a place of a text; null where it is no word. Places must be asked for in ascending order. */
export type RunReader = (start: number, end: number) => Run | null;

/** Runs without any word, by how many parts they have. */
const BLANKS: readonly Run[] = Array.from({ length: LONGEST_RUN + 1 }, (_, count) => ({
  pieces: Array.from({ length: count }, () => ({ start: 0, end: 0, term: null, form: '' })),
  marks: [],
  wholes: [],
  terms: [],
  form: null,
}));

/**
 * Reads the runs of a text for words that are asked for. The text is searched for them as characters first: of the runs
 * that hold none only the number of their parts is counted, which is a fraction of the work.
 */
export function readerFor(text: string, { needle }: Wanted): RunReader {
  if (needle === null) return (start, end) => runOf(text.slice(start, end));
  const hits: number[] = [];
  for (const { index, 0: hit } of text.matchAll(needle)) hits.push(index, index + hit.length);
  let next = 0;
  return (start, end) => {
    while (next < hits.length && (hits[next + 1] ?? 0) <= start) next += 2;
    const parts = (hits[next] ?? Number.POSITIVE_INFINITY) < end ? 0 : partsOf(text, start, end);
    return parts > 0 ? (BLANKS[parts] ?? null) : runOf(text.slice(start, end));
  };
}

const UNDERSCORE = 95;
const DIGIT = 1;
const UPPER = 2;
const LOWER = 3;

/** How many parts a run of plain letters and digits has; 0 for any other, and for one that is too long. */
function partsOf(text: string, start: number, end: number): number {
  if (end - start > LONGEST_RUN) return 0;
  let parts = 1;
  let before = 0;
  let beforeThat = 0;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 0x80 || code === UNDERSCORE) return 0;
    const kind = code >= 97 ? LOWER : code >= 65 ? UPPER : DIGIT;
    if (kind === UPPER ? before === LOWER || before === DIGIT : kind === LOWER && before === DIGIT)
      parts += 1;
    else if (kind === LOWER && before === UPPER && beforeThat === UPPER) parts += 1;
    beforeThat = before;
    before = kind;
  }
  return parts > 1 && ID_LIKE.test(text.slice(start, end)) ? 1 : parts;
}

import { ContextModeError } from '../../kernel/errors.ts';
import { fold, isUnspaced } from './fold.ts';
import { before, behind, markOf } from './neighbours.ts';
import { LONGEST_ENDING, stem } from './stem.ts';
import { type Span, spansOf } from './words.ts';

/** A row of words or characters that must stand in the text as it is. */
export interface Phrase {
  readonly text: string;
  /** True: words in a row, whatever stands between them (`refund window` in `refundWindow`); false: these characters. */
  readonly byWords: boolean;
  /** Its smallest words, folded. */
  readonly forms: readonly string[];
  /** Words of the index that a chunk with the phrase holds, the first of the phrase first. */
  readonly terms: readonly string[];
  /** The same without what may be the end or the beginning of a longer word. */
  readonly innerTerms: readonly string[];
  /**
   * For some of its terms what surely stands beside them, as bits of their postings. None where characters are looked for:
   * in other letters, small or capital, they are other words.
   */
  readonly neighbours: ReadonlyMap<string, number>;
}

/** A beginning that some word of the document must have. */
export interface Prefix {
  readonly form: string;
  /** Words of the index that are shorter than the beginning because their endings were taken off. */
  readonly stems: readonly string[];
}

/** What a query asks for. */
export interface Query {
  /** Any of these; each once. */
  readonly terms: readonly string[];
  /** Each of these. */
  readonly phrases: readonly Phrase[];
  readonly prefixes: readonly Prefix[];
  /** None of these. */
  readonly without: readonly Phrase[];
  /** Where these characters stand, a text ranks before the others; ASCII case ignored. */
  readonly literals: readonly string[];
  /** Pairs of terms that follow each other in the query, as indexes into `terms`. */
  readonly pairs: readonly (readonly [number, number])[];
  /** What a person should know of how the query was read. */
  readonly notes: readonly string[];
}

/** Characters of a query at most: reading one takes a time that grows with the square of its length. */
const LONGEST_QUERY = 4000;

/** A quoted part, a part to leave out, or what stands between white space. */
const PART = /(-?)"([^"]*(?:"(?!\s|$)[^"]*)*)"(?=\s|$)|(\S+)/gu;
/** `-word`; what is shorter, or holds other characters (`-p`, `-crf=23`), is an option of some command. */
const NEGATED = /^-(?:[\p{L}\p{N}\p{M}_]{3,}|[^\p{ASCII}]+)$/u;
const PREFIX = /^(.*?)([\p{L}\p{N}\p{M}_]+)\*$/su;
const PUNCTUATION = /[^\p{L}\p{N}\p{M}\s]/u;
/** What stands around a word in a sentence and is no part of it. */
const AROUND = /^[([{'‘“«¿¡]+|[)\]}'’”».,:;!?…]+$/gu;

/**
 * Reads what a person or a model wrote: words in any order (also a whole question), `"a phrase"`, `-not`, `prefix*`. No
 * punctuation is refused; what is not one of these forms is words and characters.
 * @throws ContextModeError `bad_request` where nothing is looked for, or the text is too long to be a query.
 */
export function parseQuery(q: string): Query {
  const text = q.trim();
  if (text === '') throw refused('The query is empty.', 'Give `q` words, a quoted phrase, or `prefix*`.');
  if (text.length > LONGEST_QUERY) {
    throw refused(
      `The query is longer than ${LONGEST_QUERY.toLocaleString('en')} characters.`,
      'Give the words that matter, or a phrase out of the text that is looked for.',
    );
  }
  const notes: string[] = [];
  const phrases: Phrase[] = [];
  const without: Phrase[] = [];
  const prefixes: Prefix[] = [];
  const plain: string[] = [];
  let strict = false;
  for (const { 1: minus, 2: quoted, 3: word = '' } of text.matchAll(PART)) {
    strict ||= quoted !== undefined || NEGATED.test(word);
    if (quoted !== undefined) {
      if (quoted.trim() !== '') (minus === '-' ? without : phrases).push(phraseOf(quoted.trim()));
      continue;
    }
    const negated = NEGATED.test(word);
    if (negated) {
      without.push(phraseOf(word.slice(1).replace(AROUND, '')));
      notes.push(
        `Documents that hold ${word.slice(1)} are left out; to look for ${word} itself, put it in quotation marks.`,
      );
      continue;
    }
    const prefix = PREFIX.exec(word);
    const begun = prefix?.[2] ?? '';
    if (prefix && ([...begun].length > 1 || isUnspaced(begun))) {
      prefixes.push(prefixOf(begun));
      if ((prefix[1] ?? '') !== '') plain.push(prefix[1] ?? '');
    } else {
      if (word.startsWith('"')) notes.push('A quotation mark that has no partner was read as a character.');
      plain.push(word);
    }
  }
  const words = termsOf(plain.join(' '));
  const single = plain
    .map((word) => word.replace(AROUND, ''))
    .find((word) => isUnspaced(word) && [...word].length === 1);
  if (single !== undefined && words.terms.length < 2) prefixes.push(prefixOf(single));
  const query = {
    ...words,
    phrases,
    without,
    prefixes,
    literals: literalsOf(plain, strict ? '' : text),
    notes,
  };
  if (phrases.length > 0 || prefixes.length > 0 || query.terms.length > 0) return query;
  if (plain.length === 0) {
    throw refused(
      without.length > 0
        ? 'The query only says what to leave out.'
        : 'The query holds nothing between its quotation marks.',
      'Add a word to look for; to look for something that begins with a hyphen, put it in quotation marks.',
    );
  }
  // Only stop words or only punctuation: looked for as the characters that they are.
  return {
    ...query,
    phrases: [
      { ...phraseOf(plain.join(' ')), byWords: false, terms: [], innerTerms: [], neighbours: new Map() },
    ],
  };
}

function refused(message: string, hint: string): ContextModeError {
  return new ContextModeError('bad_request', message, { hint });
}

/** Words in a row that code may write as one. */
const AS_ONE = 4;

/**
 * Terms of plain words, each once, and which follow each other. Pairs of characters overlap and are taken as they come.
 * Words in a row are also looked for as the one name that code may make of them (`refund window`: `refundWindow`).
 */
function termsOf(text: string): Pick<Query, 'terms' | 'pairs'> {
  const terms = new Map<string, number>();
  const pairs: (readonly [number, number])[] = [];
  const row: string[] = [];
  const joined: string[] = [];
  let before: number | null = null;
  for (const { term, form, smallest } of spansOf(text)) {
    if (smallest && term === null) row.length = 0;
    if (term === null || (isUnspaced(term) && [...term].length === 1)) continue;
    const at = terms.get(term) ?? terms.size;
    terms.set(term, at);
    if (!smallest && !isUnspaced(term)) continue;
    if (before !== null && before !== at) pairs.push([before, at]);
    before = at;
    if (isUnspaced(term)) continue;
    row.push(form);
    for (let words = 2; words <= Math.min(AS_ONE, row.length); words += 1)
      joined.push(stem(row.slice(-words).join('')));
  }
  for (const term of joined) if (!terms.has(term)) terms.set(term, terms.size);
  return { terms: [...terms.keys()], pairs };
}

function phraseOf(text: string): Phrase {
  const spans = spansOf(text);
  const forms = spans.filter((span) => span.smallest).map((span) => span.form);
  const last = forms.length - 1;
  const open = spans.filter((span) => span.term !== null);
  const terms = open.filter(
    (span) => !isUnspaced(span.form) || [...span.form].length > 1 || forms.length === 1,
  );
  const byWords = forms.length > 0 && !PUNCTUATION.test(text);
  const smallest = spans.filter((span) => span.smallest);
  return {
    text,
    byWords,
    forms,
    terms: unique(terms.map((span) => span.term ?? '')),
    innerTerms: unique(
      terms
        .filter((span) => span.smallest && span.unit > 0 && span.unit < last)
        .map((span) => span.term ?? ''),
    ),
    neighbours: byWords ? neighboursIn(smallest) : new Map(),
  };
}

/** What words in a row say of each other. Single characters of scripts without spaces have no postings that would tell. */
function neighboursIn(smallest: readonly Span[]): ReadonlyMap<string, number> {
  const bits = new Map<string, number>();
  const say = ({ term, form }: Span, bit: number) => {
    if (term !== null && !isUnspaced(form)) bits.set(term, (bits.get(term) ?? 0) | bit);
  };
  for (const [at, span] of smallest.entries()) {
    const next = smallest[at + 1];
    if (next === undefined) break;
    say(span, behind(markOf(next.form)));
    say(next, before(markOf(span.form)));
  }
  return bits;
}

function prefixOf(word: string): Prefix {
  const form = fold(word.replaceAll('_', ''));
  const stems: string[] = [];
  for (let length = form.length; length >= Math.max(3, form.length - LONGEST_ENDING); length -= 1) {
    const stem = form.slice(0, length);
    stems.push(stem);
    if (stem.endsWith('y')) stems.push(`${stem.slice(0, -1)}i`);
  }
  return { form, stems };
}

/** Parts with punctuation inside them, and the whole query where it has some between its words. */
function literalsOf(plain: readonly string[], whole: string): readonly string[] {
  const parts = plain
    .map((word) => word.replace(AROUND, ''))
    .filter((word) => word.length > 1 && PUNCTUATION.test(word));
  const sentence = whole.replace(AROUND, '');
  return unique(/\s/.test(sentence) && PUNCTUATION.test(sentence) ? [...parts, sentence] : parts);
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

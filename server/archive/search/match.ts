import { fold } from './fold.ts';
import type { Phrase, Prefix, Query } from './query.ts';
import { type Wanted, wantedOf } from './wanted.ts';
import { type Span, spansWanted } from './words.ts';

/** A place in a text that the query asks for, in UTF-16 units, and which word of the query it is (-1: none of them). */
export interface Match {
  readonly start: number;
  readonly end: number;
  readonly term: number;
}

/** What a passage has of what was asked. */
export interface Passage {
  readonly text: string;
  /** In the order of the text; they may touch and overlap. */
  readonly matches: readonly Match[];
  /** The first place where a phrase, a literal or a beginning stands; null where none does. */
  readonly focus: Match | null;
  /** How many of the query's phrases and beginnings stand in this passage, and which beginnings do. */
  readonly strict: number;
  readonly prefixes: readonly boolean[];
  /** How many of the query's literals stand here. */
  readonly literals: number;
  /** How near to each other words stand that follow each other in the query: 0 to 1 for each pair, times its worth. */
  readonly nearness: number;
}

/** Words between which a pair counts as near. */
const NEAR = 8;

/**
 * Looks at a passage of a candidate.
 * @param worth of each of the query's terms: its rarity
 */
export function matchPassage(text: string, query: Query, worth: readonly number[]): Passage {
  const wanted = new Map(query.terms.map((term, at) => [term, at]));
  const spans = spansWanted(text, wordsOf(query));
  const matches: Match[] = [];
  const units: number[][] = query.terms.map(() => []);
  for (const span of spans) {
    const at = span.term === null ? undefined : wanted.get(span.term);
    if (at === undefined) continue;
    matches.push({ start: span.start, end: span.end, term: at });
    units[at]?.push(span.unit);
  }
  const phrases = query.phrases.map((phrase) => placesOf(text, spans, phrase));
  const prefixes = query.prefixes.map((prefix) => beginningsIn(spans, prefix));
  const literals = query.literals.map((literal) => charactersIn(text, literal));
  const strict = [...phrases, ...prefixes];
  const special = [...strict, ...literals].flat().sort(inOrder);
  return {
    text,
    matches: [...matches, ...special].sort(inOrder),
    focus: special[0] ?? null,
    strict: strict.filter((places) => places.length > 0).length,
    prefixes: prefixes.map((places) => places.length > 0),
    literals: literals.filter((places) => places.length > 0).length,
    nearness: nearnessOf(query, units, worth),
  };
}

const askedFor = new WeakMap<Query, Wanted>();

/** The words of a text by which a query's terms, phrases and beginnings are found in it. */
function wordsOf(query: Query): Wanted {
  const known = askedFor.get(query);
  if (known) return known;
  const made = wantedOf(
    query.terms,
    query.phrases.flatMap((phrase) => (phrase.byWords ? phrase.forms : [])),
    query.prefixes.map((prefix) => prefix.form),
  );
  askedFor.set(query, made);
  return made;
}

/** True where a phrase stands in a text. */
export function holdsPhrase(text: string, phrase: Phrase): boolean {
  if (!phrase.byWords) return charactersIn(text, phrase.text).length > 0;
  if (!roughly(phrase).test(fold(text))) return false;
  return placesOf(text, spansWanted(text, wantedOf([], phrase.forms)), phrase).length > 0;
}

const rough = new WeakMap<Phrase, RegExp>();

/** The phrase's words with nothing between them that is part of a word: what does not fit this need not be split. */
function roughly(phrase: Phrase): RegExp {
  const known = rough.get(phrase);
  if (known) return known;
  const gap = "(?:[^\\p{L}\\p{N}]|['\u2019]\\p{L}{1,2}\\P{L})*";
  const made = new RegExp(phrase.forms.map(literally).join(gap), 'u');
  rough.set(phrase, made);
  return made;
}

/** A text as a pattern that only it fits: some characters fold to brackets and full stops. */
function literally(text: string): string {
  return text.replace(/[$()*+./?[\\\]^{|}]/g, '\\$&');
}

function inOrder(one: Match, other: Match): number {
  return one.start - other.start || other.end - one.end;
}

function placesOf(text: string, spans: readonly Span[], phrase: Phrase): readonly Match[] {
  if (!phrase.byWords) return charactersIn(text, phrase.text);
  const smallest = spans.filter((span) => span.smallest);
  const [first, ...rest] = phrase.forms;
  const places: Match[] = [];
  for (const [at, span] of smallest.entries()) {
    if (span.form !== first) continue;
    const follows = (form: string, n: number) => {
      const next = smallest[at + n + 1];
      return next?.form === form && next.unit === span.unit + n + 1;
    };
    if (!rest.every(follows)) continue;
    places.push({ start: span.start, end: smallest[at + rest.length]?.end ?? span.end, term: -1 });
  }
  return places;
}

function beginningsIn(spans: readonly Span[], prefix: Prefix): readonly Match[] {
  return spans.flatMap(({ form, start, end }) =>
    form.startsWith(prefix.form) ? [{ start, end, term: -1 }] : [],
  );
}

function charactersIn(text: string, wanted: string): readonly Match[] {
  const [there, looked] = [lower(text), lower(wanted)];
  const places: Match[] = [];
  for (let at = there.indexOf(looked); at >= 0; at = there.indexOf(looked, at + looked.length))
    places.push({ start: at, end: at + looked.length, term: -1 });
  return places;
}

/** Small letters where that leaves every character in its place. */
function lower(text: string): string {
  const small = text.toLowerCase();
  return small.length === text.length ? small : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function nearnessOf(query: Query, units: readonly (readonly number[])[], worth: readonly number[]): number {
  let sum = 0;
  for (const [one, other] of query.pairs) {
    const distance = nearest(units[one] ?? [], units[other] ?? []);
    if (distance <= NEAR) sum += Math.min(worth[one] ?? 0, worth[other] ?? 0) / Math.max(1, distance);
  }
  return sum;
}

/** The smallest distance between numbers of two ascending lists. */
function nearest(ones: readonly number[], others: readonly number[]): number {
  let smallest = Number.POSITIVE_INFINITY;
  let at = 0;
  for (const one of ones) {
    while (at < others.length - 1 && (others[at + 1] ?? 0) <= one) at += 1;
    for (const other of [others[at], others[at + 1]])
      if (other !== undefined) smallest = Math.min(smallest, Math.abs(one - other));
  }
  return smallest;
}

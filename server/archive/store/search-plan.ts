import type { Uuid } from '../../kernel/ids.ts';
import { eachPosting } from '../search/postings.ts';
import type { Phrase, Query } from '../search/query.ts';
import { MOST_LISTS, type PostingList, rarity } from '../search/rank.ts';
import type { Queryable } from './connection.ts';
import type { TermPostings } from './search-cache.ts';
import { expandPrefix, type Holdings, NEWEST, readPostings } from './search-postings.ts';

/** What a query comes to on an account's index: lists to rank by, and what must hold of a document. */
export interface Plan {
  readonly lists: readonly PostingList[];
  /** Rarity of each of the query's terms, and of each list. */
  readonly worth: readonly number[];
  readonly listWorth: readonly number[];
  /** Bits of lists that a document must be in. */
  readonly required: number;
  /** For each phrase: bits of lists that one chunk must be in to hold it, and how the chunk is found. */
  readonly phrases: readonly PlannedPhrase[];
  /** For each beginning: bits of its list. */
  readonly prefixBits: readonly number[];
  /** Documents that are left out by a single word; phrases to leave out that the text must be asked for. */
  readonly excluded: ReadonlySet<number>;
  readonly without: readonly PlannedPhrase[];
  readonly notes: readonly string[];
  /** Whether nothing can be found this way. */
  readonly empty: boolean;
}

/** A phrase with the bits of the lists that a chunk with it is in. */
export interface PlannedPhrase {
  readonly phrase: Phrase;
  readonly bits: number;
}

/** Which words of phrases lead to them: all, those that are surely whole words, or none (the texts are read). */
export type Way = 'words' | 'inner' | 'scan';

/** Characters of a phrase whose words are looked for in one chunk; what is longer may go on in the next. */
const PHRASE_IN_CHUNK = 180;

/** The ways to go, one after the other until something is found. */
export function waysOf(query: Query): readonly Way[] {
  if (query.phrases.length === 0) return ['words'];
  const partial = query.phrases.some((phrase) => !phrase.byWords);
  const bare = query.phrases.some((phrase) => phrase.terms.length === 0);
  if (bare) return ['scan'];
  if (!partial) return ['words'];
  return query.phrases.every((phrase) => phrase.byWords || phrase.innerTerms.length > 0)
    ? ['words', 'inner', 'scan']
    : ['words', 'scan'];
}

/** The phrase whose characters are looked for by reading texts. */
export function scannedPhrase(query: Query): Phrase | undefined {
  const bare = query.phrases.find((phrase) => phrase.terms.length === 0);
  return bare ?? query.phrases.find((phrase) => !phrase.byWords);
}

/** Reads what the index knows of a query. */
export async function planSearch(
  pool: Queryable,
  accountId: Uuid,
  query: Query,
  totals: Holdings,
  way: Way,
): Promise<Plan> {
  const scanned = way === 'scan' ? scannedPhrase(query) : undefined;
  const needed = query.phrases.map((phrase) => (phrase === scanned ? [] : wordsOf(phrase, way)));
  const expanded = await Promise.all(query.prefixes.map((prefix) => expandPrefix(pool, accountId, prefix)));
  const strictTerms = [...new Set(needed.flat())];
  const [postings, withoutPostings] = await Promise.all([
    readPostings(
      pool,
      accountId,
      [...new Set([...strictTerms, ...query.terms, ...expanded.flatMap((one) => one.terms)])],
      totals,
    ),
    readPostings(
      pool,
      accountId,
      [...new Set(query.without.flatMap((phrase) => phrase.terms))],
      totals,
      true,
    ),
  ]);
  const groups = expanded.map(({ terms }) => joined(terms.map(postings)));
  const free = query.terms.filter((term) => !strictTerms.includes(term) && postings(term).chunks > 0);
  const room = MOST_LISTS - strictTerms.length - groups.length;
  const kept = [...free]
    .sort((one, other) => postings(one).chunks - postings(other).chunks)
    .slice(0, Math.max(0, room));
  const names = [...strictTerms.slice(0, MOST_LISTS), ...kept];
  const lists: PostingList[] = [...names.map(postings), ...groups];
  const bitsOf = (terms: readonly string[]) =>
    terms.reduce((bits, term) => (names.includes(term) ? bits | (1 << names.indexOf(term)) : bits), 0);
  const prefixBits = groups.map((_, at) => 1 << (names.length + at));
  const worthOf = (list: PostingList) => rarity(list.chunks, totals.chunks);
  return {
    lists,
    worth: query.terms.map((term) => worthOf(postings(term))),
    listWorth: lists.map(worthOf),
    required: bitsOf(strictTerms) | prefixBits.reduce((all, bit) => all | bit, 0),
    phrases: query.phrases.map((phrase, at) => ({ phrase, bits: bitsOf(needed[at] ?? []) })),
    prefixBits,
    ...exclusions(query, withoutPostings),
    notes: notesOf(query, names, postings, expanded, free.length - kept.length),
    empty:
      strictTerms.some((term) => postings(term).chunks === 0) ||
      groups.some((group) => group.chunks === 0) ||
      (lists.length === 0 && scanned === undefined),
  };
}

function wordsOf(phrase: Phrase, way: Way): readonly string[] {
  if (way === 'words' || phrase.byWords) {
    if (phrase.text.length <= PHRASE_IN_CHUNK) return phrase.terms;
    return phrase.terms.slice(0, 8);
  }
  return way === 'inner' ? phrase.innerTerms.slice(0, 8) : [];
}

function joined(lists: readonly TermPostings[]): TermPostings {
  return {
    chunks: lists.reduce((sum, list) => sum + list.chunks, 0),
    rows: lists.flatMap((list) => list.rows),
    cut: lists.some((list) => list.cut),
  };
}

function exclusions(
  query: Query,
  postings: (term: string) => TermPostings,
): Pick<Plan, 'excluded' | 'without'> {
  const excluded = new Set<number>();
  const without: PlannedPhrase[] = [];
  for (const phrase of query.without) {
    if (phrase.terms.length === 1 && phrase.forms.length === 1) {
      for (const row of postings(phrase.terms[0] ?? '').rows) eachPosting(row, (doc) => excluded.add(doc));
    } else if (phrase.forms.length > 0) without.push({ phrase, bits: 0 });
  }
  return { excluded, without };
}

function notesOf(
  query: Query,
  names: readonly string[],
  postings: (term: string) => TermPostings,
  expanded: readonly { readonly more: boolean }[],
  dropped: number,
): readonly string[] {
  const notes = [...query.notes];
  for (const term of names) {
    if (postings(term).cut)
      notes.push(
        `The word “${term}” is common: the newest ${NEWEST.toLocaleString('en')} places where it stands were ranked.`,
      );
  }
  for (const [at, { more }] of expanded.entries()) {
    if (more)
      notes.push(
        `More than 200 words begin with “${query.prefixes[at]?.form ?? ''}”: 200 of them were looked for.`,
      );
  }
  if (dropped > 0)
    notes.push(`The query has many words: the ${dropped} most common ones were not ranked by.`);
  return notes;
}

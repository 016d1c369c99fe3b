import type { Uuid } from '../../kernel/ids.ts';
import { chunksWith } from '../search/beside.ts';
import { ASCII } from '../search/fold.ts';
import { documentOf, eachPosting } from '../search/postings.ts';
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
  /** Documents that may hold every phrase, as far as the postings tell; null where they tell nothing. */
  readonly holders: ReadonlySet<number> | null;
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
  /** The chunks that may hold it, as `chunkKey` names them, told by the words beside its words; null where nothing tells. */
  readonly chunks: ReadonlySet<number> | null;
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
  const otherTerms = new Set([...query.terms, ...expanded.flatMap((one) => one.terms)]);
  for (const term of strictTerms) otherTerms.delete(term);
  const [strictPostings, otherPostings, withoutPostings] = await Promise.all([
    readPostings(pool, accountId, strictTerms, totals, 'beside'),
    readPostings(pool, accountId, [...otherTerms], totals),
    readPostings(
      pool,
      accountId,
      [...new Set(query.without.flatMap((phrase) => phrase.terms))],
      totals,
      'whole',
    ),
  ]);
  const postings = (term: string) => (strictTerms.includes(term) ? strictPostings : otherPostings)(term);
  const chunks = query.phrases.map((phrase, at) => chunksOf(phrase, needed[at] ?? [], postings));
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
    phrases: query.phrases.map((phrase, at) => ({
      phrase,
      bits: bitsOf(needed[at] ?? []),
      chunks: chunks[at] ?? null,
    })),
    holders: holdersOf(chunks),
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

/**
 * The chunks that may hold a phrase. Characters beside which other characters stand may hold it where its words do not
 * tell, and a long phrase may go on in the next chunk.
 */
function chunksOf(
  phrase: Phrase,
  terms: readonly string[],
  postings: (term: string) => TermPostings,
): ReadonlySet<number> | null {
  const tells = terms.length > 1 || terms.some((term) => phrase.neighbours.has(term));
  if (!tells || phrase.text.length > PHRASE_IN_CHUNK || !(phrase.byWords || ASCII.test(phrase.text)))
    return null;
  return chunksWith(terms.map((term) => ({ ...postings(term), bits: phrase.neighbours.get(term) ?? 0 })));
}

function holdersOf(phrases: readonly (ReadonlySet<number> | null)[]): ReadonlySet<number> | null {
  const known = phrases.flatMap((chunks) => (chunks === null ? [] : [chunks]));
  const [first, ...others] = known.map((chunks) => new Set(Array.from(chunks, documentOf)));
  if (first === undefined) return null;
  return new Set([...first].filter((doc) => others.every((docs) => docs.has(doc))));
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
    } else if (phrase.forms.length > 0) without.push({ phrase, bits: 0, chunks: null });
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

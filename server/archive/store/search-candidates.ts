import type { Uuid } from '../../kernel/ids.ts';
import { chunkKey } from '../search/postings.ts';
import { bestOf, type Scored, type ScoredChunk, scoreChunks } from '../search/rank.ts';
import type { SearchFilter } from '../types.ts';
import type { Queryable } from './connection.ts';
import { fittingItems, hasFilters } from './search-fit.ts';
import { allFitting } from './search-hits.ts';
import type { Candidate } from './search-look.ts';
import type { Plan } from './search-plan.ts';
import type { Holdings } from './search-postings.ts';
import { fittingPattern, type Sieve, sieveOf } from './search-sieve.ts';

/** Documents that are weighed against each other by their texts: the first so many that fit, then the next. */
const BLOCK = 40;
/** The same where phrases leave few of them over. */
const STRICT_BLOCK = 120;
/** Documents whose place among the filters is asked for at once; each time twice as many. */
const FIRST_ASKED = 60;
/** Without filters nearly all fit: so many more are asked for than are needed. */
const SPARE = 4;
/** How many documents are to be left by sieving, with how many more for safety, and the steps by which that is reached. */
const LEFT = 24;
const SIEVED_SPARE = 1.3;
const SIEVED_MORE = 4;
const MOST_SIEVED = 4_000;
/** After so many of which so small a share fits, the documents that fit are asked for instead. */
const ASKED = 2_000;
const FEW = 0.02;

/** What candidates are looked for with. */
interface Search {
  readonly pool: Queryable;
  readonly accountId: Uuid;
  readonly filter: SearchFilter;
  readonly totals: Holdings;
}

/** Candidates that are weighed against each other. */
export interface Block {
  readonly candidates: readonly Candidate[];
  /** How many documents were looked at by then. */
  readonly looked: number;
}

/** Scores the documents that a query's words lead to, of those that are allowed (null: of all). */
export type Score = (allowed: ReadonlySet<number> | null) => Scored;

/**
 * The documents that fit the filters, best first, in blocks that depend on the query and the filters alone. Candidates
 * are asked for by and by; where too few of them fit, the database names all documents that do.
 * @param byWords false where the texts were read to find the candidates
 */
export async function* fittingBlocks(
  search: Search,
  plan: Plan,
  score: Score,
  byWords: boolean,
): AsyncGenerator<Block> {
  const sieve = byWords ? sieveOf(plan) : null;
  const strict = plan.phrases.length + plan.without.length > 0;
  const size = strict ? STRICT_BLOCK : BLOCK;
  const filtered = hasFilters(search.filter);
  const first = filtered ? Math.max(FIRST_ASKED, size) : size + SPARE;
  let open: readonly Candidate[] = [];
  let looked = 0;
  for await (const some of fitting(search, { plan, score, sieve, strict }, sieve === null ? first : size)) {
    if (sieve !== null) {
      looked += some.asked;
      yield { candidates: some.candidates, looked };
      continue;
    }
    open = [...open, ...some.candidates];
    for (; open.length >= size; open = open.slice(size)) {
      looked += size;
      yield { candidates: open.slice(0, size), looked };
    }
  }
  if (open.length > 0) yield { candidates: open, looked: looked + open.length };
}

interface Way {
  readonly plan: Plan;
  readonly score: Score;
  readonly sieve: Sieve | null;
  readonly strict: boolean;
}

/** The candidates that fit, best first, as many at once as are found by one question. */
async function* fitting(
  search: Search,
  { plan, score, sieve, strict }: Way,
  first: number,
): AsyncGenerator<{ readonly candidates: readonly Candidate[]; readonly asked: number }> {
  const { pool, accountId, filter } = search;
  let known = filter.sessionId !== undefined;
  let scored = score(known ? await allFitting(pool, accountId, filter) : null);
  /** Documents that were asked for before all that fit were named. */
  let before: ReadonlySet<number> = new Set();
  let size = first;
  let asked = 0;
  let checked = 0;
  let fitted = 0;
  while (asked < scored.docs.length) {
    const places = bestOf(scored, asked + size).subarray(asked);
    asked += places.length;
    const named = candidatesAt(search, plan, scored, places).filter(({ doc }) => !before.has(doc));
    const next = sieve === null ? named : await sieved(search, sieve, named);
    const found = await fittingItems(
      pool,
      accountId,
      filter,
      next.map(({ doc, chunks }) => ({ doc, best: strict ? -1 : (chunks[0]?.n ?? -1) })),
    );
    const candidates = next.flatMap((one) => {
      const { items, best } = found.get(one.doc) ?? { items: [], best: null };
      return items.length === 0 ? [] : [{ ...one, items, read: best }];
    });
    checked += next.length;
    fitted += candidates.length;
    yield { candidates, asked: named.length };
    size = sieve === null ? size * 2 : sievedNext(size, asked, fitted);
    if (hasFilters(filter) && !known && checked >= ASKED && fitted < checked * FEW) {
      before = new Set([...bestOf(scored, asked)].map((place) => scored.docs[place] ?? 0));
      scored = score(await allFitting(pool, accountId, filter));
      known = true;
      asked = 0;
    }
  }
}

/**
 * How many documents to sieve next, from the last number and what was left of all of them so far: as many as bring what is
 * left to a page, then a page more each time. It depends on the query and the filters alone, as the order of hits must.
 */
function sievedNext(size: number, asked: number, left: number): number {
  const missing = left < LEFT ? LEFT - left : LEFT;
  const needed = Math.ceil((SIEVED_SPARE * missing * asked) / Math.max(1, left));
  return Math.min(Math.max(STRICT_BLOCK, needed), size * SIEVED_MORE, MOST_SIEVED);
}

type Named = Omit<Candidate, 'items' | 'read'>;

function candidatesAt(
  { totals }: Search,
  { lists }: Plan,
  { docs, scores, holds }: Scored,
  places: Uint32Array,
): readonly Named[] {
  const chunks = scoreChunks(
    lists,
    totals,
    Array.from(places, (place) => docs[place] ?? 0),
  );
  return Array.from(places, (place) => {
    const doc = docs[place] ?? 0;
    return { doc, base: scores[place] ?? 0, holds: holds[place] ?? 0, chunks: chunks.get(doc) ?? [] };
  });
}

/** The candidates that may hold the sieve's phrase. */
async function sieved(
  { pool, accountId }: Search,
  { pattern, bits, chunks: holding }: Sieve,
  named: readonly Named[],
): Promise<readonly Named[]> {
  const may = (doc: number, { n, holds }: ScoredChunk) =>
    (holds & bits) === bits && (holding === null || holding.has(chunkKey(doc, n)));
  const chunks = named.flatMap(({ doc, chunks: some }) =>
    some.filter((chunk) => may(doc, chunk)).map(({ n }) => ({ doc, n })),
  );
  const fitting = await fittingPattern(pool, accountId, chunks, pattern);
  return named.filter(({ doc }) => fitting.has(doc));
}

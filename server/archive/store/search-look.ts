import type { Uuid } from '../../kernel/ids.ts';
import { CHUNK, charactersBetween, OVERLAP } from '../search/chunks.ts';
import { holdsPhrase, matchPassage, type Passage } from '../search/match.ts';
import { chunkKey } from '../search/postings.ts';
import type { Query } from '../search/query.ts';
import type { ScoredChunk } from '../search/rank.ts';
import { readable } from '../search/readable.ts';
import { type Snippet, snippetOf } from '../search/snippet.ts';
import { weigh } from '../search/weigh.ts';
import { sliceCharacters } from '../text.ts';
import type { Queryable } from './connection.ts';
import type { FittingItem, StoredChunk } from './search-fit.ts';
import { readChunks } from './search-hits.ts';
import type { Plan } from './search-plan.ts';

/** A candidate with its base score and the items of it that fit. */
export interface Candidate {
  readonly doc: number;
  readonly base: number;
  /** Bits of the lists that it is in. */
  readonly holds: number;
  readonly items: readonly FittingItem[];
  /** Its chunks that hold words of the query, best first. */
  readonly chunks: readonly ScoredChunk[];
  /** The text of one of them, if it is read already. */
  readonly read: StoredChunk | null;
}

/** A document that is a hit. */
export interface FoundDocument {
  readonly doc: number;
  readonly item: FittingItem;
  readonly passage: Passage;
  readonly snippet: Snippet;
  /** Characters into the item's text at which the match begins. */
  readonly offset: number;
  readonly score: number;
}

/** What candidates are looked at with. */
export interface Look {
  readonly query: Query;
  readonly plan: Plan;
  /** Chunks that were found by reading texts; null where the index led to them. */
  readonly scannedChunks: readonly { readonly doc: number; readonly n: number }[] | null;
}

/** Chunks of one document that are read at once in search of a phrase. */
const AT_ONCE = 24;

/** Reads the texts of a block of candidates, drops those that are no hits, and orders the others. */
export async function lookAt(
  pool: Queryable,
  accountId: Uuid,
  look: Look,
  block: readonly Candidate[],
): Promise<readonly FoundDocument[]> {
  const open = block.map((candidate) => ({
    candidate,
    queue: chunksToRead(look, candidate),
    best: null as Best | null,
    strict: look.query.phrases.map(() => false),
    prefixes: look.query.prefixes.map(() => false),
    banned: false,
  }));
  const strict = look.query.phrases.length + look.query.prefixes.length + look.plan.without.length > 0;
  for (;;) {
    const asked = open.map((one) => (isDone(look, one) ? [] : one.queue.splice(0, strict ? AT_ONCE : 1)));
    const isRead = ({ candidate }: Open, { n }: ScoredChunk) => candidate.read?.n === n;
    const names = open.flatMap((one, at) =>
      (asked[at] ?? [])
        .filter((chunk) => !isRead(one, chunk))
        .map((chunk) => ({ doc: one.candidate.doc, n: chunk.n })),
    );
    if (asked.every((some) => some.length === 0)) break;
    const texts = await readPassages(pool, accountId, names, look.query);
    for (const [at, one] of open.entries()) {
      for (const chunk of asked[at] ?? []) {
        const { read, doc } = one.candidate;
        take(look, one, chunk, isRead(one, chunk) ? (read ?? undefined) : texts.get(chunkKey(doc, chunk.n)));
      }
    }
    if (!strict) break;
  }
  const found = open.flatMap((one) => {
    const hit = hitOf(look, one);
    return hit === null ? [] : [hit];
  });
  return found.sort(
    (one, other) =>
      other.score - one.score || other.item.at.getTime() - one.item.at.getTime() || other.doc - one.doc,
  );
}

interface Best {
  readonly chunk: ScoredChunk;
  readonly stored: StoredChunk;
  readonly item: FittingItem;
  readonly passage: Passage;
  /** Higher where more of what was strictly asked for stands in the passage. */
  readonly rank: number;
}

interface Open {
  readonly candidate: Candidate;
  readonly queue: ScoredChunk[];
  best: Best | null;
  readonly strict: boolean[];
  readonly prefixes: boolean[];
  banned: boolean;
}

/** True where nothing more can be learned of a candidate that would change what is shown of it. */
function isDone({ query, plan }: Look, { banned, best, strict, prefixes }: Open): boolean {
  if (banned) return true;
  if (best === null || plan.without.length > 0) return false;
  const shows = best.passage.strict > 0 || query.phrases.length + query.prefixes.length === 0;
  return shows && strict.every(Boolean) && prefixes.every(Boolean);
}

/** The chunks to read: the best one of those that fit; where phrases are asked for, all that may hold one. */
function chunksToRead(look: Look, candidate: Candidate): ScoredChunk[] {
  const { chunks } = candidate;
  const { plan, scannedChunks } = look;
  if (scannedChunks !== null) {
    const scores = new Map(chunks.map((chunk) => [chunk.n, chunk]));
    return scannedChunks
      .filter((chunk) => chunk.doc === candidate.doc)
      .map(({ n }) => scores.get(n) ?? { n, score: 0, holds: 0 });
  }
  const fitting = chunks.filter((chunk) => itemOf(candidate, chunk.n) !== null);
  const [first] = fitting;
  if (first === undefined) return [];
  const wanted = [...plan.phrases, ...plan.prefixBits.map((bits) => ({ bits, chunks: null }))].filter(
    ({ bits }) => bits !== 0,
  );
  if (wanted.length === 0 && plan.without.length === 0) return [first];
  const holding = chunks.filter(({ n, holds }) =>
    wanted.some(
      ({ bits, chunks: may }) =>
        (holds & bits) === bits && (may === null || may.has(chunkKey(candidate.doc, n))),
    ),
  );
  return [...new Set([first, ...holding, ...(plan.without.length > 0 ? chunks : [])])];
}

function itemOf(candidate: Candidate, n: number): FittingItem | null {
  return candidate.items.find((item) => n >= item.n && (item.until === null || n < item.until)) ?? null;
}

function take(look: Look, one: Open, chunk: ScoredChunk, stored: StoredChunk | undefined): void {
  if (stored === undefined) return;
  const { text } = readable(stored.text, stored.is_call);
  const here = look.query.phrases.map((phrase) => holdsPhrase(text, phrase));
  for (const [at, holds] of here.entries()) one.strict[at] ||= holds;
  if (look.plan.without.some(({ phrase }) => holdsPhrase(text, phrase))) one.banned = true;
  if (here.length > 0 && !here.includes(true)) return;
  const passage = matchPassage(text, look.query, look.plan.worth);
  for (const [at] of look.query.prefixes.entries()) one.prefixes[at] ||= passage.prefixes[at] ?? false;
  const item = itemOf(one.candidate, chunk.n);
  if (item === null) return;
  const rank = passage.strict * 1_000_000 + passage.literals * 1_000 + chunk.score + passage.nearness;
  if (one.best === null || rank > one.best.rank) one.best = { chunk, stored, item, passage, rank };
}

function hitOf(look: Look, one: Open): FoundDocument | null {
  const { best, candidate } = one;
  if (best === null || one.banned || !one.strict.every(Boolean) || !one.prefixes.every(Boolean)) return null;
  const { listWorth, worth } = look.plan;
  const total = listWorth.reduce((sum, value) => sum + value, 0);
  const held = listWorth.reduce(
    (sum, value, at) => ((candidate.holds & (1 << at)) !== 0 ? sum + value : sum),
    0,
  );
  const snippet = snippetOf(best.passage, worth);
  const source = readable(best.stored.text, best.stored.is_call);
  return {
    doc: candidate.doc,
    item: best.item,
    passage: best.passage,
    snippet,
    offset: best.stored.start + charactersBetween(best.stored.text, 0, source.sourceAt(snippet.begin)),
    score: weigh(candidate.base, total === 0 ? 1 : held / total, best.passage, best.item.kind),
  };
}

/** Longest phrase that surely stands whole in one chunk. */
const IN_CHUNK = OVERLAP - 20;

/** The texts of chunks; where a phrase is longer than what chunks share, with as much of what follows as it needs. */
async function readPassages(
  pool: Queryable,
  accountId: Uuid,
  names: readonly { readonly doc: number; readonly n: number }[],
  query: Query,
): Promise<ReadonlyMap<number, StoredChunk>> {
  if (names.length === 0) return new Map();
  const longest = Math.max(0, ...query.phrases.map((phrase) => phrase.text.length));
  const following = longest <= IN_CHUNK ? 0 : Math.ceil((longest * 2) / (CHUNK - 2 * OVERLAP));
  const asked = new Map<number, { doc: number; n: number }>();
  for (const { doc, n } of names) {
    for (let next = n; next <= n + following; next += 1) asked.set(chunkKey(doc, next), { doc, n: next });
  }
  const stored = new Map(
    (await readChunks(pool, accountId, [...asked.values()])).map((chunk) => [
      chunkKey(chunk.doc, chunk.n),
      chunk,
    ]),
  );
  if (following === 0) return stored;
  return new Map(
    names.flatMap(({ doc, n }) => {
      const first = stored.get(chunkKey(doc, n));
      if (first === undefined) return [];
      const joined = Array.from({ length: following }, (_, at) =>
        stored.get(chunkKey(doc, n + at + 1)),
      ).reduce<StoredChunk>((before, next) => (next === undefined ? before : join(before, next)), first);
      return [[chunkKey(doc, n), joined] as const];
    }),
  );
}

/** Two chunks that follow each other in one item as one text; the first where the second begins another item. */
function join(before: StoredChunk, next: StoredChunk): StoredChunk {
  if (next.start <= before.start) return before;
  return { ...before, text: sliceCharacters(before.text, 0, next.start - before.start) + next.text };
}

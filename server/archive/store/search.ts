import { DOC_ID_PREFIX } from '../../conversation/index.ts';
import { plainText } from '../../kernel/column-text.ts';
import { ContextModeError } from '../../kernel/errors.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { parseQuery, type Query } from '../search/query.ts';
import { type Scored, scoreDocuments } from '../search/rank.ts';
import type { DocId, SearchAnswer, SearchFilter, SearchHit } from '../types.ts';
import type { Queryable } from './connection.ts';
import { atLeastOne } from './cursor.ts';
import { MAIN_THREAD_NAME } from './log.ts';
import { fittingBlocks } from './search-candidates.ts';
import { type ShownItem, scanChunks, shownItems } from './search-hits.ts';
import { type FoundDocument, lookAt } from './search-look.ts';
import { type Plan, planSearch, scannedPhrase, type Way, waysOf } from './search-plan.ts';
import { type Holdings, readIndex } from './search-postings.ts';
import { withWaiting } from './search-waiting.ts';
import { MAIN_THREAD } from './threads.ts';
import { millisOf } from './values.ts';

/** Documents whose texts are looked at for a phrase at most. */
const LOOKED_AT = 20_000;
/** Hits that can be paged through. */
const DEEPEST = 1_000;

/**
 * Looks for documents in an account's archive, best first: BM25 over any of the query's words, then, block by block, by
 * what the texts have of it (nearness, exact characters, phrases). The order of a query is the same on every page: its
 * cursor leaves out documents that came after the first page.
 * @throws ContextModeError `bad_request` for a query without anything to look for, or a cursor that no page gave.
 */
export async function search(pool: Queryable, accountId: Uuid, filter: SearchFilter): Promise<SearchAnswer> {
  // Characters that the database cannot hold are looked for as what stands for them in the stored text.
  const query = parseQuery(plainText(filter.q));
  const place = readPlace(filter.cursor);
  const { holdings: totals, waiting } = await readIndex(pool, accountId);
  if (totals === null) return withWaiting({ items: [], next: null, notes: query.notes }, waiting);
  const task: Task = {
    pool,
    accountId,
    filter,
    query,
    totals,
    docs: Math.min(place?.docs ?? totals.docs, totals.docs),
    wanted: (place?.offset ?? 0) + atLeastOne(filter.limit) + 1,
  };
  let outcome: Outcome = { hits: [], notes: query.notes };
  for (const way of waysOf(query)) {
    outcome = await go(task, way);
    if (outcome.hits.length > 0) break;
  }
  return withWaiting(await pageOf(task, place?.offset ?? 0, outcome), waiting);
}

/** What a search is about. */
interface Task {
  readonly pool: Queryable;
  readonly accountId: Uuid;
  readonly filter: SearchFilter;
  readonly query: Query;
  readonly totals: Holdings;
  /** Documents with this number and higher came after the first page. */
  readonly docs: number;
  /** Hits from the first on that the page needs, one more than it shows. */
  readonly wanted: number;
}

interface Outcome {
  readonly hits: readonly FoundDocument[];
  readonly notes: readonly string[];
}

async function go(task: Task, way: Way): Promise<Outcome> {
  const { pool, accountId, query } = task;
  const plan = await planSearch(pool, accountId, query, task.totals, way);
  if (plan.empty) return { hits: [], notes: plan.notes };
  const notes = [...plan.notes];
  let scored: (allowed: ReadonlySet<number> | null) => Scored;
  let scannedChunks: readonly { readonly doc: number; readonly n: number }[] | null = null;
  const phrase = way === 'scan' ? scannedPhrase(query) : undefined;
  if (phrase !== undefined) {
    const scan = await scanChunks(pool, accountId, phrase.text, task.docs, Math.max(200, task.wanted));
    scannedChunks = scan.chunks;
    if (!scan.all)
      notes.push(
        'No word of the index leads to these characters: the newest texts were read through, not all.',
      );
    const only = new Set(scan.chunks.map((chunk) => chunk.doc));
    scored = (allowed) => scoredByScan(plan, task, only, allowed);
  } else {
    scored = (allowed) => scoreWith(plan, task, allowed);
  }
  const hits: FoundDocument[] = [];
  for await (const { candidates, looked } of fittingBlocks(task, plan, scored, scannedChunks === null)) {
    const found = await lookAt(pool, accountId, { query, plan, scannedChunks }, candidates);
    hits.push(...found);
    if (hits.length >= task.wanted) break;
    if (looked >= LOOKED_AT) {
      notes.push(`The ${LOOKED_AT.toLocaleString('en')} best candidates were looked at, not all.`);
      break;
    }
  }
  if (query.literals.length > 0 && hits.length > 0 && hits.every((hit) => hit.passage.literals === 0))
    notes.push(`No text was found that holds “${query.literals[0] ?? ''}” exactly; these hold its words.`);
  return { hits, notes };
}

function scoreWith(plan: Plan, task: Task, allowed: ReadonlySet<number> | null): Scored {
  const { holders } = plan;
  const both =
    holders === null || allowed === null
      ? (holders ?? allowed)
      : new Set([...holders].filter((doc) => allowed.has(doc)));
  return scoreDocuments(plan.lists, task.totals, {
    required: plan.required,
    below: task.docs,
    excluded: plan.excluded,
    allowed: both,
  });
}

/** Documents that were found by reading texts: those that other words rank stand before the others. */
function scoredByScan(
  plan: Plan,
  task: Task,
  only: ReadonlySet<number>,
  allowed: ReadonlySet<number> | null,
): Scored {
  const ranked = scoreDocuments(plan.lists, task.totals, {
    required: plan.required,
    below: task.docs,
    excluded: plan.excluded,
    allowed: only,
  });
  const docs = plan.required === 0 ? [...only] : ranked.docs;
  return {
    ...ranked,
    docs: Uint32Array.from(docs).filter(
      (doc) => !plan.excluded.has(doc) && (allowed === null || allowed.has(doc)),
    ),
  };
}

async function pageOf(task: Task, offset: number, { hits, notes }: Outcome): Promise<SearchAnswer> {
  const limit = atLeastOne(task.filter.limit);
  const found = hits.slice(offset, offset + limit);
  const { pool, accountId, filter } = task;
  const shown = await shownItems(
    pool,
    accountId,
    filter,
    found.map((hit) => hit.item),
  );
  const more = hits.length > offset + limit && offset + limit < DEEPEST;
  return {
    items: found.flatMap((hit) => {
      const item = shown.get(hit.doc);
      return item === undefined ? [] : [hitOf(hit, item)];
    }),
    next: more ? writePlace({ docs: task.docs, offset: offset + limit }) : null,
    notes: [...new Set(notes)],
  };
}

function hitOf({ offset, snippet, score }: FoundDocument, item: ShownItem): SearchHit {
  return {
    docid: `${DOC_ID_PREFIX}${item.call_docid ?? item.docid}` as DocId,
    sessionId: item.session_id,
    seq: item.seq,
    sessionTitle: item.title,
    project: item.project_id === null ? null : { id: item.project_id, name: item.project_name ?? '' },
    thread: item.thread === MAIN_THREAD ? MAIN_THREAD_NAME : item.thread,
    kind: item.kind,
    role: item.role,
    tool: item.tool,
    path: item.path,
    at: millisOf(item.at),
    offset,
    snippet: { text: snippet.text, marks: snippet.marks },
    score,
  };
}

interface Place {
  readonly docs: number;
  readonly offset: number;
}

function writePlace({ docs, offset }: Place): string {
  return Buffer.from(`${docs}.${offset}`).toString('base64url');
}

function readPlace(cursor: string | undefined): Place | null {
  if (cursor === undefined) return null;
  const [, docs, offset] = /^(\d{1,10})\.(\d{1,4})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (docs === undefined || offset === undefined) {
    throw new ContextModeError('bad_request', 'The cursor is not one that a page of a search gave.', {
      hint: 'Leave it out to begin with the best, or pass `next` of the page before as it came.',
    });
  }
  return { docs: Number(docs), offset: Number(offset) };
}

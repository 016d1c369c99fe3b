import type { ItemKind } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { SearchFilter } from '../types.ts';
import { prepared, type Queryable } from './connection.ts';
import { MAIN_THREAD_NAME } from './log.ts';
import { MAIN_THREAD } from './threads.ts';
import { dateOf, plainOrNull } from './values.ts';

/** An item of a document that fits the filters of a search: what it is weighed by. */
export interface FittingItem {
  readonly doc: number;
  /** Its chunks: the first, and the first of the document's next item, if there is one. */
  readonly n: number;
  readonly until: number | null;
  readonly kind: ItemKind;
  /** When the newest event that fits shows it. */
  readonly at: Date;
}

/** A chunk's text as it is archived, of a tool call as JSON. */
export interface StoredChunk {
  readonly doc: number;
  readonly n: number;
  readonly start: number;
  readonly text: string;
  readonly is_call: boolean;
}

/** The filters of a search that the database checks; null: it is not asked for. The order is that of {@link CONDITIONS}. */
export function filterValues(filter: SearchFilter): readonly unknown[] {
  const thread = filter.thread === MAIN_THREAD_NAME ? MAIN_THREAD : filter.thread;
  return [
    filter.sessionId ?? null,
    filter.projectId ?? null,
    plainOrNull(thread ?? null),
    filter.kinds ?? null,
    filter.role ?? null,
    plainOrNull(filter.tool ?? null),
    plainOrNull(filter.path?.replace(/^(?:\.\/)+/, '') ?? null),
    filter.from === undefined ? null : dateOf(filter.from),
    filter.to === undefined ? null : dateOf(filter.to),
  ];
}

/** True where a filter limits which documents can be hits. */
export function hasFilters(filter: SearchFilter): boolean {
  return filterValues(filter).some((value) => value !== null);
}

const ofCall = (column: string) =>
  `COALESCE(i.${column}, (SELECT o.${column} FROM item o WHERE o.account_id = $1 AND o.message_hash = i.call_message
    AND o.position = i.call_position))`;

/** For each filter what it asks of an item `i` or of an event `e` that shows it; `$` stands for its value. */
const CONDITIONS: readonly string[] = [
  'e.session_id = $::uuid',
  `COALESCE((SELECT w.project_id FROM worktree w WHERE w.account_id = $1 AND w.id = e.worktree_id),
    (SELECT s.project_id FROM session s WHERE s.account_id = $1 AND s.id = e.session_id)) = $::uuid`,
  `(SELECT t.client_thread_id FROM thread t WHERE t.account_id = $1 AND t.id = e.thread_id) = $::text`,
  'i.kind = ANY($::text[])',
  '(SELECT m.role FROM message m WHERE m.account_id = $1 AND m.hash = i.message_hash) = $::text',
  `${ofCall('tool_name')} = $::text`,
  `(${ofCall('path')} = $::text
    OR right(${ofCall('path')}, length($::text) + 1) IN ('/' || $::text, E'\\\\' || $::text))`,
  'e.at >= $::timestamptz',
  'e.at < $::timestamptz',
];

/** A candidate that is asked for: its document, and the chunk whose text is to come along (-1: none). */
export interface AskedDocument {
  readonly doc: number;
  readonly best: number;
}

/** What of a candidate fits: its items in the order of their chunks, and the text of the chunk if it is of one of them. */
export interface FittingDocument {
  readonly items: readonly FittingItem[];
  readonly best: StoredChunk | null;
}

/**
 * Every item of some documents, with when an event shows it that fits (null: none does), and the text that is asked for,
 * if it is of that item. Only the filters that are there are checked; a text that is not needed is not fetched.
 */
function statement(accountId: Uuid, filter: SearchFilter, asked: readonly AskedDocument[]) {
  const values: unknown[] = [accountId, asked.map((one) => one.doc), asked.map((one) => one.best)];
  let there = 0;
  const conditions = filterValues(filter).flatMap((value, at) => {
    if (value === null) return [];
    there |= 1 << at;
    values.push(value);
    return [(CONDITIONS[at] ?? '').replaceAll('$::', () => `$${values.length}::`)];
  });
  const text = `
SELECT f.doc, f.n, f.kind, f.at, b.n AS best, b.start,
  CASE WHEN f.at IS NOT NULL AND b.n IS NOT NULL THEN COALESCE(b.text, f.text) END AS text
FROM (
  SELECT c.doc, c.n, d.best, c.message_hash, c.position, i.kind, i.text, (
      SELECT max(e.at) FROM event e
      WHERE ${['e.account_id = $1', 'e.message_hash = i.message_hash', 'e.position = i.position', ...conditions].join(' AND ')}
    ) AS at
  FROM unnest($2::int[], $3::int[]) AS d(doc, best)
  JOIN chunk c ON c.account_id = $1 AND c.doc = d.doc AND c.start = 0
  JOIN item i ON i.account_id = $1 AND i.message_hash = c.message_hash AND i.position = c.position
  OFFSET 0
) f
LEFT JOIN chunk b ON b.account_id = $1 AND b.doc = f.doc AND b.n = f.best
  AND b.message_hash = f.message_hash AND b.position = f.position
ORDER BY f.doc, f.n`;
  return prepared(`search_fit_${there}`, text, values);
}

interface FitRow {
  readonly doc: number;
  readonly n: number;
  readonly kind: ItemKind;
  readonly at: Date | null;
  readonly best: number | null;
  readonly start: number | null;
  readonly text: string | null;
}

/** What of some documents an event shows that fits the filters, by document. */
export async function fittingItems(
  pool: Queryable,
  accountId: Uuid,
  filter: SearchFilter,
  asked: readonly AskedDocument[],
): Promise<ReadonlyMap<number, FittingDocument>> {
  if (asked.length === 0) return new Map();
  const { rows } = await pool.query<FitRow>(statement(accountId, filter, asked));
  const found = new Map<number, { items: FittingItem[]; best: StoredChunk | null }>();
  for (const [place, row] of rows.entries()) {
    const { doc, n, kind, at } = row;
    if (at === null) continue;
    const next = rows[place + 1];
    const fitting = found.get(doc) ?? { items: [], best: null };
    found.set(doc, fitting);
    fitting.items.push({ doc, n, until: next?.doc === doc ? next.n : null, kind, at });
    fitting.best ??= textOf(row);
  }
  return found;
}

function textOf({ doc, best, start, text, kind }: FitRow): StoredChunk | null {
  if (best === null || start === null || text === null) return null;
  return { doc, n: best, start, text, is_call: kind === 'tool_call' };
}

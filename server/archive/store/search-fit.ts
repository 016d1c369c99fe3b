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

/** Every item of some documents, with when an event shows it that fits; null: none does. Only what is asked for is checked. */
function statement(accountId: Uuid, filter: SearchFilter, docs: readonly number[]) {
  const values: unknown[] = [accountId, docs];
  let asked = 0;
  const conditions = filterValues(filter).flatMap((value, at) => {
    if (value === null) return [];
    asked |= 1 << at;
    values.push(value);
    return [(CONDITIONS[at] ?? '').replaceAll('$::', () => `$${values.length}::`)];
  });
  const text = `
SELECT c.doc, c.n, i.kind, (
    SELECT max(e.at) FROM event e
    WHERE ${['e.account_id = $1', 'e.message_hash = i.message_hash', 'e.position = i.position', ...conditions].join(' AND ')}
  ) AS at
FROM unnest($2::int[]) AS d(doc)
JOIN chunk c ON c.account_id = $1 AND c.doc = d.doc AND c.start = 0
JOIN item i ON i.account_id = $1 AND i.message_hash = c.message_hash AND i.position = c.position
ORDER BY c.doc, c.n`;
  return prepared(`search_fit_${asked}`, text, values);
}

/** The items of some documents that an event shows which fits the filters, by document, in the order of their chunks. */
export async function fittingItems(
  pool: Queryable,
  accountId: Uuid,
  filter: SearchFilter,
  docs: readonly number[],
): Promise<ReadonlyMap<number, readonly FittingItem[]>> {
  const { rows } = await pool.query<{ doc: number; n: number; kind: ItemKind; at: Date | null }>(
    statement(accountId, filter, docs),
  );
  const found = new Map<number, FittingItem[]>();
  for (const [place, { doc, n, kind, at }] of rows.entries()) {
    if (at === null) continue;
    const next = rows[place + 1];
    const item = { doc, n, until: next?.doc === doc ? next.n : null, kind, at };
    const items = found.get(doc);
    if (items) items.push(item);
    else found.set(doc, [item]);
  }
  return found;
}

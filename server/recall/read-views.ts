import { DOC_ID_PREFIX, hexOf, type ItemKind, type Role } from '../conversation/index.ts';
import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { ChainMessage, RecallFailures, RequestMark, ShownItem, ShownMessage } from './read-types.ts';
import type { Queryable } from './store/connection.ts';

/** The messages of a request's chain, oldest first, walked from its newest one along the keys. */
export async function readChain(
  pool: Queryable,
  accountId: Uuid,
  requestId: Uuid,
): Promise<readonly ChainMessage[]> {
  const { rows } = await pool.query<{ hash: Buffer; items: number; bytes: string }>(CHAIN, [
    accountId,
    requestId,
  ]);
  return rows.map(({ hash, items, bytes }) => ({ hash: hexOf(hash), items, bytes: Number(bytes) }));
}

/** Joined along the keys whatever the server knows of the tables. */
export const CHAIN = `
WITH RECURSIVE above AS (
  SELECT m.hash, m.parent, 0 AS depth FROM request r
  CROSS JOIN LATERAL (
    SELECT hash, parent FROM message WHERE account_id = $1 AND hash = r.last_message LIMIT 1
  ) m
  WHERE r.account_id = $1 AND r.id = $2
  UNION ALL
  SELECT m.hash, m.parent, above.depth + 1 FROM above CROSS JOIN LATERAL (
    SELECT hash, parent FROM message WHERE account_id = $1 AND hash = above.parent LIMIT 1
  ) m
)
SELECT a.hash, i.items, i.bytes FROM above a CROSS JOIN LATERAL (
  SELECT count(*)::int AS items, coalesce(sum(bytes), 0) AS bytes FROM item
  WHERE account_id = $1 AND message_hash = a.hash
) i ORDER BY a.depth DESC`;

interface ItemRow {
  readonly place: number;
  readonly role: Role;
  readonly seen_at: Date;
  readonly docid: string | null;
  readonly kind: ItemKind;
  readonly tool_name: string | null;
  readonly main_input: string | null;
  readonly is_error: boolean;
  readonly text: string;
  readonly chars: number;
  readonly masked: boolean;
  readonly media: number;
}

/** Messages with their items; those that are not stored are missing. */
export async function readMessages(
  pool: Queryable,
  accountId: Uuid,
  hashes: readonly string[],
  clip: number,
): Promise<readonly ShownMessage[]> {
  const { rows } = await pool.query<ItemRow>(MESSAGES, [
    accountId,
    hashes.map((hash) => Buffer.from(hash, 'hex')),
    clip,
  ]);
  const found = new Map<number, { readonly row: ItemRow; readonly items: ShownItem[] }>();
  for (const row of rows) {
    const message = found.get(row.place) ?? { row, items: [] };
    found.set(row.place, message);
    if (row.docid !== null) message.items.push(itemOf(row));
  }
  return [...found].map(([place, { row, items }]) => ({
    hash: hashes[place - 1] ?? '',
    role: row.role,
    at: row.seen_at.getTime() as Millis,
    items,
  }));
}

const MESSAGES = `
SELECT g.place::int AS place, m.role, m.seen_at, i.docid, i.kind, i.tool_name, i.main_input, i.is_error,
  left(i.text, $3) AS text, i.chars, i.masked,
  (SELECT count(*)::int FROM media f
   WHERE f.account_id = $1 AND f.message_hash = g.hash AND f.position = i.position) AS media
FROM unnest($2::bytea[]) WITH ORDINALITY AS g(hash, place)
CROSS JOIN LATERAL (SELECT role, seen_at FROM message WHERE account_id = $1 AND hash = g.hash LIMIT 1) m
LEFT JOIN LATERAL (
  SELECT * FROM item WHERE account_id = $1 AND message_hash = g.hash ORDER BY position
) i ON true
ORDER BY g.place, i.position`;

function itemOf(row: ItemRow): ShownItem {
  return {
    docid: `${DOC_ID_PREFIX}${row.docid}`,
    kind: row.kind,
    tool: row.tool_name,
    mainInput: row.main_input,
    isError: row.is_error,
    text: row.text,
    length: row.chars,
    masked: row.masked,
    media: row.media,
  };
}

/** What lists say about requests that have a view. */
export async function readMarks(
  pool: Queryable,
  accountId: Uuid,
  requestIds: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, RequestMark>> {
  if (requestIds.length === 0) return new Map();
  const { rows } = await pool.query<{ id: Uuid } & RequestMark>(
    `SELECT id, json_array_length(view->'runs') > 0 AS edited, view->>'made' AS made,
       view->'unedited'->>'reason' AS unedited
     FROM request WHERE account_id = $1 AND id = ANY($2::uuid[]) AND view IS NOT NULL`,
    [accountId, requestIds],
  );
  return new Map(rows.map(({ id, ...mark }) => [id, mark]));
}

/** Requests since a moment that went out as they came because a step failed. */
export async function readFailures(pool: Queryable, accountId: Uuid, since: Millis): Promise<RecallFailures> {
  const { rows } = await pool.query<{
    id: Uuid;
    received_at: Date;
    reason: string;
    detail: string | null;
    count: number;
  }>(
    `SELECT id, received_at, view->'unedited'->>'reason' AS reason, view->'unedited'->>'detail' AS detail,
       (count(*) OVER ())::int AS count
     FROM request WHERE account_id = $1 AND received_at >= $2 AND view->>'unedited' IS NOT NULL
     ORDER BY received_at DESC, id DESC LIMIT 1`,
    [accountId, new Date(since)],
  );
  const [row] = rows;
  if (row === undefined) return { count: 0, newest: null };
  const { id, received_at, reason, detail, count } = row;
  return {
    count,
    newest: { requestId: id, at: received_at.getTime() as Millis, reason, detail: detail ?? '' },
  };
}

import type { ItemKind, Role } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { SearchFilter } from '../types.ts';
import { prepared, type Queryable } from './connection.ts';
import { type FittingItem, filterValues, type StoredChunk } from './search-fit.ts';

/** An item of a document, as the newest event that fits the filters shows it. */
export interface ShownItem {
  readonly doc: number;
  /** Its first chunk. */
  readonly n: number;
  readonly docid: string;
  /** Of a result that no newer one replaced: its call, by whose name it is known. */
  readonly call_docid: string | null;
  readonly kind: ItemKind;
  readonly role: Role;
  readonly tool: string | null;
  readonly path: string | null;
  readonly session_id: Uuid;
  readonly seq: number;
  readonly at: Date;
  readonly title: string;
  readonly thread: string;
  readonly project_id: Uuid | null;
  readonly project_name: string | null;
}

/** The filters as a statement has them that knows them all: `$1` is the account, they are `$2` to `$10`. */
const EVENT_FITS = `
  ($2::uuid IS NULL OR e.session_id = $2) AND ($4::text IS NULL OR t.client_thread_id = $4)
  AND ($9::timestamptz IS NULL OR e.at >= $9) AND ($10::timestamptz IS NULL OR e.at < $10)
  AND ($3::uuid IS NULL OR COALESCE(w.project_id, s.project_id) = $3)`;

const ITEM_FITS = `
  ($5::text[] IS NULL OR i.kind = ANY($5)) AND ($6::text IS NULL OR m.role = $6)
  AND ($7::text IS NULL OR COALESCE(i.tool_name, o.tool_name) = $7)
  AND ($8::text IS NULL OR COALESCE(i.path, o.path) = $8
    OR right(COALESCE(i.path, o.path), length($8) + 1) IN ('/' || $8, E'\\\\' || $8))`;

/** An item with its message and, of a result, its call; an event with its place. */
const ITEM_JOINS = `
  JOIN item i ON i.account_id = $1 AND i.message_hash = c.message_hash AND i.position = c.position
  JOIN message m ON m.account_id = $1 AND m.hash = i.message_hash
  LEFT JOIN item o ON o.account_id = $1 AND o.message_hash = i.call_message AND o.position = i.call_position`;
const EVENT_JOINS = `
  JOIN session s ON s.account_id = $1 AND s.id = e.session_id
  JOIN thread t ON t.account_id = $1 AND t.id = e.thread_id
  LEFT JOIN worktree w ON w.account_id = $1 AND w.id = e.worktree_id`;

const CALL_DOCID = `
  CASE WHEN i.kind = 'tool_result' AND i.docid = (
    SELECT n.docid FROM item n JOIN message nm ON nm.account_id = $1 AND nm.hash = n.message_hash
    WHERE n.account_id = $1 AND n.call_message = i.call_message AND n.call_position = i.call_position
    ORDER BY nm.seen_at DESC, n.message_hash DESC, n.position DESC LIMIT 1
  ) THEN o.docid END`;

const SHOWN = `
SELECT c.doc, c.n, i.docid, ${CALL_DOCID} AS call_docid, i.kind, m.role, COALESCE(i.tool_name, o.tool_name) AS tool, COALESCE(i.path, o.path) AS path,
  e.session_id, e.seq, e.at, e.title, e.thread, e.project_id, p.name AS project_name
FROM unnest($11::int[], $12::int[]) AS d(doc, n)
JOIN chunk c ON c.account_id = $1 AND c.doc = d.doc AND c.n = d.n
${ITEM_JOINS}
CROSS JOIN LATERAL (
  SELECT e.session_id, e.seq, e.at, s.title, t.client_thread_id AS thread,
    COALESCE(w.project_id, s.project_id) AS project_id
  FROM event e ${EVENT_JOINS}
  WHERE e.account_id = $1 AND e.message_hash = i.message_hash AND e.position = i.position AND ${EVENT_FITS}
  ORDER BY e.at DESC, e.session_id LIMIT 1
) e
LEFT JOIN project p ON p.account_id = $1 AND p.id = e.project_id
WHERE ${ITEM_FITS}`;

/** What is shown of some items, by their documents. What is gone meanwhile is left out. */
export async function shownItems(
  pool: Queryable,
  accountId: Uuid,
  filter: SearchFilter,
  items: readonly FittingItem[],
): Promise<ReadonlyMap<number, ShownItem>> {
  if (items.length === 0) return new Map();
  const { rows } = await pool.query<ShownItem>(
    prepared('search_shown', SHOWN, [
      accountId,
      ...filterValues(filter),
      items.map((item) => item.doc),
      items.map((item) => item.n),
    ]),
  );
  return new Map(rows.map((row) => [row.doc, row]));
}

/** Every document of the account that fits the filters, without regard to words. */
export async function allFitting(
  pool: Queryable,
  accountId: Uuid,
  filter: SearchFilter,
): Promise<ReadonlySet<number>> {
  const { rows } = await pool.query<{ docs: number[] | null }>(
    `SELECT array_agg(DISTINCT c.doc) AS docs
     FROM event e ${EVENT_JOINS}
     JOIN chunk c ON c.account_id = $1 AND c.message_hash = e.message_hash AND c.position = e.position AND c.start = 0
     ${ITEM_JOINS}
     WHERE e.account_id = $1 AND ${EVENT_FITS} AND ${ITEM_FITS}`,
    [accountId, ...filterValues(filter)],
  );
  return new Set(rows[0]?.docs ?? []);
}

/**
 * The texts of some chunks. What is gone meanwhile is left out. Each is looked up by itself: for some thousands the server
 * would read the whole table of chunks otherwise.
 */
export async function readChunks(
  pool: Queryable,
  accountId: Uuid,
  chunks: readonly { readonly doc: number; readonly n: number }[],
): Promise<readonly StoredChunk[]> {
  const { rows } = await pool.query<StoredChunk>(
    prepared(
      'search_texts',
      `SELECT t.* FROM unnest($2::int[], $3::int[]) AS g(doc, n)
       CROSS JOIN LATERAL (
         SELECT c.doc, c.n, c.start, COALESCE(c.text, i.text) AS text, i.kind = 'tool_call' AS is_call FROM chunk c
         JOIN item i ON i.account_id = $1 AND i.message_hash = c.message_hash AND i.position = c.position
         WHERE c.account_id = $1 AND c.doc = g.doc AND c.n = g.n OFFSET 0
       ) t`,
      [accountId, chunks.map((chunk) => chunk.doc), chunks.map((chunk) => chunk.n)],
    ),
  );
  return rows;
}

/** Chunks that are looked through at once where no word of the index leads to what is looked for, and in all. */
const SCAN = 20_000;
const SCAN_LIMIT = 100_000;

/** The newest chunks that hold some characters, found by reading the texts. */
export async function scanChunks(
  pool: Queryable,
  accountId: Uuid,
  wanted: string,
  docsBelow: number,
  enough: number,
): Promise<{
  readonly chunks: readonly { readonly doc: number; readonly n: number }[];
  readonly all: boolean;
}> {
  const inJson = JSON.stringify(wanted).slice(1, -1);
  const found: { doc: number; n: number }[] = [];
  let [doc, n] = [docsBelow, 0];
  for (let scanned = 0; scanned < SCAN_LIMIT; scanned += SCAN) {
    const { rows } = await pool.query<{ doc: number; n: number; hit: boolean }>(SCAN_TEXTS, [
      accountId,
      doc,
      n,
      wanted,
      inJson,
    ]);
    found.push(...rows.filter((row) => row.hit));
    const last = rows.find((row) => !row.hit);
    if (last === undefined) return { chunks: found, all: true };
    if (found.length >= enough) return { chunks: found, all: false };
    [doc, n] = [last.doc, last.n];
  }
  return { chunks: found, all: false };
}

/** The hits among the next chunks, newest first, and at last where to go on (not a hit) if there may be more. */
const SCAN_TEXTS = `
WITH piece AS MATERIALIZED (
  SELECT c.doc, c.n, lower(COALESCE(c.text, i.text)) AS text
  FROM (SELECT * FROM chunk WHERE account_id = $1 AND (doc, n) < ($2, $3) ORDER BY doc DESC, n DESC LIMIT ${SCAN}) c
  JOIN item i ON i.account_id = $1 AND i.message_hash = c.message_hash AND i.position = c.position
)
(SELECT doc, n, true AS hit FROM piece WHERE strpos(text, lower($4)) > 0 OR strpos(text, lower($5)) > 0
 ORDER BY doc DESC, n DESC)
UNION ALL
(SELECT doc, n, false FROM piece WHERE (SELECT count(*) FROM piece) = ${SCAN} ORDER BY doc, n LIMIT 1)`;

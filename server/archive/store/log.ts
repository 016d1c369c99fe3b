import { DOC_ID_PREFIX, type Role } from '../../conversation/index.ts';
import { plainText } from '../../kernel/column-text.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { decodeText, sliceCharacters } from '../text.ts';
import type { ArchiveReader, DocId, LogMatches, LogRow } from '../types.ts';
import { prepared, type Queryable } from './connection.ts';
import { atLeastOne } from './cursor.ts';
import { MAIN_THREAD } from './threads.ts';
import { type Big, millisOf, numberOrNull } from './values.ts';

/** What the main line is called where threads are named. */
export const MAIN_THREAD_NAME = 'main';

const INT_MAX = 2_147_483_647;

interface StoredRow {
  readonly seq: number;
  readonly at: Date;
  readonly kind: LogRow['kind'];
  readonly role: Role | null;
  readonly thread: string | null;
  readonly docid: string | null;
  readonly tool_name: string | null;
  readonly main_input: string | null;
  readonly body: string | null;
  readonly exact: Buffer | null;
  readonly chars: number | null;
  readonly duration_ms: Big | null;
  readonly data: LogRow['data'];
  readonly media: number;
  readonly call_id: string | null;
  readonly is_error: boolean | null;
}

/**
 * What is shown of the events `e`: `$3` characters of each body; of a text that PostgreSQL cannot hold, enough of its
 * bytes (`$4`) for as many characters. The item is looked up for each event, however many a plan expects: `OFFSET 0` keeps
 * the planner from reading all items for some.
 */
const ROWS = `
SELECT e.seq, e.at, e.kind, i.role, t.client_thread_id AS thread, i.docid, i.tool_name, i.main_input, i.body, i.exact,
  i.chars, e.duration_ms, e.data, i.call_id, i.is_error,
  (SELECT count(*)::int FROM media f
   WHERE f.account_id = e.account_id AND f.message_hash = e.message_hash AND f.position = e.position) AS media`;
const ROW_JOINS = `
LEFT JOIN thread t ON t.account_id = e.account_id AND t.id = e.thread_id
LEFT JOIN LATERAL (
  SELECT m.role, i.docid, i.tool_name, i.main_input, left(i.text, $3::int) AS body,
    substring(i.exact FROM 1 FOR $4::int) AS exact, i.chars, i.call_id, i.is_error
  FROM item i JOIN message m ON m.account_id = i.account_id AND m.hash = i.message_hash
  WHERE i.account_id = e.account_id AND i.message_hash = e.message_hash AND i.position = e.position OFFSET 0
) i ON true`;

/** The rows of a page of positions. */
const rowsOf = (page: string) => `
${ROWS}, page.matched
FROM (${page}) page
CROSS JOIN LATERAL (SELECT * FROM event WHERE account_id = $1 AND session_id = $2 AND seq = page.seq OFFSET 0) e
${ROW_JOINS}
ORDER BY page.seq`;

/**
 * The rows of a session's log between two positions (both left out), oldest first; with more matches than `limit` the
 * newest. `match` is a LIKE pattern (`%`, `_`) that is looked for anywhere in text, tool name, main input and the facts
 * of marks; ASCII letters match in either case. A backslash is an ordinary character. With `matchMode` `literal` it is
 * looked for as {@link findMatches} does.
 */
export async function readLog(
  pool: Queryable,
  accountId: Uuid,
  sessionId: Uuid,
  filter: Parameters<ArchiveReader['readLog']>[2],
): Promise<{ readonly matched: number; readonly showing: number; readonly rows: readonly LogRow[] }> {
  const clip = Math.min(Math.max(0, Math.trunc(filter.clip)), INT_MAX);
  const limit = atLeastOne(filter.limit);
  const values = [
    accountId,
    sessionId,
    clip,
    bytesFor(clip),
    clampSeq(filter.after ?? 0),
    clampSeq(filter.before ?? INT_MAX),
    limit,
  ];
  const { match, kinds } = filter;
  const literal = filter.matchMode === 'literal';
  // What is looked for is told to the planner each time: it prepares the comparison once in place of once a row.
  const { rows } = await pool.query<StoredRow & { readonly matched: number }>(
    match === undefined && kinds === undefined
      ? prepared('log_page', PAGE, values)
      : {
          text: MATCHING_PAGE,
          values: [
            ...values,
            kinds ?? null,
            match === undefined || literal ? null : `%${plainText(match)}%`,
            match !== undefined && literal ? plainText(match) : null,
          ],
        },
  );
  return {
    matched: rows[0]?.matched ?? 0,
    showing: rows.length,
    rows: rows.map((row) => logRowOf(row, clip)),
  };
}

/** Positions have no gaps, so that without a filter they are counted without being read. */
const PAGE = rowsOf(`
  SELECT e.seq, GREATEST(0, LEAST($6::int, s.next_seq) - GREATEST($5::int, 0) - 1) AS matched
  FROM event e JOIN session s ON s.account_id = e.account_id AND s.id = e.session_id
  WHERE e.account_id = $1 AND e.session_id = $2 AND e.seq > $5 AND e.seq < $6
  ORDER BY e.seq DESC LIMIT $7`);

/**
 * What is looked through word for word, in small letters: of an item its text and the tool's name, of a mark its facts. A
 * text of one byte a character is ASCII; such a one is made small byte by byte, several times faster, where the database's
 * language treats ASCII letters alike (in Turkish the capital of i is another).
 */
const LOWERED = `concat_ws(E'\\n', lower(i.tool_name),
  CASE WHEN i.exact IS NULL AND i.bytes = i.chars AND lower('I') = 'i' THEN lower(i.text COLLATE "C")
    ELSE lower(i.text) END, lower(e.data::text))`;

const MATCHING_PAGE = rowsOf(`
  SELECT e.seq, (count(*) OVER ())::int AS matched
  FROM event e
  LEFT JOIN item i ON i.account_id = e.account_id AND i.message_hash = e.message_hash AND i.position = e.position
  WHERE e.account_id = $1 AND e.session_id = $2 AND e.seq > $5 AND e.seq < $6
    AND ($8::text[] IS NULL OR e.kind = ANY($8))
    AND ($9::text IS NULL
      OR lower(i.text COLLATE "C") LIKE lower($9 COLLATE "C") ESCAPE ''
      OR lower(concat_ws(E'\\n', i.tool_name, i.main_input, e.data::text) COLLATE "C") LIKE lower($9 COLLATE "C") ESCAPE '')
    AND ($10::text IS NULL OR strpos(${LOWERED}, lower($10)) > 0)
  ORDER BY e.seq DESC LIMIT $7`);

/**
 * Where a text stands in a session's log: as it is written, letters of any language in either case where the database
 * knows how; in texts, names of tools and the facts of marks. It may overlap nothing of itself: `aa` stands once in `aaa`.
 */
export async function findMatches(
  pool: Queryable,
  accountId: Uuid,
  sessionId: Uuid,
  filter: Parameters<ArchiveReader['findMatches']>[2],
): Promise<LogMatches> {
  if (filter.text === '') return { total: 0, matched: 0, items: [] };
  const { rows } = await pool.query<{
    seq: number;
    docid: string | null;
    count: number;
    matched: number;
    total: Big;
  }>(PLACES, [
    accountId,
    sessionId,
    clampSeq(filter.after ?? 0),
    plainText(filter.text),
    atLeastOne(filter.limit),
  ]);
  return {
    total: Number(rows[0]?.total ?? 0),
    matched: rows[0]?.matched ?? 0,
    items: rows.map(({ seq, docid, count }) => ({
      seq,
      docid: docid === null ? null : (`${DOC_ID_PREFIX}${docid}` as DocId),
      count,
    })),
  };
}

/** `OFFSET 0`: a text is made small once, and what is counted together are numbers without their texts. */
const PLACES = `
SELECT seq, docid, count, (count(*) OVER ())::int AS matched, (sum(count) OVER ())::bigint AS total
FROM (
  SELECT e.seq, i.docid,
    (octet_length(here.text) - octet_length(replace(here.text, lower($4), ''))) / octet_length(lower($4)) AS count
  FROM event e
  LEFT JOIN item i ON i.account_id = e.account_id AND i.message_hash = e.message_hash AND i.position = e.position
  CROSS JOIN LATERAL (SELECT ${LOWERED} AS text OFFSET 0) here
  WHERE e.account_id = $1 AND e.session_id = $2 AND e.seq > $3 AND strpos(here.text, lower($4)) > 0
  OFFSET 0
) found
ORDER BY seq LIMIT $5`;

const EVENT = `${ROWS} FROM event e ${ROW_JOINS} WHERE e.account_id = $1 AND e.session_id = $2 AND e.seq = $5`;

/** The event at one position with its whole body, or null. */
export async function readEvent(
  pool: Queryable,
  accountId: Uuid,
  sessionId: Uuid,
  seq: number,
): Promise<LogRow | null> {
  if (!Number.isInteger(seq) || seq < 1 || seq > INT_MAX) return null;
  const { rows } = await pool.query<StoredRow>(
    prepared('log_event', EVENT, [accountId, sessionId, INT_MAX, INT_MAX, seq]),
  );
  const [row] = rows;
  return row ? logRowOf(row, INT_MAX) : null;
}

function clampSeq(seq: number): number {
  return Number.isFinite(seq) ? Math.min(Math.max(0, Math.trunc(seq)), INT_MAX) : INT_MAX;
}

/** Bytes of generalised UTF-8 that hold at least `characters` characters. */
function bytesFor(characters: number): number {
  return Math.min(characters * 4, INT_MAX);
}

function logRowOf(row: StoredRow, clip: number): LogRow {
  const body = row.exact === null ? (row.body ?? '') : sliceCharacters(decodeText(row.exact), 0, clip);
  return {
    seq: row.seq,
    at: millisOf(row.at),
    kind: row.kind,
    role: row.role,
    thread: row.thread === null || row.thread === MAIN_THREAD ? MAIN_THREAD_NAME : row.thread,
    docid: row.docid === null ? null : (`${DOC_ID_PREFIX}${row.docid}` as DocId),
    tool: row.tool_name,
    mainInput: row.main_input,
    body,
    length: row.chars ?? 0,
    durationMs: numberOrNull(row.duration_ms),
    data: row.data,
    media: row.media,
    callId: row.call_id,
    isError: row.is_error ?? false,
  };
}

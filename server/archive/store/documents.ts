import type { Uuid } from '../../kernel/ids.ts';
import { decodeText, sliceCharacters, textOf } from '../text.ts';
import type { ArchiveReader, Document } from '../types.ts';
import { prepared, type Queryable } from './connection.ts';
import { type FileRead, fileState } from './file-state.ts';
import { docIdFrom, type FoundDocument, findDocument } from './find-document.ts';
import { type Big, millisOf, numberOrNull } from './values.ts';

/** Sessions that a document names at most. */
const SESSIONS = 20;
/** Files of one document whose later changes are looked for at most. */
const FILES = 50;
const INT_MAX = 2_147_483_647;
/** SHA-256 of no bytes. */
const HASH_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Reads a document from a character on. The id may be a prefix that no other id of the account shares. */
export async function readDocument(
  pool: Queryable,
  accountId: Uuid,
  docid: string,
  part: { readonly offset?: number; readonly length?: number },
): ReturnType<ArchiveReader['readDocument']> {
  const named = await findDocument(pool, accountId, docid);
  if (!('found' in named)) return named;
  const { found } = named;
  const { lead, told } = found;
  const offset = Math.min(Math.max(0, Math.trunc(part.offset ?? 0)), INT_MAX);
  const length = Math.min(Math.max(0, Math.trunc(part.length ?? INT_MAX)), INT_MAX);
  const row = await readRow(pool, accountId, found, offset, length);
  if (row === null) return { missing: true };
  const chars = told?.chars ?? 0;
  const end = Math.min(chars, offset + length);
  const isCall = lead.kind === 'tool_call';
  return {
    found: {
      docid: found.docid,
      kind: lead.kind,
      role: lead.role,
      tool: lead.tool_name,
      input: isCall ? textOf({ text: row.input_text ?? '', exact: row.input_exact }) : null,
      text: row.exact === null ? (row.part ?? '') : sliceCharacters(decodeText(row.exact), offset, length),
      sha256: row.sha256 ?? HASH_OF_NOTHING,
      offset,
      length: chars,
      nextOffset: end < chars ? end : null,
      bytes: Number(told?.bytes ?? 0),
      at: millisOf(row.at),
      durationMs: numberOrNull(row.duration_ms),
      sessionId: row.session_id,
      seq: row.seq,
      resultSeq: isCall && told !== null ? row.last_seq : null,
      place: row.path === null ? null : { project: row.project ?? '', path: row.path, branch: row.branch },
      masked: lead.masked || (told?.masked ?? false),
      confirmed: lead.confirmed === true && (told === null || told.confirmed === true),
      media: row.media ?? [],
      ...(told?.kind === 'tool_result' ? await fileState(pool, accountId, row.reads ?? []) : {}),
      sessions: { total: row.total, items: row.sessions },
      previous: placeOf(row.previous_seq, row.previous_docid),
      next: placeOf(row.next_seq, row.next_docid),
    },
  };
}

/** The exact stored bytes of a document's text in generalised UTF-8; null where the id names no one document. */
export async function readRaw(pool: Queryable, accountId: Uuid, docid: string): Promise<Uint8Array | null> {
  const answer = await readBytes(pool, accountId, docid, { offset: 0, length: INT_MAX });
  return 'found' in answer ? answer.found.bytes : null;
}

/** A part of the exact stored bytes of a document's text, cut out by the database. */
export async function readBytes(
  pool: Queryable,
  accountId: Uuid,
  docid: string,
  part: { readonly offset: number; readonly length: number },
): ReturnType<ArchiveReader['readBytes']> {
  const named = await findDocument(pool, accountId, docid);
  if (!('found' in named)) return named;
  const { told, docid: whole } = named.found;
  if (told === null) return { found: { docid: whole, bytes: Buffer.alloc(0), total: 0 } };
  const total = Number(told.bytes);
  const offset = Math.min(Math.max(0, Math.trunc(part.offset)), total);
  const length = Math.min(Math.max(0, Math.trunc(part.length)), total - offset);
  const { rows } = await pool.query<{ bytes: Buffer }>(
    `SELECT substring(${BYTES} FROM $4 FOR $5) AS bytes FROM item i
     WHERE i.account_id = $1 AND i.message_hash = $2 AND i.position = $3`,
    [accountId, told.message_hash, told.position, offset + 1, length],
  );
  const [row] = rows;
  return row === undefined ? { missing: true } : { found: { docid: whole, bytes: row.bytes, total } };
}

const BYTES = "COALESCE(i.exact, convert_to(i.text, 'UTF8'))";

/** Binary content by its hash in hex, or null. */
export async function readBlob(
  pool: Queryable,
  accountId: Uuid,
  hash: string,
): Promise<{ readonly mime: string; readonly bytes: Uint8Array } | null> {
  if (!/^[0-9a-f]{64}$/.test(hash)) return null;
  const { rows } = await pool.query<{ mime: string; bytes: Buffer }>(
    'SELECT mime, bytes FROM blob WHERE account_id = $1 AND hash = $2',
    [accountId, Buffer.from(hash, 'hex')],
  );
  return rows[0] ?? null;
}

/** What a document's own row and what stands around it say. */
interface DocumentRow {
  readonly session_id: Uuid;
  readonly seq: number;
  readonly last_seq: number;
  readonly at: Date;
  readonly duration_ms: Big | null;
  readonly total: number;
  readonly project: string | null;
  readonly path: string | null;
  readonly branch: string | null;
  readonly part: string | null;
  readonly exact: Buffer | null;
  readonly sha256: string | null;
  readonly input_text: string | null;
  readonly input_exact: Buffer | null;
  readonly sessions: Document['sessions']['items'];
  readonly media: Document['media'] | null;
  readonly reads: readonly FileRead[] | null;
  readonly previous_seq: number | null;
  readonly previous_docid: string | null;
  readonly next_seq: number | null;
  readonly next_docid: string | null;
}

/** A document beside one. A result stands with its call and is none of its own. */
const BESIDE = (name: 'previous' | 'next') => `
LEFT JOIN LATERAL (
  SELECT e.seq, i.docid FROM event e
  JOIN item i ON i.account_id = e.account_id AND i.message_hash = e.message_hash AND i.position = e.position
  WHERE e.account_id = $1 AND e.session_id = f.session_id AND e.seq ${name === 'previous' ? '<' : '>'} f.seq
    AND (i.kind <> 'tool_result' OR i.call_message IS NULL)
  ORDER BY e.seq ${name === 'previous' ? 'DESC' : ''} LIMIT 1
) ${name} ON true`;

/**
 * All of a document in one row: the way to the database and back takes longer than any part of it. `$2`, `$3`: what its
 * text is; `$4`, `$5`: the call that leads it, or the same. The database cuts and hashes the text (`$6`, `$7`; with `$8`
 * false there is none), so that no other call waits for it. The input is that of a call (`$9`).
 */
const DOCUMENT = `
WITH held AS MATERIALIZED (
  SELECT e.session_id, s.title, COALESCE(c.seq, e.seq) AS seq, e.seq AS last_seq, COALESCE(c.at, e.at) AS at,
    e.duration_ms, e.worktree_id, (count(*) OVER ())::int AS total,
    row_number() OVER (ORDER BY e.at, s.started_at, e.session_id) AS n
  FROM event e
  JOIN session s ON s.account_id = e.account_id AND s.id = e.session_id
  LEFT JOIN event c ON c.account_id = $1 AND c.session_id = e.session_id AND c.message_hash = $4 AND c.position = $5
  WHERE e.account_id = $1 AND e.message_hash = $2 AND e.position = $3
  ORDER BY e.at, s.started_at, e.session_id LIMIT ${SESSIONS}
)
SELECT f.session_id, f.seq, f.last_seq, f.at, f.duration_ms, f.total, p.name AS project, w.path, w.branch,
  t.part, t.exact, t.sha256, o.text AS input_text, o.exact AS input_exact,
  (SELECT json_agg(json_build_object('sessionId', h.session_id, 'title', h.title, 'seq', h.seq) ORDER BY h.n)
   FROM held h) AS sessions,
  (SELECT json_agg(json_build_object('hash', encode(m.blob_hash, 'hex'), 'mime', m.mime, 'bytes', b.size)
     ORDER BY g.place, m.n)
   FROM (SELECT $4::bytea, $5::int, 1 UNION SELECT $2, $3, CASE WHEN $2 = $4 AND $3 = $5 THEN 1 ELSE 2 END)
     AS g(hash, position, place)
   JOIN media m ON m.account_id = $1 AND m.message_hash = g.hash AND m.position = g.position
   JOIN blob b ON b.account_id = $1 AND b.hash = m.blob_hash) AS media,
  (SELECT json_agg(json_build_object('worktreeId', r.worktree_id, 'path', r.path, 'at', r.at, 'seq', r.seq) ORDER BY r.n)
   FROM (SELECT * FROM file_touch WHERE account_id = $1 AND message_hash = $2 AND position = $3 AND kind = 'read'
     ORDER BY n LIMIT ${FILES}) r) AS reads,
  previous.seq AS previous_seq, previous.docid AS previous_docid, next.seq AS next_seq, next.docid AS next_docid
FROM held f
LEFT JOIN worktree w ON w.account_id = $1 AND w.id = f.worktree_id
LEFT JOIN project p ON p.account_id = w.account_id AND p.id = w.project_id
LEFT JOIN LATERAL (
  SELECT CASE WHEN i.exact IS NULL THEN substr(i.text, $6::int, $7::int) END AS part, i.exact,
    encode(sha256(${BYTES}), 'hex') AS sha256
  FROM item i WHERE $8::boolean AND i.account_id = $1 AND i.message_hash = $2 AND i.position = $3
) t ON true
LEFT JOIN item o ON $9::boolean AND o.account_id = $1 AND o.message_hash = $4 AND o.position = $5
${BESIDE('previous')}${BESIDE('next')}
WHERE f.n = 1`;

/** Null: no log holds the document. Its place is the one in the first session that does. */
async function readRow(
  pool: Queryable,
  accountId: Uuid,
  { lead, told }: FoundDocument,
  offset: number,
  length: number,
): Promise<DocumentRow | null> {
  const last = told ?? lead;
  const { rows } = await pool.query<DocumentRow>(
    prepared('document', DOCUMENT, [
      accountId,
      last.message_hash,
      last.position,
      lead.message_hash,
      lead.position,
      Math.min(offset, last.chars) + 1,
      Math.min(length, last.chars),
      told !== null,
      lead.kind === 'tool_call',
    ]),
  );
  return rows[0] ?? null;
}

function placeOf(seq: number | null, docid: string | null): Document['next'] {
  return seq === null || docid === null ? null : { docid: docIdFrom(docid), seq };
}

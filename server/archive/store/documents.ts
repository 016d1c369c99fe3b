import { hexOf } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { decodeText, sliceCharacters, textOf } from '../text.ts';
import type { ArchiveReader, Document } from '../types.ts';
import type { Queryable } from './connection.ts';
import { fileState } from './file-state.ts';
import { docIdFrom, type FoundDocument, findDocument, type StoredItem } from './find-document.ts';
import { type Big, millisOf, numberOrNull } from './values.ts';

/** Sessions that a document names at most. */
const SESSIONS = 20;
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
  const seen = await firstSeen(pool, accountId, found);
  if (seen === null) return { missing: true };
  const offset = Math.min(Math.max(0, Math.trunc(part.offset ?? 0)), INT_MAX);
  const length = Math.min(Math.max(0, Math.trunc(part.length ?? INT_MAX)), INT_MAX);
  const chars = told?.chars ?? 0;
  const read =
    told === null
      ? { text: '', sha256: HASH_OF_NOTHING }
      : await readText(pool, accountId, told, offset, length);
  const end = Math.min(chars, offset + length);
  return {
    found: {
      docid: found.docid,
      kind: lead.kind,
      role: lead.role,
      tool: lead.tool_name,
      input: lead.kind === 'tool_call' ? await inputOf(pool, accountId, lead) : null,
      ...read,
      offset,
      length: chars,
      nextOffset: end < chars ? end : null,
      bytes: Number(told?.bytes ?? 0),
      ...seen,
      masked: lead.masked || (told?.masked ?? false),
      confirmed: lead.confirmed === true && (told === null || told.confirmed === true),
      media: await readMedia(pool, accountId, found),
      ...(told === null ? {} : await fileState(pool, accountId, told)),
      sessions: await sessionsOf(pool, accountId, found),
      ...(await neighbours(pool, accountId, seen.sessionId, seen.seq)),
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

/** A part of an item's text and the hash of the whole. The database cuts and hashes, so that no other call waits for it. */
async function readText(
  pool: Queryable,
  accountId: Uuid,
  item: StoredItem,
  offset: number,
  length: number,
): Promise<Pick<Document, 'text' | 'sha256'>> {
  const { rows } = await pool.query<{ part: string | null; exact: Buffer | null; sha256: string }>(
    `SELECT CASE WHEN i.exact IS NULL THEN substr(i.text, $4, $5) END AS part, i.exact,
       encode(sha256(${BYTES}), 'hex') AS sha256
     FROM item i WHERE i.account_id = $1 AND i.message_hash = $2 AND i.position = $3`,
    [
      accountId,
      item.message_hash,
      item.position,
      Math.min(offset, item.chars) + 1,
      Math.min(length, item.chars),
    ],
  );
  const [row] = rows;
  if (row === undefined) return { text: '', sha256: HASH_OF_NOTHING };
  const text = row.exact === null ? (row.part ?? '') : sliceCharacters(decodeText(row.exact), offset, length);
  return { text, sha256: row.sha256 };
}

async function inputOf(pool: Queryable, accountId: Uuid, call: StoredItem): Promise<string> {
  const { rows } = await pool.query<{ text: string; exact: Buffer | null }>(
    'SELECT text, exact FROM item WHERE account_id = $1 AND message_hash = $2 AND position = $3',
    [accountId, call.message_hash, call.position],
  );
  const [row] = rows;
  return row === undefined ? '' : textOf(row);
}

type Seen = Pick<Document, 'at' | 'durationMs' | 'sessionId' | 'seq' | 'resultSeq' | 'place'>;

/** The first session whose log holds the document, and where it stands there; null: no log holds it. */
async function firstSeen(
  pool: Queryable,
  accountId: Uuid,
  { lead, told }: FoundDocument,
): Promise<Seen | null> {
  const last = told ?? lead;
  const { rows } = await pool.query<{
    session_id: Uuid;
    seq: number;
    last_seq: number;
    at: Date;
    duration_ms: Big | null;
    project: string | null;
    path: string | null;
    branch: string | null;
  }>(
    `SELECT e.session_id, COALESCE(c.seq, e.seq) AS seq, e.seq AS last_seq, COALESCE(c.at, e.at) AS at, e.duration_ms,
       p.name AS project, w.path, w.branch
     FROM event e
     JOIN session s ON s.account_id = e.account_id AND s.id = e.session_id
     LEFT JOIN event c ON c.account_id = $1 AND c.session_id = e.session_id AND c.message_hash = $4 AND c.position = $5
     LEFT JOIN worktree w ON w.account_id = e.account_id AND w.id = e.worktree_id
     LEFT JOIN project p ON p.account_id = w.account_id AND p.id = w.project_id
     WHERE e.account_id = $1 AND e.message_hash = $2 AND e.position = $3
     ORDER BY e.at, s.started_at, e.session_id LIMIT 1`,
    [accountId, last.message_hash, last.position, lead.message_hash, lead.position],
  );
  const [row] = rows;
  if (!row) return null;
  return {
    at: millisOf(row.at),
    durationMs: numberOrNull(row.duration_ms),
    sessionId: row.session_id,
    seq: row.seq,
    resultSeq: lead.kind === 'tool_call' && told !== null ? row.last_seq : null,
    place: row.path === null ? null : { project: row.project ?? '', path: row.path, branch: row.branch },
  };
}

async function sessionsOf(
  pool: Queryable,
  accountId: Uuid,
  { lead, told }: FoundDocument,
): Promise<Document['sessions']> {
  const last = told ?? lead;
  const { rows } = await pool.query<{ id: Uuid; title: string; seq: number; total: number }>(
    `SELECT s.id, s.title, COALESCE(c.seq, e.seq) AS seq, (count(*) OVER ())::int AS total
     FROM event e
     JOIN session s ON s.account_id = e.account_id AND s.id = e.session_id
     LEFT JOIN event c ON c.account_id = $1 AND c.session_id = e.session_id AND c.message_hash = $4 AND c.position = $5
     WHERE e.account_id = $1 AND e.message_hash = $2 AND e.position = $3
     ORDER BY e.at, s.started_at, e.session_id LIMIT ${SESSIONS}`,
    [accountId, last.message_hash, last.position, lead.message_hash, lead.position],
  );
  return {
    total: rows[0]?.total ?? 0,
    items: rows.map((row) => ({ sessionId: row.id, title: row.title, seq: row.seq })),
  };
}

/** The documents next to a log position. A result stands with its call and is none of its own. */
async function neighbours(
  pool: Queryable,
  accountId: Uuid,
  sessionId: Uuid,
  seq: number,
): Promise<Pick<Document, 'previous' | 'next'>> {
  const beside = (before: boolean) => `(
    SELECT ${before} AS before, e.seq, i.docid FROM event e
    JOIN item i ON i.account_id = e.account_id AND i.message_hash = e.message_hash AND i.position = e.position
    WHERE e.account_id = $1 AND e.session_id = $2 AND e.seq ${before ? '<' : '>'} $3
      AND (i.kind <> 'tool_result' OR i.call_message IS NULL)
    ORDER BY e.seq ${before ? 'DESC' : ''} LIMIT 1)`;
  const { rows } = await pool.query<{ before: boolean; seq: number; docid: string }>(
    `${beside(true)} UNION ALL ${beside(false)}`,
    [accountId, sessionId, seq],
  );
  const at = (before: boolean) => {
    const row = rows.find((one) => one.before === before);
    return row === undefined ? null : { docid: docIdFrom(row.docid), seq: row.seq };
  };
  return { previous: at(true), next: at(false) };
}

async function readMedia(
  pool: Queryable,
  accountId: Uuid,
  { lead, told }: FoundDocument,
): Promise<Document['media']> {
  const items = told === null || told.docid === lead.docid ? [lead] : [lead, told];
  const { rows } = await pool.query<{ hash: Buffer; mime: string; size: Big }>(
    `SELECT f.blob_hash AS hash, f.mime, b.size
     FROM unnest($2::bytea[], $3::int[]) WITH ORDINALITY AS g(hash, position, place)
     JOIN media f ON f.account_id = $1 AND f.message_hash = g.hash AND f.position = g.position
     JOIN blob b ON b.account_id = $1 AND b.hash = f.blob_hash
     ORDER BY g.place, f.n`,
    [accountId, items.map((one) => one.message_hash), items.map((one) => one.position)],
  );
  return rows.map((row) => ({ hash: hexOf(row.hash), mime: row.mime, bytes: Number(row.size) }));
}

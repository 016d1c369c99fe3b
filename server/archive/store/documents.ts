import { createHash } from 'node:crypto';
import { DOC_ID_PREFIX, hexOf, type ItemKind, type Role } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { encodeText, sliceCharacters, textOf } from '../text.ts';
import type { ArchiveReader, DocId, Document } from '../types.ts';
import type { Queryable } from './connection.ts';
import { type Big, millisOf, numberOrNull } from './values.ts';

/** Candidates that an ambiguous prefix is answered with at most. */
const CANDIDATES = 20;

interface StoredItem {
  readonly message_hash: Buffer;
  readonly position: number;
  readonly docid: string;
  readonly kind: ItemKind;
  readonly role: Role;
  readonly tool_name: string | null;
  readonly text: string;
  readonly exact: Buffer | null;
  readonly chars: number;
  readonly bytes: Big;
  readonly masked: boolean;
  readonly confirmed: boolean | null;
  readonly call_message: Buffer | null;
  readonly call_position: number | null;
}

const ITEM = `
SELECT i.message_hash, i.position, i.docid, i.kind, m.role, i.tool_name, i.text, i.exact, i.chars, i.bytes, i.masked,
  i.confirmed, i.call_message, i.call_position
FROM item i JOIN message m ON m.account_id = i.account_id AND m.hash = i.message_hash
WHERE i.account_id = $1`;

/** An item, or a tool call with the result that is read with it. */
interface Found {
  /** What the document is an id of: the call where there is one. */
  readonly lead: StoredItem;
  /** What the document's text is: the result of a call; null where it has none yet. */
  readonly told: StoredItem | null;
  readonly docid: DocId;
}

/** Reads a document from a character on. The id may be a prefix that no other id of the account shares. */
export async function readDocument(
  pool: Queryable,
  accountId: Uuid,
  docid: string,
  part: { readonly offset?: number; readonly length?: number },
): ReturnType<ArchiveReader['readDocument']> {
  const named = await findItem(pool, accountId, docid);
  if (named === null) return { missing: true };
  if ('ambiguous' in named) return named;
  const found = await whole(pool, accountId, named);
  const seen = await firstSeen(pool, accountId, found);
  if (seen === null) return { missing: true };
  const { lead, told } = found;
  const text = told === null ? '' : textOf(told);
  const offset = Math.max(0, Math.trunc(part.offset ?? 0));
  return {
    found: {
      docid: found.docid,
      kind: lead.kind,
      role: lead.role,
      tool: lead.tool_name,
      input: lead.kind === 'tool_call' ? textOf(lead) : null,
      text: sliceCharacters(text, offset, Math.max(0, part.length ?? Number.POSITIVE_INFINITY)),
      offset,
      length: told?.chars ?? 0,
      bytes: Number(told?.bytes ?? 0),
      sha256: createHash('sha256').update(bytesOf(told)).digest('hex'),
      ...seen,
      masked: lead.masked || (told?.masked ?? false),
      confirmed: lead.confirmed === true && (told === null || told.confirmed === true),
      media: await readMedia(pool, accountId, found),
    },
  };
}

/** The exact stored bytes of a document's text in generalised UTF-8; null where the id names no one document. */
export async function readRaw(pool: Queryable, accountId: Uuid, docid: string): Promise<Uint8Array | null> {
  const named = await findItem(pool, accountId, docid);
  if (named === null || 'ambiguous' in named) return null;
  return bytesOf((await whole(pool, accountId, named)).told);
}

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

function bytesOf(item: StoredItem | null): Buffer {
  return item === null ? Buffer.alloc(0) : (item.exact ?? encodeText(item.text));
}

async function findItem(
  pool: Queryable,
  accountId: Uuid,
  docid: string,
): Promise<StoredItem | { readonly ambiguous: readonly DocId[] } | null> {
  const digits = docid.trim().toLowerCase().replace(DOC_ID_PREFIX, '');
  if (!/^[0-9a-f]{1,64}$/.test(digits)) return null;
  const { rows } = await pool.query<{ docid: string }>(
    `SELECT docid FROM item WHERE account_id = $1 AND docid >= $2 AND docid < $2 || 'g'
     ORDER BY docid LIMIT ${CANDIDATES}`,
    [accountId, digits],
  );
  const [first] = rows;
  if (!first) return null;
  // The shortest id sorts first, so that a whole id is found although a longer one begins with it.
  if (rows.length > 1 && first.docid !== digits)
    return { ambiguous: rows.map((row) => docIdFrom(row.docid)) };
  const items = await pool.query<StoredItem>(`${ITEM} AND i.docid = $2`, [accountId, first.docid]);
  return items.rows[0] ?? null;
}

/**
 * A call and its result are one document under the call's id. Where branches gave one call several results, the call's
 * id reads the newest, and each other result keeps its own id.
 */
async function whole(pool: Queryable, accountId: Uuid, named: StoredItem): Promise<Found> {
  const docid = docIdFrom(named.docid);
  if (named.kind === 'tool_call')
    return { lead: named, told: await newestResult(pool, accountId, named), docid };
  if (named.kind !== 'tool_result' || named.call_message === null) return { lead: named, told: named, docid };
  const { rows } = await pool.query<StoredItem>(`${ITEM} AND i.message_hash = $2 AND i.position = $3`, [
    accountId,
    named.call_message,
    named.call_position,
  ]);
  const [call] = rows;
  if (!call) return { lead: named, told: named, docid };
  const newest = await newestResult(pool, accountId, call);
  return { lead: call, told: named, docid: newest?.docid === named.docid ? docIdFrom(call.docid) : docid };
}

async function newestResult(pool: Queryable, accountId: Uuid, call: StoredItem): Promise<StoredItem | null> {
  const { rows } = await pool.query<StoredItem>(
    `${ITEM} AND i.call_message = $2 AND i.call_position = $3
     ORDER BY m.seen_at DESC, i.message_hash DESC, i.position DESC LIMIT 1`,
    [accountId, call.message_hash, call.position],
  );
  return rows[0] ?? null;
}

type Seen = Pick<Document, 'at' | 'durationMs' | 'sessionId' | 'seq' | 'place'>;

/** The first session whose log holds the document, and where it stands there; null: no log holds it. */
async function firstSeen(pool: Queryable, accountId: Uuid, { lead, told }: Found): Promise<Seen | null> {
  const last = told ?? lead;
  const { rows } = await pool.query<{
    session_id: Uuid;
    seq: number;
    at: Date;
    duration_ms: Big | null;
    project: string | null;
    path: string | null;
    branch: string | null;
  }>(
    `SELECT e.session_id, COALESCE(c.seq, e.seq) AS seq, COALESCE(c.at, e.at) AS at, e.duration_ms, p.name AS project,
       w.path, w.branch
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
    place: row.path === null ? null : { project: row.project ?? '', path: row.path, branch: row.branch },
  };
}

async function readMedia(
  pool: Queryable,
  accountId: Uuid,
  { lead, told }: Found,
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

function docIdFrom(digits: string): DocId {
  return `${DOC_ID_PREFIX}${digits}` as DocId;
}

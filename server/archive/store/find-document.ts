import { DOC_ID_PREFIX, type ItemKind, type Role } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { DocId } from '../types.ts';
import type { Queryable } from './connection.ts';
import type { Big } from './values.ts';

/** Candidates that an ambiguous prefix is answered with at most. */
const CANDIDATES = 20;

/** What is known of a stored item beside its text. */
export interface StoredItem {
  readonly message_hash: Buffer;
  readonly position: number;
  readonly docid: string;
  readonly kind: ItemKind;
  readonly role: Role;
  readonly tool_name: string | null;
  readonly chars: number;
  readonly bytes: Big;
  readonly masked: boolean;
  readonly confirmed: boolean | null;
  readonly call_message: Buffer | null;
  readonly call_position: number | null;
}

const ITEM = `
SELECT i.message_hash, i.position, i.docid, i.kind, m.role, i.tool_name, i.chars, i.bytes, i.masked, i.confirmed,
  i.call_message, i.call_position
FROM item i JOIN message m ON m.account_id = i.account_id AND m.hash = i.message_hash
WHERE i.account_id = $1`;

/** An item, or a tool call with the result that is read with it. */
export interface FoundDocument {
  /** What the document is an id of: the call where there is one. */
  readonly lead: StoredItem;
  /** What the document's text is: the result of a call; null where it has none yet. */
  readonly told: StoredItem | null;
  readonly docid: DocId;
}

/** What an id or the beginning of one names. */
export type NamedDocument =
  | { readonly found: FoundDocument }
  | { readonly ambiguous: readonly DocId[] }
  | { readonly missing: true };

/** The document of an id. It may be a prefix that no other id of the account shares, with or without the common beginning. */
export async function findDocument(pool: Queryable, accountId: Uuid, docid: string): Promise<NamedDocument> {
  const digits = docid.trim().toLowerCase().replace(DOC_ID_PREFIX, '');
  if (!/^[0-9a-f]{1,64}$/.test(digits)) return { missing: true };
  const { rows } = await pool.query<{ docid: string }>(
    `SELECT docid FROM item WHERE account_id = $1 AND docid >= $2 AND docid < $2 || 'g'
     ORDER BY docid LIMIT ${CANDIDATES}`,
    [accountId, digits],
  );
  const [first] = rows;
  if (!first) return { missing: true };
  // The shortest id sorts first, so that a whole id is found although a longer one begins with it.
  if (rows.length > 1 && first.docid !== digits)
    return { ambiguous: rows.map((row) => docIdFrom(row.docid)) };
  const items = await pool.query<StoredItem>(`${ITEM} AND i.docid = $2`, [accountId, first.docid]);
  const [item] = items.rows;
  return item === undefined ? { missing: true } : { found: await documentOf(pool, accountId, item) };
}

/** The document whose text stands in this item; null where there is no such item. */
export async function documentAt(
  pool: Queryable,
  accountId: Uuid,
  hash: Uint8Array,
  position: number,
): Promise<FoundDocument | null> {
  const item = await itemAt(pool, accountId, hash, position);
  return item === null ? null : documentOf(pool, accountId, item);
}

/**
 * A call and its result are one document under the call's id. Where branches gave one call several results, the call's
 * id reads the newest, and each other result keeps its own id.
 */
async function documentOf(pool: Queryable, accountId: Uuid, named: StoredItem): Promise<FoundDocument> {
  const docid = docIdFrom(named.docid);
  if (named.kind === 'tool_call')
    return { lead: named, told: await newestResult(pool, accountId, named), docid };
  if (named.kind !== 'tool_result' || named.call_message === null) return { lead: named, told: named, docid };
  const call = await itemAt(pool, accountId, named.call_message, named.call_position ?? 0);
  if (call === null) return { lead: named, told: named, docid };
  const newest = await newestResult(pool, accountId, call);
  return { lead: call, told: named, docid: newest?.docid === named.docid ? docIdFrom(call.docid) : docid };
}

async function itemAt(
  pool: Queryable,
  accountId: Uuid,
  hash: Uint8Array,
  position: number,
): Promise<StoredItem | null> {
  const { rows } = await pool.query<StoredItem>(`${ITEM} AND i.message_hash = $2 AND i.position = $3`, [
    accountId,
    hash,
    position,
  ]);
  return rows[0] ?? null;
}

async function newestResult(pool: Queryable, accountId: Uuid, call: StoredItem): Promise<StoredItem | null> {
  const { rows } = await pool.query<StoredItem>(
    `${ITEM} AND i.call_message = $2 AND i.call_position = $3
     ORDER BY m.seen_at DESC, i.message_hash DESC, i.position DESC LIMIT 1`,
    [accountId, call.message_hash, call.position],
  );
  return rows[0] ?? null;
}

/** A document id from the digits that the column holds. */
export function docIdFrom(digits: string): DocId {
  return `${DOC_ID_PREFIX}${digits}` as DocId;
}

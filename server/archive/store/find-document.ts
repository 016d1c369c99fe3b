import { DOC_ID_PREFIX, type ItemKind, type Role } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { DocId } from '../types.ts';
import { prepared, type Queryable } from './connection.ts';
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

const ITEM = `i.message_hash, i.position, i.docid, i.kind, m.role, i.tool_name, i.chars, i.bytes, i.masked, i.confirmed,
  i.call_message, i.call_position`;
const MESSAGE = 'JOIN message m ON m.account_id = i.account_id AND m.hash = i.message_hash';

/**
 * The item that `named` selects, the call that it answers, and the newest result of the call (of itself where it is one),
 * each as far as there is one. All in one statement: the way to the database and back takes longer than the work.
 */
const WITH_CALL = (named: string) => `
named AS MATERIALIZED (SELECT ${ITEM} FROM item i ${MESSAGE} WHERE i.account_id = $1 AND ${named}),
call AS MATERIALIZED (
  SELECT * FROM named WHERE kind = 'tool_call'
  UNION ALL
  SELECT ${ITEM} FROM named n
  JOIN item i ON i.account_id = $1 AND i.message_hash = n.call_message AND i.position = COALESCE(n.call_position, 0)
  ${MESSAGE} WHERE n.kind = 'tool_result'
),
newest AS (
  SELECT r.* FROM call c CROSS JOIN LATERAL (
    SELECT ${ITEM} FROM item i ${MESSAGE}
    WHERE i.account_id = $1 AND i.call_message = c.message_hash AND i.call_position = c.position
    ORDER BY m.seen_at DESC, i.message_hash DESC, i.position DESC LIMIT 1
  ) r
),
stored AS (
  SELECT 'named' AS part, * FROM named UNION ALL SELECT 'call', * FROM call UNION ALL SELECT 'newest', * FROM newest
)`;

/** The first ids with a beginning, in the first row all of them. */
const BY_DOCID = `
WITH near AS MATERIALIZED (
  SELECT docid FROM item WHERE account_id = $1 AND docid >= $2 AND docid < $2 || 'g' ORDER BY docid LIMIT ${CANDIDATES}
), ${WITH_CALL('i.docid = (SELECT n.docid FROM near n ORDER BY n.docid LIMIT 1)')}
SELECT (SELECT array_agg(n.docid ORDER BY n.docid) FROM near n) AS candidates, stored.* FROM stored`;

const BY_PLACE = `WITH ${WITH_CALL('i.message_hash = $2 AND i.position = $3')} SELECT * FROM stored`;

type StoredPart = StoredItem & { readonly part: 'named' | 'call' | 'newest' };

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
  const { rows } = await pool.query<StoredPart & { readonly candidates: readonly string[] }>(
    prepared('document_named', BY_DOCID, [accountId, digits]),
  );
  const found = documentOf(rows);
  if (found === null) return { missing: true };
  const candidates = rows[0]?.candidates ?? [];
  // The shortest id sorts first, so that a whole id is found although a longer one begins with it.
  if (candidates.length > 1 && candidates[0] !== digits) return { ambiguous: candidates.map(docIdFrom) };
  return { found };
}

/** The document whose text stands in this item; null where there is no such item. */
export async function documentAt(
  pool: Queryable,
  accountId: Uuid,
  hash: Uint8Array,
  position: number,
): Promise<FoundDocument | null> {
  const { rows } = await pool.query<StoredPart>(
    prepared('document_placed', BY_PLACE, [accountId, hash, position]),
  );
  return documentOf(rows);
}

/**
 * A call and its result are one document under the call's id. Where branches gave one call several results, the call's
 * id reads the newest, and each other result keeps its own id.
 */
function documentOf(parts: readonly StoredPart[]): FoundDocument | null {
  const part = (name: StoredPart['part']) => parts.find((row) => row.part === name) ?? null;
  const [named, call, newest] = [part('named'), part('call'), part('newest')];
  if (named === null) return null;
  const docid = docIdFrom(named.docid);
  if (named.kind === 'tool_call') return { lead: named, told: newest, docid };
  if (call === null) return { lead: named, told: named, docid };
  return { lead: call, told: named, docid: newest?.docid === named.docid ? docIdFrom(call.docid) : docid };
}

/** A document id from the digits that the column holds. */
export function docIdFrom(digits: string): DocId {
  return `${DOC_ID_PREFIX}${digits}` as DocId;
}

import { hexOf, type ItemKind, type Role } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { textOf } from '../text.ts';
import type { MessageHash, SliceHash, StoredMessage } from '../types.ts';
import type { Queryable } from './connection.ts';

/** A message that was seen under a slice, and where. */
export interface SeenMessage {
  readonly parent: MessageHash;
  readonly message: MessageHash;
}

/** Messages that were seen under these raw slices, by hex of the slice hash. */
export async function lookUpSlices(
  pool: Queryable,
  accountId: Uuid,
  slices: readonly SliceHash[],
): Promise<ReadonlyMap<string, readonly SeenMessage[]>> {
  const found = new Map<string, SeenMessage[]>();
  if (slices.length === 0) return found;
  const { rows } = await pool.query<{ slice: Buffer; parent: Buffer; message: Buffer }>(
    `SELECT slice, parent, message_hash AS message FROM message_alias
     WHERE account_id = $1 AND slice = ANY($2::bytea[])`,
    [accountId, slices],
  );
  for (const row of rows) {
    const key = hexOf(row.slice);
    const seen = found.get(key) ?? [];
    seen.push({ parent: hash(row.parent), message: hash(row.message) });
    found.set(key, seen);
  }
  return found;
}

/** Children that are compared at most. */
const CHILDREN = 20;

interface ChildRow {
  readonly hash: Buffer;
  readonly role: Role;
  readonly kind: ItemKind | null;
  readonly text: string;
  readonly exact: Buffer | null;
  readonly tool_name: string | null;
  readonly tool_namespace: string | null;
  readonly call_id: string | null;
  readonly is_error: boolean;
}

/** The newest stored children of a message with their masked texts, newest first; `wanted` too, if it is one. */
export async function childrenOf(
  pool: Queryable,
  accountId: Uuid,
  parent: MessageHash,
  wanted: MessageHash | null = null,
): Promise<readonly StoredMessage[]> {
  const { rows } = await pool.query<ChildRow>(
    `SELECT m.hash, m.role, i.kind, i.text, i.exact, i.tool_name, i.tool_namespace, i.call_id, i.is_error
     FROM (
       (SELECT hash, role, seen_at FROM message WHERE account_id = $1 AND parent = $2
        ORDER BY seen_at DESC, hash LIMIT ${CHILDREN})
       UNION
       (SELECT hash, role, seen_at FROM message WHERE account_id = $1 AND parent = $2 AND hash = $3)
     ) m
     LEFT JOIN item i ON i.account_id = $1 AND i.message_hash = m.hash
     ORDER BY m.seen_at DESC, m.hash, i.position`,
    [accountId, parent, wanted],
  );
  const children = new Map<
    string,
    { readonly message: StoredMessage; readonly items: StoredMessage['items'][number][] }
  >();
  for (const row of rows) {
    const key = hexOf(row.hash);
    let child = children.get(key);
    if (!child) {
      const items: StoredMessage['items'][number][] = [];
      child = { items, message: { hash: hash(row.hash), parent, role: row.role, items } };
      children.set(key, child);
    }
    if (row.kind !== null) child.items.push({ kind: row.kind, text: textOf(row), tool: toolOf(row) });
  }
  return [...children.values()].map((child) => child.message);
}

function toolOf(row: ChildRow): StoredMessage['items'][number]['tool'] {
  if (row.call_id === null) return null;
  return { callId: row.call_id, name: row.tool_name, namespace: row.tool_namespace, isError: row.is_error };
}

function hash(bytes: Buffer): MessageHash {
  return bytes as Uint8Array as MessageHash;
}

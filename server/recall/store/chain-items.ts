import { DOC_ID_PREFIX, type DocId, type MessageHash } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { ChainItem } from '../stored.ts';
import { prepared, type Queryable } from './connection.ts';

/** Characters of an item's text that are read. */
const TEXT_CHARS = 400;

interface ItemRow {
  /** Place of the message among those asked for, from 1. */
  readonly place: number;
  readonly position: number;
  readonly docid: string;
  readonly kind: string;
  readonly tool_name: string | null;
  readonly call_id: string | null;
  readonly is_error: boolean;
  readonly main_input: string | null;
  readonly path: string | null;
  readonly text: string;
  readonly mime: string | null;
  readonly confirmed: boolean | null;
  readonly seen_at: number;
}

/** The items of messages, in the order of the given hashes, then by position; of messages that are not stored, none. */
export async function readChainItems(
  pool: Queryable,
  accountId: Uuid,
  messages: readonly MessageHash[],
): Promise<readonly ChainItem[]> {
  const { rows } = await pool.query<ItemRow>(prepared('chain_items', CHAIN_ITEMS, [accountId, messages]));
  return rows.flatMap((row) => {
    const message = messages[row.place - 1];
    return message === undefined ? [] : [itemOf(message, row)];
  });
}

/** Joined along the keys whatever the server knows of the tables, so that the work grows with what was asked for. */
export const CHAIN_ITEMS = `
SELECT g.place::int AS place, i.position, i.docid, i.kind, i.tool_name, i.call_id, i.is_error, i.main_input, i.path,
  left(i.text, ${TEXT_CHARS}) AS text, i.confirmed, extract(epoch FROM m.seen_at)::float8 * 1000 AS seen_at,
  (SELECT f.mime FROM media f
   WHERE f.account_id = $1 AND f.message_hash = i.message_hash AND f.position = i.position ORDER BY f.n LIMIT 1) AS mime
FROM unnest($2::bytea[]) WITH ORDINALITY AS g(hash, place)
CROSS JOIN LATERAL (
  SELECT seen_at FROM message WHERE account_id = $1 AND hash = g.hash LIMIT 1
) m
CROSS JOIN LATERAL (
  SELECT * FROM item WHERE account_id = $1 AND message_hash = g.hash ORDER BY position
) i
ORDER BY g.place, i.position`;

function itemOf(message: MessageHash, row: ItemRow): ChainItem {
  return {
    message,
    position: row.position,
    docid: `${DOC_ID_PREFIX}${row.docid}` as DocId,
    kind: row.kind,
    tool: row.tool_name,
    callId: row.call_id,
    isError: row.is_error,
    mainInput: row.main_input,
    path: row.path,
    text: row.text,
    mime: row.mime,
    confirmed: row.confirmed === true,
    at: Math.round(row.seen_at) as Millis,
  };
}

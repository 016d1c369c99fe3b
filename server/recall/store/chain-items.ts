import { DOC_ID_PREFIX, type DocId, type MessageHash } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { SUB_AGENT_TOOLS } from '../entries.ts';
import type { ChainItem } from '../stored.ts';
import { hashesIn, joined, prepared, type Queryable } from './connection.ts';

/** Characters of an item's text that are read. */
const TEXT_CHARS = 400;
const HASH_BYTES = 32;

interface ItemRow {
  /** Where the message's hash stands among those asked for: 1, 33, 65, … */
  readonly place: number;
  readonly position: number;
  readonly docid: string;
  readonly kind: string;
  readonly tool_name: string | null;
  readonly call_id: string | null;
  readonly is_error: boolean;
  readonly main_input: string | null;
  readonly path: string | null;
  readonly text: string | null;
  readonly mime: string | null;
  readonly confirmed: boolean | null;
  readonly at: Date | null;
}

/** All items of messages, in the order of the given hashes, then by position; of messages that are not stored, none. */
export async function readChainItems(
  pool: Queryable,
  accountId: Uuid,
  messages: readonly MessageHash[],
): Promise<readonly ChainItem[]> {
  const values = [accountId, joined(messages)];
  const { rows } = await pool.query<ItemRow>(prepared('chain_items', CHAIN_ITEMS, values));
  const messageOf = ({ place }: ItemRow) => messages[(place - 1) / HASH_BYTES];
  const brought = await readBrought(pool, accountId, rows, messageOf);
  return rows.flatMap((row) => {
    const message = messageOf(row);
    return message === undefined ? [] : [itemOf(row, message, brought.get(row) ?? row.text ?? '')];
  });
}

/**
 * Of results, which are long, no text is read: an index shows none but those of sub-agents. When something was said is
 * looked up only where an index tells it.
 */
export const CHAIN_ITEMS = `
SELECT g.place, i.position, i.docid, i.kind, i.tool_name, i.call_id, i.is_error, i.main_input, i.path, i.confirmed,
  CASE WHEN i.kind IN ('input', 'answer') THEN left(i.text, ${TEXT_CHARS}) END AS text,
  CASE WHEN i.kind IN ('image', 'file') THEN (
    SELECT f.mime FROM media f
    WHERE f.account_id = $1 AND f.message_hash = g.hash AND f.position = i.position ORDER BY f.n LIMIT 1) END AS mime,
  CASE WHEN i.kind IN ('input', 'image', 'file') THEN (
    SELECT m.seen_at FROM message m WHERE m.account_id = $1 AND m.hash = g.hash LIMIT 1) END AS at
FROM ${hashesIn('$2')} AS g CROSS JOIN LATERAL (
  SELECT * FROM item WHERE account_id = $1 AND message_hash = g.hash ORDER BY position OFFSET 0
) i ORDER BY g.place, i.position`;

/** What sub-agents brought back, by the row of the result. */
async function readBrought(
  pool: Queryable,
  accountId: Uuid,
  rows: readonly ItemRow[],
  messageOf: (row: ItemRow) => MessageHash | undefined,
): Promise<ReadonlyMap<ItemRow, string>> {
  const calls = new Set(
    rows.filter((row) => SUB_AGENT_TOOLS.has(row.tool_name ?? '')).map((row) => row.call_id),
  );
  const results = rows.filter((row) => row.kind === 'tool_result' && calls.has(row.call_id));
  if (results.length === 0) return new Map();
  const hashes = joined(results.flatMap((row) => messageOf(row) ?? []));
  const values = [accountId, hashes, results.map((row) => row.position)];
  const found = await pool.query<{ readonly place: number; readonly text: string }>(
    prepared('chain_brought', BROUGHT, values),
  );
  const texts = new Map(found.rows.map(({ place, text }) => [results[(place - 1) / HASH_BYTES], text]));
  return new Map(results.map((row) => [row, texts.get(row) ?? '']));
}

const BROUGHT = `
SELECT g.place, i.text FROM ${hashesIn('$2')} AS g CROSS JOIN LATERAL (
  SELECT left(text, ${TEXT_CHARS}) AS text FROM item
  WHERE account_id = $1 AND message_hash = g.hash AND position = ($3::int[])[1 + g.place / ${HASH_BYTES}] LIMIT 1
) i`;

function itemOf(row: ItemRow, message: MessageHash, text: string): ChainItem {
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
    text,
    mime: row.mime,
    confirmed: row.confirmed === true,
    at: row.at === null ? null : (row.at.getTime() as Millis),
  };
}

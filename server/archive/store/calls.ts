import { hexOf } from '../../conversation/index.ts';
import type { MessageHash, RecordBatch } from '../types.ts';
import { prepared, type Queryable } from './connection.ts';
import { name } from './values.ts';

/** Where a tool call stands. */
export interface CallSite {
  readonly message: Uint8Array;
  readonly position: number;
}

/** How far up the chain a result's call is looked for: the usual distance first, then the longest round thinkable. */
const DISTANCES = [16, 4096];

/** The calls that tool results answer, by the place of the result: {@link siteKey}. */
export type Calls = ReadonlyMap<string, CallSite>;

/** The key of an item's place. */
export function siteKey(message: Uint8Array, position: number): string {
  return `${hexOf(message)}:${position}`;
}

/**
 * The calls that the batch's tool results answer: the nearest call with the result's id above it in its own chain, since
 * providers use ids again. A result without a call in its chain is not in the answer.
 */
export async function findCalls(connection: Queryable, batch: RecordBatch): Promise<Calls> {
  const calls = new Map<string, CallSite>();
  const newest = new Map<string, CallSite>();
  const open = new Map<string, string[]>();
  for (const message of batch.messages) {
    message.items.forEach((item, position) => {
      if (item.tool === null) return;
      const id = name(item.tool.callId);
      const call = newest.get(id);
      if (item.kind === 'tool_call') newest.set(id, { message: message.hash, position });
      else if (item.kind === 'tool_result' && call) calls.set(siteKey(message.hash, position), call);
      else if (item.kind === 'tool_result')
        open.set(id, [...(open.get(id) ?? []), siteKey(message.hash, position)]);
    });
  }
  const top = batch.messages[0]?.parent;
  for (const distance of DISTANCES) {
    if (top === undefined || open.size === 0) break;
    for (const call of await above(connection, batch.accountId, top, distance, [...open.keys()])) {
      for (const key of open.get(call.call_id) ?? []) calls.set(key, call.site);
      open.delete(call.call_id);
    }
  }
  return calls;
}

async function above(
  connection: Queryable,
  accountId: string,
  from: MessageHash,
  distance: number,
  ids: readonly string[],
): Promise<readonly { readonly call_id: string; readonly site: CallSite }[]> {
  const { rows } = await connection.query<{ hash: Buffer; position: number; call_id: string }>(
    prepared('calls_above', CALLS_ABOVE, [accountId, from, distance, ids]),
  );
  return rows.map((row) => ({ call_id: row.call_id, site: { message: row.hash, position: row.position } }));
}

const CALLS_ABOVE = `
WITH RECURSIVE up AS (
  SELECT m.hash, m.parent, 1 AS distance FROM message m WHERE m.account_id = $1 AND m.hash = $2
  UNION ALL
  SELECT above.hash, above.parent, up.distance + 1
  FROM up CROSS JOIN LATERAL (
    SELECT m.hash, m.parent FROM message m WHERE m.account_id = $1 AND m.hash = up.parent LIMIT 1
  ) above
  WHERE up.distance < $3
)
SELECT up.hash, call.position, call.call_id
FROM up CROSS JOIN LATERAL (
  SELECT i.position, i.call_id FROM item i
  WHERE i.account_id = $1 AND i.message_hash = up.hash AND i.kind = 'tool_call' AND i.call_id = ANY($4::text[])
  OFFSET 0
) call
ORDER BY up.distance, call.position DESC`;

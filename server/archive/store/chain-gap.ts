import { hexOf } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { MessageHash, RecordBatch } from '../types.ts';
import { prepared, type Queryable } from './connection.ts';

/** A message of the chain that the session's log does not have yet. */
export interface MissingMessage {
  readonly hash: Buffer;
  readonly parent: Buffer;
  readonly role: string;
}

/** The messages that the log's completion starts from: the new head, and what of the batch nothing else stands on. */
export function startsOf(batch: RecordBatch): MessageHash[] {
  const parents = new Set(batch.messages.map((message) => hexOf(message.parent)));
  const starts = batch.messages
    .filter((message) => !parents.has(hexOf(message.hash)))
    .map((message) => message.hash);
  if (batch.head !== null) starts.push(batch.head);
  return starts;
}

/** The messages at and above `starts` that this session's log does not hold, up to the first that it does. */
export async function readMissing(
  connection: Queryable,
  accountId: Uuid,
  sessionId: Uuid,
  starts: readonly MessageHash[],
): Promise<readonly MissingMessage[]> {
  const { rows } = await connection.query<MissingMessage>(
    prepared('missing', MISSING, [accountId, sessionId, starts]),
  );
  return rows;
}

/** Each step looks up one message by its key (a join would be free to read whole tables at every step). */
const MISSING = `
WITH RECURSIVE missing AS (
  SELECT m.hash, m.parent, m.role FROM message m
  WHERE m.account_id = $1 AND m.hash = ANY($3::bytea[]) AND NOT EXISTS (
    SELECT 1 FROM event e
    WHERE e.account_id = $1 AND e.session_id = $2 AND e.message_hash = m.hash AND e.position >= 0)
  UNION
  SELECT above.hash, above.parent, above.role
  FROM missing CROSS JOIN LATERAL (
    SELECT m.hash, m.parent, m.role, EXISTS (
      SELECT 1 FROM event e
      WHERE e.account_id = $1 AND e.session_id = $2 AND e.message_hash = m.hash AND e.position >= 0) AS logged
    FROM message m WHERE m.account_id = $1 AND m.hash = missing.parent LIMIT 1
  ) above
  WHERE NOT above.logged
)
SELECT hash, parent, role FROM missing`;

/** Parents before children; where a chain branches, in the batch's order. */
export function inChainOrder(missing: readonly MissingMessage[], batch: RecordBatch): MissingMessage[] {
  const byHash = new Map(missing.map((message) => [hexOf(message.hash), message]));
  const ordered = new Map<string, MissingMessage>();
  for (const end of [...batch.messages.map((message) => message.hash), ...startsOf(batch)]) {
    const line: MissingMessage[] = [];
    let next = byHash.get(hexOf(end));
    while (next && !ordered.has(hexOf(next.hash))) {
      line.push(next);
      next = byHash.get(hexOf(next.parent));
    }
    for (const message of line.reverse()) ordered.set(hexOf(message.hash), message);
  }
  return [...ordered.values()];
}

import type { MessageHash } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { ThreadName } from '../stored.ts';
import { nameColumns } from './columns.ts';
import { hashesIn, joined, prepared, type Queryable } from './connection.ts';

/**
 * Which of these messages are answers to requests of a session since a moment, whatever gateway gave them; a request that
 * went out as its client sent it, where something of ours was to be in it, gives none.
 */
export async function readAnswered(
  pool: Queryable,
  accountId: Uuid,
  thread: ThreadName,
  since: Millis,
  messages: readonly MessageHash[],
): Promise<readonly MessageHash[]> {
  const { agent, session } = nameColumns(thread);
  const values = [accountId, agent, session, new Date(since), joined(messages)];
  const { rows } = await pool.query<{ hash: Buffer }>(prepared('answered', ANSWERED, values));
  return rows.map(({ hash }) => hash as Uint8Array as MessageHash);
}

const ANSWERED = `
SELECT DISTINCT g.hash FROM session s
JOIN request r ON r.account_id = s.account_id AND r.session_id = s.id AND r.received_at >= $4
JOIN answer a ON a.account_id = r.account_id AND a.request_id = r.id
JOIN ${hashesIn('$5')} AS g ON g.hash = ANY(a.messages)
WHERE s.account_id = $1 AND s.agent = $2 AND s.client_session_id = $3 AND r.view->>'unedited' IS NULL`;

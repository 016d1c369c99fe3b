import type { AgentName } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { ChainQuestion, ChainSession } from '../types.ts';
import type { Queryable } from './connection.ts';
import { MAIN_THREAD } from './threads.ts';

/** Sessions of an agent that are looked through for a tool call, newest first. */
const SESSIONS = 20;

interface Row {
  readonly name: string;
  readonly thread_id: Uuid;
  readonly at_head: boolean;
}

/**
 * The session of an agent in whose main line the newest known message of a chain stands: the one whose newest message
 * it is, else the one that was seen last. Where no message of the chain is known: the one that holds one of its tool
 * calls, whose ids the provider gives out once.
 */
export async function sessionOfChain(
  pool: Queryable,
  accountId: Uuid,
  agent: AgentName,
  { newest, calls }: ChainQuestion,
): Promise<ChainSession | null> {
  const { rows } =
    newest !== null
      ? await pool.query<Row>(BY_MESSAGE, [accountId, agent, newest])
      : calls.length > 0
        ? await pool.query<Row>(BY_CALL, [accountId, agent, calls])
        : { rows: [] };
  const [row] = rows;
  return row ? { clientSessionId: row.name, threadId: row.thread_id, atHead: row.at_head } : null;
}

const BY_MESSAGE = `
SELECT s.client_session_id AS name, t.id AS thread_id, COALESCE(t.head = $3, false) AS at_head
FROM event e
JOIN thread t ON t.account_id = e.account_id AND t.id = e.thread_id AND t.client_thread_id = '${MAIN_THREAD}'
JOIN session s ON s.account_id = e.account_id AND s.id = e.session_id
WHERE e.account_id = $1 AND e.message_hash = $3 AND s.agent = $2 AND s.client_session_id IS NOT NULL
ORDER BY at_head DESC, s.last_seen_at DESC LIMIT 1`;

const BY_CALL = `
SELECT s.client_session_id AS name, t.id AS thread_id, false AS at_head
FROM (
  SELECT id, client_session_id, last_seen_at FROM session
  WHERE account_id = $1 AND agent = $2 AND client_session_id IS NOT NULL
  ORDER BY last_seen_at DESC LIMIT ${SESSIONS}
) s
JOIN event e ON e.account_id = $1 AND e.session_id = s.id AND e.kind = 'tool_call'
JOIN thread t ON t.account_id = $1 AND t.id = e.thread_id AND t.client_thread_id = '${MAIN_THREAD}'
JOIN item i ON i.account_id = $1 AND i.message_hash = e.message_hash AND i.position = e.position
WHERE i.call_id = ANY($3)
ORDER BY s.last_seen_at DESC LIMIT 1`;

/** True if one of these messages, as far as they are stored, is an answer. */
export async function holdsAnswer(
  pool: Queryable,
  accountId: Uuid,
  messages: readonly Uint8Array[],
): Promise<boolean> {
  if (messages.length === 0) return false;
  const { rows } = await pool.query(
    `SELECT 1 FROM message WHERE account_id = $1 AND hash = ANY($2::bytea[]) AND role = 'assistant' LIMIT 1`,
    [accountId, messages],
  );
  return rows.length > 0;
}

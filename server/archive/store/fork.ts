import type { Clock } from '../../kernel/clock.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import type { MissingMessage } from './chain-gap.ts';
import type { Queryable } from './connection.ts';
import type { LockedSession } from './session-lock.ts';
import { MAIN_THREAD } from './threads.ts';

/** What was taken over: how many events, and the newest of the missing messages that they cover. */
export interface CopiedLog {
  readonly events: number;
  readonly head: Buffer | null;
}

const NOTHING: CopiedLog = { events: 0, head: null };

/**
 * A session that begins with the history of another is a fork: it takes over that session's log up to the newest message
 * that they share, with its positions and times, and goes on counting from there. Only a history with an answer in it
 * makes a fork; two sessions that begin with the same typed words are not.
 * @param missing the new session's chain, first message first
 */
export async function copyForkedLog(
  connection: Queryable,
  clock: Clock,
  accountId: Uuid,
  session: LockedSession,
  missing: readonly MissingMessage[],
): Promise<CopiedLog> {
  const answer = missing.findIndex((message) => message.role === 'assistant');
  if (answer === -1 || session.client_thread_id !== MAIN_THREAD) return NOTHING;
  const origin = await findOrigin(connection, accountId, session.id, missing.slice(answer));
  if (origin === null) return NOTHING;
  await connection.query(
    `INSERT INTO thread (account_id, id, session_id, client_thread_id, parent_thread_id, created_at)
     SELECT $1, given.id, $2, t.client_thread_id, t.parent_thread_id, t.created_at
     FROM unnest($3::uuid[], $4::uuid[]) AS given(id, origin)
     JOIN thread t ON t.account_id = $1 AND t.id = given.origin
     ON CONFLICT (account_id, session_id, client_thread_id) DO NOTHING`,
    [accountId, session.id, origin.threads.map(() => newId(clock)), origin.threads],
  );
  const { rows } = await connection.query<{ events: number }>(COPY_LOG, [
    accountId,
    session.id,
    origin.sessionId,
    origin.seq,
    session.thread_id,
    origin.head,
  ]);
  return { events: rows[0]?.events ?? 0, head: origin.head };
}

interface Origin {
  readonly sessionId: Uuid;
  /** The last position that both share. */
  readonly seq: number;
  /** The newest message that both share. */
  readonly head: Buffer;
  /** The threads of the origin that wrote until there. */
  readonly threads: readonly Uuid[];
}

/** The session that knows most of the chain; of several, the one that was seen last. */
async function findOrigin(
  connection: Queryable,
  accountId: Uuid,
  sessionId: Uuid,
  chain: readonly MissingMessage[],
): Promise<Origin | null> {
  const { rows } = await connection.query<{ session_id: Uuid; seq: number; hash: Buffer }>(
    `SELECT e.session_id, max(e.seq) AS seq, g.hash
     FROM unnest($3::bytea[]) WITH ORDINALITY AS g(hash, depth)
     JOIN event e ON e.account_id = $1 AND e.message_hash = g.hash AND e.position >= 0 AND e.session_id <> $2
     JOIN session s ON s.account_id = e.account_id AND s.id = e.session_id
     GROUP BY e.session_id, g.hash, g.depth, s.last_seen_at
     ORDER BY g.depth DESC, s.last_seen_at DESC LIMIT 1`,
    [accountId, sessionId, chain.map((message) => message.hash)],
  );
  const [found] = rows;
  if (!found) return null;
  const threads = await connection.query<{ thread_id: Uuid }>(
    'SELECT DISTINCT thread_id FROM event WHERE account_id = $1 AND session_id = $2 AND seq <= $3',
    [accountId, found.session_id, found.seq],
  );
  return {
    sessionId: found.session_id,
    seq: found.seq,
    head: found.hash,
    threads: threads.rows.map((row) => row.thread_id),
  };
}

const COPY_LOG = `
WITH copied AS (
  INSERT INTO event (account_id, session_id, seq, thread_id, kind, message_hash, position, worktree_id, at, duration_ms, data)
  SELECT $1, $2, e.seq, COALESCE(mine.id, $5), e.kind, e.message_hash, e.position, e.worktree_id, e.at, e.duration_ms, e.data
  FROM event e
  JOIN thread theirs ON theirs.account_id = $1 AND theirs.id = e.thread_id
  LEFT JOIN thread mine
    ON mine.account_id = $1 AND mine.session_id = $2 AND mine.client_thread_id = theirs.client_thread_id
  WHERE e.account_id = $1 AND e.session_id = $3 AND e.seq <= $4
  RETURNING kind, message_hash, thread_id
), counted AS (
  UPDATE session SET fork_session_id = $3, fork_seq = $4,
    next_seq = (SELECT count(*)::int FROM copied) + 1,
    turns = turns + (SELECT count(DISTINCT message_hash)::int FROM copied WHERE kind = 'input' AND thread_id = $5)
  WHERE account_id = $1 AND id = $2
), moved AS (
  UPDATE thread SET head = $6 WHERE account_id = $1 AND id = $5
)
SELECT count(*)::int AS events FROM copied`;

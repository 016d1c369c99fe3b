import type { Clock } from '../../kernel/clock.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import type { RecordBatch } from '../types.ts';
import { ConflictError, prepared, type Queryable, TakenBack } from './connection.ts';
import { findRoot } from './root.ts';
import { MAIN_THREAD } from './threads.ts';

/** A session as an append sees it, locked. */
export interface LockedSession {
  readonly id: Uuid;
  readonly thread_id: Uuid;
  readonly client_thread_id: string;
  readonly worktree_id: Uuid | null;
  readonly title: string;
  readonly next_seq: number;
  readonly head: Buffer | null;
  /** When the newest event of its log was seen; null: it has none. */
  readonly last_at: Date | null;
  /** How many of the batch's messages are stored. */
  readonly stored: number;
}

/**
 * Locks the session that a batch belongs to, under the account's lock.
 * @param key the account's
 * @throws TakenBack where it was deleted; ConflictError where a message of the batch was deleted meanwhile; StaleRead
 * where what an unplaced batch goes on with was
 */
export async function lockSession(
  connection: Queryable,
  clock: Clock,
  key: Uint8Array,
  batch: RecordBatch,
  at: Date,
): Promise<LockedSession> {
  const ids =
    batch.thread ??
    (await findUnplaced(connection, batch)) ??
    (await makeUnplaced(connection, clock, key, batch, at));
  const values = [
    batch.accountId,
    ids.sessionId,
    ids.threadId,
    batch.messages.map((message) => message.hash),
  ];
  const { rows } = await connection.query<LockedSession>(prepared('lock_session', LOCK_SESSION, values));
  const [session] = rows;
  // What was there already when this batch was inserted may have been deleted before the lock was taken.
  if (session && session.stored < batch.messages.length)
    throw new ConflictError('a message was deleted meanwhile');
  // A session that a person deleted meanwhile stays deleted with all that came late: its next request opens a new one.
  if (!session) throw new TakenBack('the session was deleted');
  return session;
}

const LOCK_SESSION = `
SELECT s.id, t.id AS thread_id, t.client_thread_id, s.worktree_id, s.title, s.next_seq, t.head,
  (SELECT e.at FROM event e WHERE e.account_id = $1 AND e.session_id = $2 ORDER BY e.seq DESC LIMIT 1) AS last_at,
  (SELECT count(*)::int FROM message m WHERE m.account_id = $1 AND m.hash = ANY($4::bytea[])) AS stored
FROM session s JOIN thread t ON t.account_id = s.account_id AND t.session_id = s.id
WHERE s.account_id = $1 AND s.id = $2 AND t.id = $3 FOR UPDATE OF s`;

interface SessionIds {
  readonly sessionId: Uuid;
  readonly threadId: Uuid;
}

/** What names no session belongs to the session that holds the chain it goes on with. */
async function findUnplaced(connection: Queryable, batch: RecordBatch): Promise<SessionIds | null> {
  const above = [batch.messages[0]?.parent, batch.messages[0]?.hash, batch.head].filter(
    (hash) => hash != null,
  );
  const { rows } = await connection.query<SessionIds>(
    `SELECT s.id AS "sessionId", e.thread_id AS "threadId"
     FROM event e JOIN session s ON s.account_id = e.account_id AND s.id = e.session_id
     WHERE e.account_id = $1 AND e.message_hash = ANY($2::bytea[]) AND s.client_session_id IS NULL
     ORDER BY s.last_seen_at DESC LIMIT 1`,
    [batch.accountId, above],
  );
  return rows[0] ?? null;
}

/** Makes a session for a chain that names none; it belongs to the project that the chain begins at. */
async function makeUnplaced(
  connection: Queryable,
  clock: Clock,
  key: Uint8Array,
  batch: RecordBatch,
  at: Date,
): Promise<SessionIds> {
  const { projectId } = await findRoot(connection, key, batch);
  const ids: SessionIds = { sessionId: newId(clock), threadId: newId(clock) };
  await connection.query(
    `WITH made AS (
       INSERT INTO session (account_id, id, agent, project_id, started_at, last_seen_at)
       VALUES ($1, $2, 'unknown', $5, $4, $4)
     )
     INSERT INTO thread (account_id, id, session_id, client_thread_id, created_at) VALUES ($1, $3, $2, '${MAIN_THREAD}', $4)`,
    [batch.accountId, ids.sessionId, ids.threadId, at, projectId],
  );
  return ids;
}

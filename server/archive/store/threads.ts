import type { AgentName, Identity } from '../../conversation/index.ts';
import type { Clock, Millis } from '../../kernel/clock.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import type { MessageHash, Place, ThreadState } from '../types.ts';
import { prepared, type Queryable, StaleRead } from './connection.ts';
import { dateOf, name, nameOrNull } from './values.ts';

/** Name of a session's main line in the column that names threads. */
export const MAIN_THREAD = '';

/** Whether there is a session of that agent under the agent's own name for it. */
export async function hasSession(
  pool: Queryable,
  accountId: Uuid,
  agent: AgentName,
  clientSessionId: string,
): Promise<boolean> {
  const { rows } = await pool.query(
    'SELECT 1 FROM session WHERE account_id = $1 AND agent = $2 AND client_session_id = $3',
    [accountId, agent, name(clientSessionId)],
  );
  return rows.length > 0;
}

interface ThreadRow {
  readonly session_id: Uuid;
  readonly thread_id: Uuid;
  readonly project_id: Uuid | null;
  readonly worktree_id: Uuid | null;
  readonly agent_version: string | null;
  readonly head: Buffer | null;
  readonly last_request: Buffer | null;
  readonly erasures: number;
}

/**
 * Finds or makes the session and thread that an identity names; null where it names no session.
 * @throws StaleRead where the project of the place was deleted since it was resolved
 */
export async function openThread(
  pool: Queryable,
  clock: Clock,
  accountId: Uuid,
  identity: Identity,
  place: Place | null,
  at: Millis,
): Promise<ThreadState | null> {
  if (identity.clientSessionId === null) return null;
  const sessionName = name(identity.clientSessionId);
  const threadName = name(identity.clientThreadId ?? MAIN_THREAD);
  const { rows } = await pool.query<ThreadRow>(
    prepared('thread', FIND, [accountId, identity.agent, sessionName, threadName]),
  );
  const [found] = rows;
  const row = found && isUpToDate(found, identity, place) ? found : await writeThread();
  return row ? stateOf(row, place) : null;

  async function writeThread(): Promise<ThreadRow | undefined> {
    const written = await pool.query<ThreadRow>(UPSERT, [
      accountId,
      newId(clock),
      identity.agent,
      nameOrNull(identity.agentVersion),
      sessionName,
      place?.projectId ?? null,
      place?.worktreeId ?? null,
      dateOf(at),
      newId(clock),
      threadName,
      nameOrNull(identity.parentThreadId),
      threadName === MAIN_THREAD,
    ]);
    const [row] = written.rows;
    if (!row && place !== null) throw new StaleRead('the project was deleted since the place was resolved');
    return row;
  }
}

const FIND = `
SELECT s.id AS session_id, t.id AS thread_id, s.project_id, s.worktree_id, s.agent_version, t.head, t.last_request,
  (SELECT a.erasures FROM account a WHERE a.id = $1) AS erasures
FROM session s JOIN thread t ON t.account_id = s.account_id AND t.session_id = s.id AND t.client_thread_id = $4
WHERE s.account_id = $1 AND s.agent = $2 AND s.client_session_id = $3`;

/**
 * A session keeps the first project it was seen in, since its chain begins there; its worktree is the one that the main
 * line was seen in last, inside that project. The account's lock comes first, as for every writer; the place is read by
 * locking it, so that one that was deleted while this waited is not taken for standing.
 */
const UPSERT = `
WITH held AS (
  SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE
), standing AS (
  SELECT p.id FROM held CROSS JOIN project p JOIN worktree w ON w.account_id = p.account_id AND w.project_id = p.id
  WHERE p.account_id = $1 AND p.id = $6 AND w.id = $7 FOR KEY SHARE OF p, w
), opened AS (
  INSERT INTO session AS s
    (account_id, id, agent, agent_version, client_session_id, project_id, worktree_id, started_at, last_seen_at)
  SELECT $1, $2, $3, $4, $5, $6, $7, $8::timestamptz, $8::timestamptz
  FROM held WHERE $6::uuid IS NULL OR EXISTS (SELECT 1 FROM standing)
  ON CONFLICT (account_id, agent, client_session_id) DO UPDATE SET
    agent_version = COALESCE(EXCLUDED.agent_version, s.agent_version),
    project_id = COALESCE(s.project_id, EXCLUDED.project_id),
    worktree_id = CASE
      WHEN s.project_id IS NULL THEN EXCLUDED.worktree_id
      WHEN $12::boolean AND s.project_id = EXCLUDED.project_id THEN EXCLUDED.worktree_id
      ELSE s.worktree_id END
  RETURNING s.id, s.project_id, s.worktree_id, s.agent_version
)
INSERT INTO thread AS t (account_id, id, session_id, client_thread_id, parent_thread_id, created_at)
SELECT $1, $9, opened.id, $10, $11, $8::timestamptz FROM opened
ON CONFLICT (account_id, session_id, client_thread_id) DO UPDATE
  SET parent_thread_id = COALESCE(t.parent_thread_id, EXCLUDED.parent_thread_id)
RETURNING t.session_id, t.id AS thread_id, t.head, t.last_request,
  (SELECT project_id FROM opened), (SELECT worktree_id FROM opened), (SELECT agent_version FROM opened),
  (SELECT a.erasures FROM account a WHERE a.id = $1) AS erasures`;

function isUpToDate(row: ThreadRow, identity: Identity, place: Place | null): boolean {
  if (identity.agentVersion !== null && row.agent_version !== nameOrNull(identity.agentVersion)) return false;
  if (place === null) return true;
  if (row.project_id === null) return false;
  const isMain = identity.clientThreadId === null;
  return !isMain || row.project_id !== place.projectId || row.worktree_id === place.worktreeId;
}

function stateOf(row: ThreadRow, claimed: Place | null): ThreadState {
  const { project_id: projectId, worktree_id: worktreeId } = row;
  let place: Place | null = null;
  if (projectId !== null && worktreeId !== null) {
    // A sub-agent may work in a worktree of its own; another project than the session's is no place of it.
    place = claimed?.projectId === projectId ? claimed : { projectId, worktreeId };
  }
  return {
    sessionId: row.session_id,
    threadId: row.thread_id,
    place,
    head: row.head as Uint8Array as MessageHash | null,
    lastRequestMessage: row.last_request as Uint8Array as MessageHash | null,
    erasures: row.erasures,
  };
}

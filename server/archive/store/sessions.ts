import type { AgentName } from '../../conversation/index.ts';
import { SIDE_THREAD } from '../../conversation/index.ts';
import { plainText } from '../../kernel/column-text.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { ArchiveReader, Page, SessionRow } from '../types.ts';
import type { Queryable } from './connection.ts';
import { atLeastOne, pageOf, readCursor } from './cursor.ts';
import { MAIN_THREAD } from './threads.ts';
import { dateOf, millisOf } from './values.ts';

interface StoredSession {
  readonly id: Uuid;
  readonly client_session_id: string | null;
  readonly agent: AgentName;
  readonly agent_version: string | null;
  readonly title: string;
  readonly project_id: Uuid | null;
  readonly project_name: string | null;
  readonly worktree_id: Uuid | null;
  readonly path: string | null;
  readonly branch: string | null;
  readonly started_at: Date;
  readonly last_seen_at: Date;
  readonly turns: number;
  readonly requests: number;
  readonly head: string | null;
  readonly threads: number;
}

const SESSIONS = `
SELECT s.id, s.client_session_id, s.agent, s.agent_version, s.title, s.project_id, p.name AS project_name, s.worktree_id,
  w.path, w.branch, s.started_at, s.last_seen_at, s.turns, s.requests,
  (SELECT encode(t.head, 'hex') FROM thread t
   WHERE t.account_id = s.account_id AND t.session_id = s.id AND t.client_thread_id = '${MAIN_THREAD}') AS head,
  (SELECT count(*)::int FROM thread t WHERE t.account_id = s.account_id AND t.session_id = s.id
    AND t.client_thread_id !~ '${SIDE_THREAD}') AS threads
FROM session s
LEFT JOIN project p ON p.account_id = s.account_id AND p.id = s.project_id
LEFT JOIN worktree w ON w.account_id = s.account_id AND w.id = s.worktree_id
WHERE s.account_id = $1`;

/** Sessions, newest first; `text` is looked for in titles, project names and the agent's own ids; times are half-open. */
export async function listSessions(
  pool: Queryable,
  accountId: Uuid,
  filter: Parameters<ArchiveReader['listSessions']>[1],
): Promise<Page<SessionRow>> {
  const limit = atLeastOne(filter.limit);
  const after = readCursor(filter.cursor);
  const { rows } = await pool.query<StoredSession>(
    `${SESSIONS}
       AND ($2::text IS NULL OR s.agent = $2)
       AND ($3::uuid IS NULL OR s.project_id = $3)
       AND ($4::text IS NULL OR strpos(lower(concat_ws(E'\\n', s.title, p.name, s.client_session_id)), lower($4)) > 0)
       AND ($5::timestamptz IS NULL OR s.last_seen_at >= $5)
       AND ($6::timestamptz IS NULL OR s.started_at < $6)
       AND ($7::timestamptz IS NULL OR (s.last_seen_at, s.id) < ($7, $8::uuid))
     ORDER BY s.last_seen_at DESC, s.id DESC LIMIT $9`,
    [
      accountId,
      filter.agent ?? null,
      filter.projectId ?? null,
      filter.text ? plainText(filter.text) : null,
      filter.from === undefined ? null : dateOf(filter.from),
      filter.to === undefined ? null : dateOf(filter.to),
      after?.at ?? null,
      after?.id ?? null,
      limit + 1,
    ],
  );
  return pageOf(rows, limit, (row) => ({ at: row.last_seen_at, id: row.id }), sessionOf);
}

/** One session, or null. */
export async function getSession(
  pool: Queryable,
  accountId: Uuid,
  sessionId: Uuid,
): Promise<SessionRow | null> {
  const { rows } = await pool.query<StoredSession>(`${SESSIONS} AND s.id = $2`, [accountId, sessionId]);
  const [row] = rows;
  return row ? sessionOf(row) : null;
}

/** The account's projects with the number of their sessions, by name. */
export async function listProjects(
  pool: Queryable,
  accountId: Uuid,
): Promise<readonly { readonly id: Uuid; readonly name: string; readonly sessions: number }[]> {
  const { rows } = await pool.query<{ id: Uuid; name: string; sessions: number }>(
    `SELECT p.id, p.name,
       (SELECT count(*)::int FROM session s WHERE s.account_id = p.account_id AND s.project_id = p.id) AS sessions
     FROM project p WHERE p.account_id = $1 ORDER BY p.name, p.id`,
    [accountId],
  );
  return rows;
}

function sessionOf(row: StoredSession): SessionRow {
  return {
    id: row.id,
    clientSessionId: row.client_session_id,
    agent: row.agent,
    agentVersion: row.agent_version,
    title: row.title,
    project: row.project_id === null ? null : { id: row.project_id, name: row.project_name ?? '' },
    worktree:
      row.worktree_id === null ? null : { id: row.worktree_id, path: row.path ?? '', branch: row.branch },
    startedAt: millisOf(row.started_at),
    lastSeenAt: millisOf(row.last_seen_at),
    turns: row.turns,
    requests: row.requests,
    head: row.head,
    threads: row.threads,
  };
}

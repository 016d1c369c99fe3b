import type { Uuid } from '../../kernel/ids.ts';
import type { Queryable } from './connection.ts';

/**
 * What deletions take of the rows of Recall (how conversations began, layouts, hidden rounds): they lie in the same
 * database, name sessions as their agents do, and hold texts of the archive, so that they go in the same transaction.
 */

/** Name of the thread under which a fork has what it inherited of another session's sub-agents, and of its beginnings. */
const INHERITED = 'inherited';

/** A session by its agent's name for it. */
interface SessionName {
  readonly agent: string;
  readonly session: string;
}

/** What is known of a session's rows before anything of it is deleted. */
export interface RecallOfSession {
  readonly name: SessionName;
  /** Who goes on with what the session began with; null: nobody. */
  readonly heir: SessionName | null;
  /** Layouts and hidden rounds that stand in another session's history too, and whose they become. */
  readonly layouts: readonly (SessionName & { readonly made_at: Buffer })[];
  readonly rounds: readonly (SessionName & { readonly id: Uuid })[];
}

/** Sessions other than $2 that hold a message in their log: the one that was seen last. */
function heirOf(message: string): string {
  return `
  SELECT s.agent, s.client_session_id AS session
  FROM event e JOIN session s ON s.account_id = e.account_id AND s.id = e.session_id
  WHERE e.account_id = $1 AND e.message_hash = ${message} AND s.id <> $2 AND s.client_session_id IS NOT NULL
  ORDER BY s.last_seen_at DESC, s.id LIMIT 1`;
}

const FIRST = `(
  SELECT message_hash FROM event WHERE account_id = $1 AND session_id = $2 AND message_hash IS NOT NULL ORDER BY seq LIMIT 1)`;

/** Layouts by the oldest message that stays in view: who has it has all that their index tells. Others hold no texts. */
const LAYOUTS = `
SELECT l.made_at, heir.* FROM layout l
CROSS JOIN LATERAL (${heirOf(`COALESCE(decode(l.content->>'boundaryMessage', 'hex'), ${FIRST})`)}) heir
WHERE l.account_id = $1 AND l.agent = $3 AND l.session = $4`;

/** Hidden rounds by the answer that they belong to. */
const ROUNDS = `
SELECT p.id, heir.* FROM splice p JOIN answer a ON a.account_id = $1 AND a.request_id = p.request_id
CROSS JOIN LATERAL (${heirOf('a.messages[cardinality(a.messages)]')}) heir
WHERE p.account_id = $1 AND p.agent = $3 AND p.session = $4`;

/** Reads it, under the account's lock. Null where the session has no name: then it has no such rows either. */
export async function readRecallOfSession(
  connection: Queryable,
  accountId: Uuid,
  sessionId: Uuid,
  { agent, session }: { readonly agent: string; readonly session: string | null },
): Promise<RecallOfSession | null> {
  if (session === null) return null;
  const ours = [accountId, sessionId];
  const heirs = await connection.query<SessionName>(heirOf(FIRST), ours);
  const layouts = await connection.query<SessionName & { made_at: Buffer }>(LAYOUTS, [
    ...ours,
    agent,
    session,
  ]);
  const rounds = await connection.query<SessionName & { id: Uuid }>(ROUNDS, [...ours, agent, session]);
  return {
    name: { agent, session },
    heir: heirs.rows[0] ?? null,
    layouts: layouts.rows,
    rounds: rounds.rows,
  };
}

/** Hands on what others go on with, and deletes the rest. Comes behind the deletion of the messages. */
export async function eraseRecallOfSession(
  connection: Queryable,
  accountId: Uuid,
  { name, heir, layouts, rounds }: RecallOfSession,
): Promise<void> {
  const names = (rows: readonly SessionName[]) => [
    rows.map((row) => row.agent),
    rows.map((row) => row.session),
  ];
  await connection.query(
    `UPDATE layout l SET agent = g.agent, session = g.session, thread = ${HANDED_ON}
     FROM unnest($2::bytea[], $3::text[], $4::text[]) AS g(made_at, agent, session)
     WHERE l.account_id = $1 AND l.made_at = g.made_at`,
    [accountId, layouts.map((row) => row.made_at), ...names(layouts)],
  );
  await connection.query(
    `UPDATE splice p SET agent = g.agent, session = g.session, thread = ${HANDED_ON}
     FROM unnest($2::uuid[], $3::text[], $4::text[]) AS g(id, agent, session)
     WHERE p.account_id = $1 AND p.id = g.id`,
    [accountId, rounds.map((row) => row.id), ...names(rounds)],
  );
  const own = [accountId, name.agent, name.session];
  if (heir !== null) {
    await connection.query(
      `INSERT INTO beginning (account_id, agent, session, thread, began, choices, at)
       SELECT $1, $4, $5, '${INHERITED}', began, choices, at FROM beginning
       WHERE account_id = $1 AND agent = $2 AND session = $3 ORDER BY at ON CONFLICT DO NOTHING`,
      [...own, heir.agent, heir.session],
    );
  }
  for (const table of ['beginning', 'layout', 'splice', 'thread_state'])
    await connection.query(`DELETE FROM ${table} WHERE account_id = $1 AND agent = $2 AND session = $3`, own);
}

/** A sub-agent's thread of the one session may have the name of another's of the other. */
const HANDED_ON = `CASE WHEN thread = '' THEN '' ELSE '${INHERITED}' END`;

/** An item that was deleted; of a result, the call that it answered. */
export interface DeletedItem {
  readonly docid: string;
  readonly call_message: Buffer | null;
  readonly call_position: number | null;
}

/** Takes their content from hidden rounds that show a document which was deleted; a call with its result is one. */
export async function forgetShown(
  connection: Queryable,
  accountId: Uuid,
  items: readonly DeletedItem[],
): Promise<void> {
  const results = items.filter((item) => item.call_message !== null);
  const { rows: calls } = await connection.query<{ docid: string }>(
    `SELECT i.docid FROM unnest($2::bytea[], $3::int[]) AS g(hash, position)
     JOIN item i ON i.account_id = $1 AND i.message_hash = g.hash AND i.position = g.position`,
    [accountId, results.map((item) => item.call_message), results.map((item) => item.call_position)],
  );
  const { rows } = await connection.query<{ splice_id: Uuid }>(
    `SELECT DISTINCT d.splice_id FROM unnest($2::text[]) AS g(docid)
     JOIN splice_document d ON d.account_id = $1 AND d.docid = 'context-mode-msg-' || g.docid`,
    [accountId, [...items, ...calls].map((item) => item.docid)],
  );
  if (rows.length === 0) return;
  const ids = [accountId, rows.map((row) => row.splice_id)];
  await connection.query(
    `UPDATE splice SET data = NULL, documents = '{}' WHERE account_id = $1 AND id = ANY($2::uuid[])`,
    ids,
  );
  await connection.query(
    'DELETE FROM splice_document WHERE account_id = $1 AND splice_id = ANY($2::uuid[])',
    ids,
  );
}

/** Deletes what is older than `before` and belongs to no session that is there: it was never archived. */
export async function eraseUnplacedRecall(
  connection: Queryable,
  accountId: Uuid,
  before: Date,
): Promise<void> {
  for (const table of ['beginning', 'layout', 'splice', 'thread_state'])
    await connection.query(
      `DELETE FROM ${table} r WHERE r.account_id = $1 AND r.at < $2 AND NOT EXISTS (
         SELECT 1 FROM session s
         WHERE s.account_id = $1 AND s.agent = r.agent AND s.client_session_id = r.session)`,
      [accountId, before],
    );
  await countRecall(connection, accountId);
}

/** Counts a change of these rows, so that gateways look at them anew. */
export async function countRecall(connection: Queryable, accountId: Uuid): Promise<void> {
  await connection.query(
    `INSERT INTO recall_state AS s (account_id, version) VALUES ($1, 1)
     ON CONFLICT (account_id) DO UPDATE SET version = s.version + 1`,
    [accountId],
  );
}

import { type AgentName, DOC_ID_PREFIX } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { DocId } from '../types.ts';
import { prepared, type Queryable } from './connection.ts';
import { docIdFrom } from './find-document.ts';
import { name } from './values.ts';

/** Where a conversation asks from: it may read what stands in its project, and without a project what stands in itself. */
export interface AskingPlace {
  readonly sessionId: Uuid;
  readonly projectId: Uuid | null;
}

/** What the gateway looks up for a conversation that asks the archive. Every call is of one account. */
export interface AskingReader {
  /** The place of a conversation by the name that its agent gives it, as it is stored; null: nothing of it is stored. */
  findSession(accountId: Uuid, agent: AgentName, session: string): Promise<AskingPlace | null>;
  /** Those of some documents (whole ids) whose text an event of the place shows, in no order. */
  documentsIn(accountId: Uuid, place: AskingPlace, docids: readonly DocId[]): Promise<readonly DocId[]>;
}

/** Makes the reading side of conversations that ask. */
export function createAskingReader(pool: Queryable): AskingReader {
  return {
    findSession: (accountId, agent, session) => findSession(pool, accountId, agent, session),
    documentsIn: (accountId, place, docids) => documentsIn(pool, accountId, place, docids),
  };
}

async function findSession(
  pool: Queryable,
  accountId: Uuid,
  agent: AgentName,
  session: string,
): Promise<AskingPlace | null> {
  const { rows } = await pool.query<{ id: Uuid; project_id: Uuid | null }>(
    prepared(
      'asking_session',
      'SELECT id, project_id FROM session WHERE account_id = $1 AND agent = $2 AND client_session_id = $3',
      [accountId, agent, name(session)],
    ),
  );
  const [row] = rows;
  return row === undefined ? null : { sessionId: row.id, projectId: row.project_id };
}

/** The text of a call's document is its newest result's: that is what the place must show. */
const IN_PLACE = `
SELECT i.docid FROM item i
LEFT JOIN LATERAL (
  SELECT r.message_hash, r.position FROM item r
  JOIN message m ON m.account_id = r.account_id AND m.hash = r.message_hash
  WHERE r.account_id = $1 AND r.call_message = i.message_hash AND r.call_position = i.position
  ORDER BY m.seen_at DESC, r.message_hash DESC, r.position DESC LIMIT 1
) t ON i.kind = 'tool_call'
WHERE i.account_id = $1 AND i.docid = ANY($2::text[]) AND EXISTS (
  SELECT 1 FROM event e
  JOIN session s ON s.account_id = e.account_id AND s.id = e.session_id
  LEFT JOIN worktree w ON w.account_id = e.account_id AND w.id = e.worktree_id
  WHERE e.account_id = $1 AND e.message_hash = COALESCE(t.message_hash, i.message_hash)
    AND e.position = COALESCE(t.position, i.position)
    AND CASE WHEN $4::uuid IS NULL THEN e.session_id = $3
      ELSE COALESCE(w.project_id, s.project_id) = $4 END
)`;

async function documentsIn(
  pool: Queryable,
  accountId: Uuid,
  { sessionId, projectId }: AskingPlace,
  docids: readonly DocId[],
): Promise<readonly DocId[]> {
  const digits = docids.map((docid) => docid.slice(DOC_ID_PREFIX.length));
  const { rows } = await pool.query<{ docid: string }>(
    prepared('asking_documents', IN_PLACE, [accountId, digits, sessionId, projectId]),
  );
  return rows.map((row) => docIdFrom(row.docid));
}

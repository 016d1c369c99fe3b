import { DOC_ID_PREFIX, hexOf, type ItemKind, type Role } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { DocId, RecordBatch } from '../types.ts';
import type { Queryable } from './connection.ts';
import type { LockedSession } from './session-lock.ts';
import { MAIN_THREAD } from './threads.ts';
import { dateOf, millisOf } from './values.ts';

/** A part of a turn as it is archived: its words are masked. */
export interface TurnText {
  readonly docid: DocId;
  readonly role: Role;
  readonly kind: ItemKind;
  readonly text: string;
}

/** A message that memory has not looked at yet, with what was answered right before it. */
export interface UnlearnedTurn {
  readonly sessionId: Uuid;
  readonly threadId: Uuid;
  readonly projectId: Uuid | null;
  readonly worktreeId: Uuid | null;
  /** True for a session's main line. */
  readonly isMain: boolean;
  /** The zone that the agent states; null: it states none. */
  readonly zone: string | null;
  readonly at: Millis;
  /** How often it was tried before. */
  readonly attempts: number;
  readonly parts: readonly TurnText[];
  /** Texts of the answer that the message follows; none where nothing was typed. */
  readonly answered: readonly TurnText[];
  /** What {@link TurnsToLearn.done} is told. */
  readonly key: { readonly session: Uuid; readonly message: Uint8Array };
}

/** The turns that wait for memory. Every call is of one account. */
export interface TurnsToLearn {
  /** The oldest ones. */
  next(accountId: Uuid, limit: number): Promise<readonly UnlearnedTurn[]>;
  /** One was looked at, or is given up. */
  done(accountId: Uuid, turn: UnlearnedTurn): Promise<void>;
  /** One could not be looked at; it stays. */
  failed(accountId: Uuid, turn: UnlearnedTurn): Promise<void>;
}

/** Leaves word of the messages that memory is to look at, in the transaction that writes them. */
export async function leaveToLearn(
  connection: Queryable,
  batch: RecordBatch,
  session: LockedSession,
  missing: readonly { readonly hash: Uint8Array }[],
): Promise<void> {
  const isNew = new Set(missing.map(({ hash }) => hexOf(hash)));
  const learns = (batch.learns ?? []).filter((hash) => isNew.has(hexOf(hash)));
  if (learns.length === 0) return;
  await connection.query(
    `INSERT INTO unlearned_turn (account_id, session_id, message_hash, thread_id, at)
     SELECT $1, $2, g.hash, $3, $4 FROM unnest($5::bytea[]) AS g(hash) ON CONFLICT DO NOTHING`,
    [batch.accountId, session.id, session.thread_id, dateOf(batch.at), learns],
  );
}

/** Makes the reading side of what waits for memory. */
export function createTurnsToLearn(pool: Queryable): TurnsToLearn {
  return {
    next: (accountId, limit) => next(pool, accountId, limit),
    async done(accountId, { key }) {
      await pool.query(
        'DELETE FROM unlearned_turn WHERE account_id = $1 AND session_id = $2 AND message_hash = $3',
        [accountId, key.session, key.message],
      );
    },
    async failed(accountId, { key }) {
      await pool.query(
        'UPDATE unlearned_turn SET attempts = attempts + 1 WHERE account_id = $1 AND session_id = $2 AND message_hash = $3',
        [accountId, key.session, key.message],
      );
    },
  };
}

interface TurnRow {
  readonly session_id: Uuid;
  readonly message_hash: Buffer;
  readonly thread_id: Uuid;
  readonly at: Date;
  readonly attempts: number;
  readonly project_id: Uuid | null;
  readonly worktree_id: Uuid | null;
  readonly client_thread_id: string;
  readonly zone: string | null;
  readonly parts: readonly TurnText[];
  readonly answered: readonly TurnText[];
}

async function next(pool: Queryable, accountId: Uuid, limit: number): Promise<readonly UnlearnedTurn[]> {
  const { rows } = await pool.query<TurnRow>(NEXT, [accountId, limit]);
  return rows.map((row) => ({
    sessionId: row.session_id,
    threadId: row.thread_id,
    projectId: row.project_id,
    worktreeId: row.worktree_id,
    isMain: row.client_thread_id === MAIN_THREAD,
    zone: row.zone,
    at: millisOf(row.at),
    attempts: row.attempts,
    parts: row.parts,
    answered: row.answered,
    key: { session: row.session_id, message: row.message_hash },
  }));
}

const PART = `json_build_object('docid', '${DOC_ID_PREFIX}' || i.docid, 'role', m.role, 'kind', i.kind, 'text', i.text)`;

/** An answer's texts are those behind the typed words before the message, in its thread: only where words were typed. */
const NEXT = `
WITH waiting AS (
  SELECT * FROM unlearned_turn WHERE account_id = $1 ORDER BY n LIMIT $2
)
SELECT u.session_id, u.message_hash, u.thread_id, u.at, u.attempts, s.project_id, e.worktree_id, t.client_thread_id,
  z.zone, p.parts, COALESCE(a.answered, '[]'::json) AS answered
FROM waiting u
JOIN session s ON s.account_id = $1 AND s.id = u.session_id
JOIN thread t ON t.account_id = $1 AND t.id = u.thread_id
CROSS JOIN LATERAL (
  SELECT COALESCE(json_agg(${PART} ORDER BY i.position), '[]'::json) AS parts,
    bool_or(i.kind = 'input' AND m.role = 'user') AS typed
  FROM message m JOIN item i ON i.account_id = $1 AND i.message_hash = m.hash
  WHERE m.account_id = $1 AND m.hash = u.message_hash
) p
LEFT JOIN LATERAL (
  SELECT seq, worktree_id FROM event
  WHERE account_id = $1 AND session_id = u.session_id AND message_hash = u.message_hash AND position IS NOT NULL
  ORDER BY seq LIMIT 1
) e ON true
LEFT JOIN LATERAL (
  SELECT substring(i.text FROM '<timezone>([A-Za-z0-9_+/-]{1,64})</timezone>') AS zone
  FROM event n JOIN item i ON i.account_id = $1 AND i.message_hash = n.message_hash AND i.position = n.position
  WHERE n.account_id = $1 AND n.session_id = u.session_id AND n.kind = 'injected' AND n.seq < e.seq
    AND i.text LIKE '%<timezone>%'
  ORDER BY n.seq DESC LIMIT 1
) z ON p.typed
LEFT JOIN LATERAL (
  SELECT json_agg(${PART} ORDER BY n.seq) AS answered
  FROM event n
  JOIN message m ON m.account_id = $1 AND m.hash = n.message_hash
  JOIN item i ON i.account_id = $1 AND i.message_hash = n.message_hash AND i.position = n.position
  WHERE n.account_id = $1 AND n.session_id = u.session_id AND n.thread_id = u.thread_id AND n.kind = 'answer'
    AND n.seq < e.seq AND n.seq > COALESCE((
      SELECT max(l.seq) FROM event l WHERE l.account_id = $1 AND l.session_id = u.session_id
        AND l.thread_id = u.thread_id AND l.kind = 'input' AND l.seq < e.seq), 0)
) a ON p.typed
ORDER BY u.n`;

import type { Clock, Millis } from '../../kernel/clock.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import { type Queryable, type StorePool, transaction } from './connection.ts';
import { tick } from './content.ts';
import type { Drawn, EraseTools } from './drawn.ts';
import {
  countRecall,
  type DeletedItem,
  eraseRecallOfSession,
  forgetShown,
  readRecallOfSession,
} from './erasure-recall.ts';
import { LIVE_NOTIFY } from './live.ts';
import { forgetItems } from './search-forget.ts';
import { dropUnusedPlaces } from './unused-places.ts';
import { json } from './values.ts';

/** Who deletes: a person who asked for it, or the time that a person set. */
export type Eraser = 'person' | 'retention';

/** What a deletion of a session is told. */
export interface SessionErasure {
  readonly accountId: Uuid;
  readonly sessionId: Uuid;
  readonly by: Eraser;
  /** Only a session that was not seen since then is deleted; null: whenever it was seen. */
  readonly notSeenSince: Date | null;
}

/**
 * Deletes a session in one transaction: its events, requests and answers, then every message, item, binary content,
 * preamble, worktree and project that nothing refers to any more, its settings, what Recall keeps of it, and the facts that
 * were drawn from it alone. What another
 * session's log holds stays for that session. The audit keeps that it was done and how much went, nothing of its content. Answers whether there was such a
 * session.
 */
export async function deleteSession(
  pool: StorePool,
  tools: EraseTools,
  erasure: SessionErasure,
  at: Millis,
): Promise<boolean> {
  const { accountId, sessionId } = erasure;
  const done = await transaction(pool, async (connection) => {
    const { at: now } = await tick(connection, accountId, at);
    return eraseSession(connection, tools, erasure, now);
  });
  if (done) await pool.query(LIVE_NOTIFY, [accountId, 'deleted', sessionId]).catch(() => undefined);
  return done;
}

interface ErasedSession {
  readonly agent: string;
  readonly client_session_id: string | null;
  readonly project_id: Uuid | null;
  readonly worktree_id: Uuid | null;
}

/** The same inside a transaction that holds the account's lock; `now` is the account's clock. */
export async function eraseSession(
  connection: Queryable,
  { clock, drawn }: EraseTools,
  { accountId, sessionId, by, notSeenSince }: SessionErasure,
  now: Date,
): Promise<boolean> {
  const ours = [accountId, sessionId];
  const found = await connection.query<ErasedSession>(
    `SELECT agent, client_session_id, project_id, worktree_id FROM session
     WHERE account_id = $1 AND id = $2 AND ($3::timestamptz IS NULL OR last_seen_at < $3) FOR UPDATE`,
    [...ours, notSeenSince],
  );
  const [session] = found.rows;
  if (session === undefined) return false;
  await countErasure(connection, accountId);
  const { agent, client_session_id: name } = session;
  const recall = await readRecallOfSession(connection, accountId, sessionId, { agent, session: name });
  await deleteRequests(connection, accountId, sessionId);
  const { events, messages, worktrees } = await deleteEvents(connection, accountId, sessionId);
  const items = await deleteMessages(connection, drawn, accountId, messages);
  if (recall !== null) await eraseRecallOfSession(connection, accountId, recall);
  await countRecall(connection, accountId);
  await connection.query('DELETE FROM setting WHERE account_id = $1 AND scope = $2', ours);
  const threads = await connection.query<{ id: Uuid }>(
    'DELETE FROM thread WHERE account_id = $1 AND session_id = $2 RETURNING id',
    ours,
  );
  await drawn.scopes(
    connection,
    accountId,
    threads.rows.map((row) => row.id),
  );
  await connection.query(
    'UPDATE session SET fork_session_id = NULL WHERE account_id = $1 AND fork_session_id = $2',
    ours,
  );
  await connection.query('DELETE FROM session WHERE account_id = $1 AND id = $2', ours);
  await connection.query('DELETE FROM pending_deletion WHERE account_id = $1 AND subject = $2', ours);
  if (session.project_id !== null) {
    const used = session.worktree_id === null ? worktrees : [...worktrees, session.worktree_id];
    await dropUnusedPlaces(connection, accountId, { worktrees: used, projects: [session.project_id] });
  }
  await writeAudit(connection, clock, {
    accountId,
    at: now,
    by,
    act: 'session.delete',
    subject: sessionId,
    data: { events, messages: messages.length, items },
  });
  return true;
}

/** Counts a deletion: what was read before it is not taken for stored after it. */
export async function countErasure(connection: Queryable, accountId: Uuid): Promise<void> {
  await connection.query('UPDATE account SET erasures = erasures + 1 WHERE id = $1', [accountId]);
}

/** Keeps that something was done: ids and numbers alone. */
export async function writeAudit(
  connection: Queryable,
  clock: Clock,
  entry: {
    readonly accountId: Uuid;
    readonly at: Date;
    readonly by: Eraser;
    readonly act: string;
    readonly subject: Uuid;
    readonly data: Readonly<Record<string, number | null>>;
  },
): Promise<void> {
  await connection.query(
    `INSERT INTO audit (account_id, id, at, actor, act, subject, data) VALUES ($1, $2, $3, $4, $5, $6, $7::jsonb)`,
    [entry.accountId, newId(clock), entry.at, entry.by, entry.act, entry.subject, json(entry.data)],
  );
}

/** Requests go first: an answer is kept only while it can lock its request, so that none comes behind. */
async function deleteRequests(connection: Queryable, accountId: Uuid, sessionId: Uuid): Promise<void> {
  const { rows } = await connection.query<{ id: Uuid; preamble_hash: Buffer | null }>(
    'DELETE FROM request WHERE account_id = $1 AND session_id = $2 RETURNING id, preamble_hash',
    [accountId, sessionId],
  );
  await connection.query('DELETE FROM answer WHERE account_id = $1 AND request_id = ANY($2::uuid[])', [
    accountId,
    rows.map((row) => row.id),
  ]);
  await connection.query(
    `DELETE FROM preamble p WHERE p.account_id = $1 AND p.hash = ANY($2::bytea[]) AND NOT EXISTS (
       SELECT 1 FROM request r WHERE r.account_id = $1 AND r.preamble_hash = p.hash)`,
    [accountId, distinct(rows.map((row) => row.preamble_hash))],
  );
}

/** Deletes the session's log and answers which of its messages no log holds any more, and which worktrees it named. */
async function deleteEvents(
  connection: Queryable,
  accountId: Uuid,
  sessionId: Uuid,
): Promise<{
  readonly events: number;
  readonly messages: readonly Buffer[];
  readonly worktrees: readonly Uuid[];
}> {
  const deleted = await connection.query<{ message_hash: Buffer | null; worktree_id: Uuid | null }>(
    'DELETE FROM event WHERE account_id = $1 AND session_id = $2 RETURNING message_hash, worktree_id',
    [accountId, sessionId],
  );
  const { rows } = await connection.query<{ hash: Buffer }>(
    `SELECT g.hash FROM unnest($2::bytea[]) AS g(hash)
     WHERE NOT EXISTS (SELECT 1 FROM event e WHERE e.account_id = $1 AND e.message_hash = g.hash)`,
    [accountId, distinct(deleted.rows.map((row) => row.message_hash))],
  );
  return {
    events: deleted.rows.length,
    messages: rows.map((row) => row.hash),
    worktrees: [...new Set(deleted.rows.flatMap((row) => row.worktree_id ?? []))],
  };
}

/** Deletes messages with all that hangs on them; answers how many items went. */
export async function deleteMessages(
  connection: Queryable,
  drawn: Drawn,
  accountId: Uuid,
  messages: readonly Buffer[],
): Promise<number> {
  const ours = [accountId, messages];
  await forgetItems(connection, accountId, messages);
  const media = await connection.query<{ blob_hash: Buffer }>(
    'DELETE FROM media WHERE account_id = $1 AND message_hash = ANY($2::bytea[]) RETURNING blob_hash',
    ours,
  );
  const items = await connection.query<DeletedItem>(
    `DELETE FROM item WHERE account_id = $1 AND message_hash = ANY($2::bytea[])
     RETURNING docid, call_message, call_position`,
    ours,
  );
  await drawn.documents(
    connection,
    accountId,
    items.rows.map((row) => row.docid),
  );
  await forgetShown(connection, accountId, items.rows);
  await connection.query(
    'DELETE FROM message_alias WHERE account_id = $1 AND message_hash = ANY($2::bytea[])',
    ours,
  );
  await connection.query('DELETE FROM message WHERE account_id = $1 AND hash = ANY($2::bytea[])', ours);
  await connection.query(
    `DELETE FROM blob b WHERE b.account_id = $1 AND b.hash = ANY($2::bytea[]) AND NOT EXISTS (
       SELECT 1 FROM media f WHERE f.account_id = $1 AND f.blob_hash = b.hash)`,
    [accountId, distinct(media.rows.map((row) => row.blob_hash))],
  );
  return items.rowCount ?? 0;
}

function distinct(hashes: readonly (Buffer | null)[]): readonly Buffer[] {
  const found = new Map<string, Buffer>();
  for (const hash of hashes) if (hash !== null) found.set(hash.toString('hex'), hash);
  return [...found.values()];
}

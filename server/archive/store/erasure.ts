import type { Clock, Millis } from '../../kernel/clock.ts';
import { newId, type Uuid } from '../../kernel/ids.ts';
import { type Queryable, type StorePool, transaction } from './connection.ts';
import { tick } from './content.ts';
import { LIVE_NOTIFY } from './live.ts';
import { json } from './values.ts';

/**
 * Deletes a session by a person's wish in one transaction: its events, requests and answers, then every message, item,
 * binary content and preamble that nothing refers to any more. What another session's log holds stays for that session.
 * The audit keeps that it was done and how much went, nothing of its content. Answers whether there was such a session.
 */
export async function deleteSession(
  pool: StorePool,
  clock: Clock,
  accountId: Uuid,
  sessionId: Uuid,
  at: Millis,
): Promise<boolean> {
  const done = await transaction(pool, async (connection) => {
    const { at: now } = await tick(connection, accountId, at);
    const found = await connection.query(
      'SELECT 1 FROM session WHERE account_id = $1 AND id = $2 FOR UPDATE',
      [accountId, sessionId],
    );
    if (found.rows.length === 0) return false;
    await connection.query('UPDATE account SET erasures = erasures + 1 WHERE id = $1', [accountId]);
    await deleteRequests(connection, accountId, sessionId);
    const { events, messages } = await deleteEvents(connection, accountId, sessionId);
    const items = await deleteMessages(connection, accountId, messages);
    await connection.query('DELETE FROM thread WHERE account_id = $1 AND session_id = $2', [
      accountId,
      sessionId,
    ]);
    await connection.query(
      'UPDATE session SET fork_session_id = NULL WHERE account_id = $1 AND fork_session_id = $2',
      [accountId, sessionId],
    );
    await connection.query('DELETE FROM session WHERE account_id = $1 AND id = $2', [accountId, sessionId]);
    await connection.query(
      `INSERT INTO audit (account_id, id, at, actor, act, subject, data)
       VALUES ($1, $2, $3, 'person', 'session.delete', $4, $5::jsonb)`,
      [accountId, newId(clock), now, sessionId, json({ events, messages: messages.length, items })],
    );
    return true;
  });
  if (done) await pool.query(LIVE_NOTIFY, [accountId, 'deleted', sessionId]).catch(() => undefined);
  return done;
}

async function deleteRequests(connection: Queryable, accountId: Uuid, sessionId: Uuid): Promise<void> {
  await connection.query(
    `DELETE FROM answer a USING request r
     WHERE a.account_id = $1 AND r.account_id = $1 AND r.session_id = $2 AND a.request_id = r.id`,
    [accountId, sessionId],
  );
  const { rows } = await connection.query<{ preamble_hash: Buffer | null }>(
    'DELETE FROM request WHERE account_id = $1 AND session_id = $2 RETURNING preamble_hash',
    [accountId, sessionId],
  );
  await connection.query(
    `DELETE FROM preamble p WHERE p.account_id = $1 AND p.hash = ANY($2::bytea[]) AND NOT EXISTS (
       SELECT 1 FROM request r WHERE r.account_id = $1 AND r.preamble_hash = p.hash)`,
    [accountId, distinct(rows.map((row) => row.preamble_hash))],
  );
}

/** Deletes the session's log and answers which of its messages no log holds any more. */
async function deleteEvents(
  connection: Queryable,
  accountId: Uuid,
  sessionId: Uuid,
): Promise<{ readonly events: number; readonly messages: readonly Buffer[] }> {
  const deleted = await connection.query<{ message_hash: Buffer | null }>(
    'DELETE FROM event WHERE account_id = $1 AND session_id = $2 RETURNING message_hash',
    [accountId, sessionId],
  );
  const { rows } = await connection.query<{ hash: Buffer }>(
    `SELECT g.hash FROM unnest($2::bytea[]) AS g(hash)
     WHERE NOT EXISTS (SELECT 1 FROM event e WHERE e.account_id = $1 AND e.message_hash = g.hash)`,
    [accountId, distinct(deleted.rows.map((row) => row.message_hash))],
  );
  return { events: deleted.rows.length, messages: rows.map((row) => row.hash) };
}

/** Deletes messages with all that hangs on them; answers how many items went. */
async function deleteMessages(
  connection: Queryable,
  accountId: Uuid,
  messages: readonly Buffer[],
): Promise<number> {
  const ours = [accountId, messages];
  const media = await connection.query<{ blob_hash: Buffer }>(
    'DELETE FROM media WHERE account_id = $1 AND message_hash = ANY($2::bytea[]) RETURNING blob_hash',
    ours,
  );
  const items = await connection.query(
    'DELETE FROM item WHERE account_id = $1 AND message_hash = ANY($2::bytea[])',
    ours,
  );
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

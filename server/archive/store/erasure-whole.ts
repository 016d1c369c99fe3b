import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { type Queryable, type StorePool, transaction } from './connection.ts';
import { tick } from './content.ts';
import type { EraseTools } from './drawn.ts';
import { countErasure, deleteMessages, deleteSession, eraseSession, writeAudit } from './erasure.ts';
import { countRecall } from './erasure-recall.ts';
import { LIVE_NOTIFY } from './live.ts';

/** Sessions whose ids are read at once. */
const AT_ONCE = 100;
/**
 * Milliseconds between two sessions of a large deletion: whoever archives meanwhile reads anew after each, and must get
 * a turn.
 */
const PAUSE_MS = 20;

/**
 * Deletes a project: each of its sessions in a transaction of its own, then, in one, those that came meanwhile and the
 * project with its names, worktrees and facts. A process that ends between goes on where it was when it is called again.
 * Answers whether there was such a project. The next request of an agent there makes the project anew.
 */
export async function deleteProject(
  pool: StorePool,
  tools: EraseTools,
  accountId: Uuid,
  projectId: Uuid,
  at: Millis,
): Promise<boolean> {
  const ours = [accountId, projectId];
  const found = await pool.query('SELECT 1 FROM project WHERE account_id = $1 AND id = $2', ours);
  let sessions = await deleteSessions(pool, tools, accountId, projectId, at);
  const done = await transaction(pool, async (connection) => {
    const { at: now } = await tick(connection, accountId, at);
    const late = await eraseAll(connection, tools, accountId, projectId, now);
    await countErasure(connection, accountId);
    const trees = await connection.query<{ id: Uuid }>(
      'DELETE FROM worktree WHERE account_id = $1 AND project_id = $2 RETURNING id',
      ours,
    );
    await tools.drawn.scopes(connection, accountId, [projectId, ...trees.rows.map((row) => row.id)]);
    await connection.query('DELETE FROM project_identity WHERE account_id = $1 AND project_id = $2', ours);
    await connection.query('DELETE FROM setting WHERE account_id = $1 AND scope = $2', ours);
    const gone = await connection.query('DELETE FROM project WHERE account_id = $1 AND id = $2', ours);
    const planned = await connection.query(
      'DELETE FROM pending_deletion WHERE account_id = $1 AND subject = $2',
      ours,
    );
    sessions += late;
    // The last of its sessions may have taken the project along, also before a process that ended here.
    if (!gone.rowCount && found.rows.length === 0 && !planned.rowCount) return false;
    const entry = { accountId, at: now, by: 'person', act: 'project.delete', subject: projectId } as const;
    await writeAudit(connection, tools.clock, { ...entry, data: { sessions } });
    return true;
  });
  if (done) await pool.query(LIVE_NOTIFY, [accountId, 'deleted', null]).catch(() => undefined);
  return done;
}

/**
 * Deletes everything of an account's archive: every session, project and request, also those that belong to none. What
 * a person set for the account and the audit stay. Facts go, whoever stated them.
 */
export async function deleteArchive(
  pool: StorePool,
  tools: EraseTools,
  accountId: Uuid,
  at: Millis,
): Promise<void> {
  let sessions = await deleteSessions(pool, tools, accountId, null, at);
  await transaction(pool, async (connection) => {
    const { at: now } = await tick(connection, accountId, at);
    sessions += await eraseAll(connection, tools, accountId, null, now);
    await countErasure(connection, accountId);
    const orphans = await connection.query<{ hash: Buffer }>(
      'SELECT hash FROM message WHERE account_id = $1',
      [accountId],
    );
    await deleteMessages(
      connection,
      tools.drawn,
      accountId,
      orphans.rows.map((row) => row.hash),
    );
    await tools.drawn.all(connection, accountId);
    for (const table of REST)
      await connection.query(`DELETE FROM ${table} WHERE account_id = $1`, [accountId]);
    await connection.query('DELETE FROM setting WHERE account_id = $1 AND scope <> $1', [accountId]);
    await countRecall(connection, accountId);
    const entry = { accountId, at: now, by: 'person', act: 'archive.delete', subject: accountId } as const;
    await writeAudit(connection, tools.clock, { ...entry, data: { sessions } });
  });
  await pool.query(LIVE_NOTIFY, [accountId, 'deleted', null]).catch(() => undefined);
}

/** What is left without sessions, the referring before what it refers to. */
const REST = [
  'answer',
  'request',
  'preamble',
  'blob',
  'beginning',
  'layout',
  'splice',
  'thread_state',
  'worktree',
  'project_identity',
  'project',
  'pending_deletion',
] as const;

/** Deletes the sessions of a project (null: of the account) that are there at the beginning, one after the other. */
async function deleteSessions(
  pool: StorePool,
  tools: EraseTools,
  accountId: Uuid,
  projectId: Uuid | null,
  at: Millis,
): Promise<number> {
  let deleted = 0;
  for (let after: Uuid | null = null; ; ) {
    const ids = await sessionIds(pool, accountId, projectId, after);
    for (const sessionId of ids) {
      const erasure = { accountId, sessionId, by: 'person', notSeenSince: null } as const;
      if (await deleteSession(pool, tools, erasure, at)) deleted += 1;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    after = ids.at(-1) ?? null;
    if (ids.length < AT_ONCE) return deleted;
  }
}

/** The same under a lock that is held already: those that came meanwhile. */
async function eraseAll(
  connection: Queryable,
  tools: EraseTools,
  accountId: Uuid,
  projectId: Uuid | null,
  now: Date,
): Promise<number> {
  let deleted = 0;
  for (let after: Uuid | null = null; ; ) {
    const ids = await sessionIds(connection, accountId, projectId, after);
    for (const sessionId of ids) {
      const erasure = { accountId, sessionId, by: 'person', notSeenSince: null } as const;
      if (await eraseSession(connection, tools, erasure, now)) deleted += 1;
    }
    after = ids.at(-1) ?? null;
    if (ids.length < AT_ONCE) return deleted;
  }
}

/** Ids grow with time, so that what begins meanwhile comes last. */
async function sessionIds(
  from: Queryable,
  accountId: Uuid,
  projectId: Uuid | null,
  after: Uuid | null,
): Promise<readonly Uuid[]> {
  const { rows } = await from.query<{ id: Uuid }>(
    `SELECT id FROM session WHERE account_id = $1 AND ($2::uuid IS NULL OR project_id = $2)
       AND ($3::uuid IS NULL OR id > $3) ORDER BY id LIMIT ${AT_ONCE}`,
    [accountId, projectId, after],
  );
  return rows.map((row) => row.id);
}

import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { Queryable, StorePool } from './connection.ts';
import type { EraseTools } from './drawn.ts';
import { deleteSession } from './erasure.ts';
import { deleteArchive, deleteProject } from './erasure-whole.ts';
import { LIVE_NOTIFY } from './live.ts';
import { dateOf, millisOf } from './values.ts';

/** How long a deletion that was asked for waits, so that it can be taken back. Milliseconds. */
export const UNDO_MS = 12_000;
/** A deletion that was asked for so far in the future was asked for before a clock went back: it is due. */
const STEPPED_BACK_MS = 60_000;

/** What can be deleted: one session, one project, or (`subject` is the account) all of it. */
export interface DeletionTarget {
  readonly kind: 'session' | 'project' | 'archive';
  readonly subject: Uuid;
}

const EXISTS: Readonly<Record<DeletionTarget['kind'], string>> = {
  session: 'EXISTS (SELECT 1 FROM session WHERE account_id = $1 AND id = $2)',
  project: 'EXISTS (SELECT 1 FROM project WHERE account_id = $1 AND id = $2)',
  archive: '$1::uuid = $2::uuid',
};

/**
 * Plans a deletion for `UNDO_MS` after `at` and answers when it is due; asked again, nothing changes. Null: there is
 * nothing of that id. The plan is in the database, so that it outlives the process.
 */
export async function planDeletion(
  pool: Queryable,
  accountId: Uuid,
  { kind, subject }: DeletionTarget,
  at: Millis,
): Promise<Millis | null> {
  const { rows } = await pool.query<{ due_at: Date }>(
    `INSERT INTO pending_deletion AS p (account_id, subject, kind, asked_at, due_at)
     SELECT $1, $2, $3, $4, $5 WHERE ${EXISTS[kind]}
     ON CONFLICT (account_id, subject) DO UPDATE SET kind = p.kind RETURNING due_at`,
    [accountId, subject, kind, dateOf(at), dateOf((at + UNDO_MS) as Millis)],
  );
  const [row] = rows;
  if (row === undefined) return null;
  await tellOfPlans(pool, accountId);
  return millisOf(row.due_at);
}

/**
 * Takes back what was planned for a session or project: its own deletion and any that would take it along. False where
 * nothing was planned, or where it has begun.
 */
export async function undoDeletion(pool: Queryable, accountId: Uuid, subject: Uuid): Promise<boolean> {
  const { rowCount } = await pool.query(
    `DELETE FROM pending_deletion WHERE account_id = $1 AND begun_at IS NULL AND (subject = $2 OR kind = 'archive'
       OR subject = (SELECT project_id FROM session WHERE account_id = $1 AND id = $2))`,
    [accountId, subject],
  );
  if (!rowCount) return false;
  await tellOfPlans(pool, accountId);
  return true;
}

/** When what is planned is due, by the id of session, project or account. */
export async function plannedDeletions(pool: Queryable, accountId: Uuid): Promise<ReadonlyMap<Uuid, Millis>> {
  const { rows } = await pool.query<{ subject: Uuid; due_at: Date }>(
    'SELECT subject, due_at FROM pending_deletion WHERE account_id = $1',
    [accountId],
  );
  return new Map(rows.map((row) => [row.subject, millisOf(row.due_at)]));
}

/**
 * For a process that starts: what was planned before it and has not begun gets its whole time again, since nobody could
 * take it back while no process ran.
 */
export async function renewPlans(pool: Queryable, accountId: Uuid, at: Millis): Promise<void> {
  const due = dateOf((at + UNDO_MS) as Millis);
  await pool.query(
    'UPDATE pending_deletion SET due_at = $2 WHERE account_id = $1 AND begun_at IS NULL AND due_at < $2',
    [accountId, due],
  );
}

/**
 * Carries out what is due, and what was begun and cut off. A deletion is marked as begun first, so that it cannot be
 * taken back half done. Answers how many were carried out and the moment when the next is due; null: nothing is planned.
 */
export async function carryOutDeletions(
  pool: StorePool,
  tools: EraseTools,
  accountId: Uuid,
): Promise<{ readonly done: number; readonly next: Millis | null }> {
  let done = 0;
  for (;;) {
    const target = await beginNext(pool, accountId, tools.clock.now());
    if (target === null) break;
    await carryOut(pool, tools, accountId, target);
    done += 1;
  }
  const { rows } = await pool.query<{ next: Date | null }>(
    'SELECT min(due_at) AS next FROM pending_deletion WHERE account_id = $1',
    [accountId],
  );
  const next = rows[0]?.next ?? null;
  return { done, next: next === null ? null : millisOf(next) };
}

async function beginNext(pool: Queryable, accountId: Uuid, at: Millis): Promise<DeletionTarget | null> {
  const { rows } = await pool.query<DeletionTarget>(
    `UPDATE pending_deletion SET begun_at = COALESCE(begun_at, $2) WHERE account_id = $1 AND subject = (
       SELECT subject FROM pending_deletion
       WHERE account_id = $1 AND (begun_at IS NOT NULL OR due_at <= $2 OR asked_at > $3)
       ORDER BY due_at, subject LIMIT 1 FOR UPDATE)
     RETURNING kind, subject`,
    [accountId, dateOf(at), dateOf((at + STEPPED_BACK_MS) as Millis)],
  );
  return rows[0] ?? null;
}

/** Each of these takes its plan out of the database in the transaction that ends it. */
async function carryOut(
  pool: StorePool,
  tools: EraseTools,
  accountId: Uuid,
  { kind, subject }: DeletionTarget,
): Promise<void> {
  const at = tools.clock.now();
  if (kind === 'archive') return deleteArchive(pool, tools, accountId, at);
  const erasure = { accountId, sessionId: subject, by: 'person', notSeenSince: null } as const;
  const was =
    kind === 'project'
      ? await deleteProject(pool, tools, accountId, subject, at)
      : await deleteSession(pool, tools, erasure, at);
  if (was) return;
  // It went by another way since it was planned.
  await pool.query('DELETE FROM pending_deletion WHERE account_id = $1 AND subject = $2', [
    accountId,
    subject,
  ]);
}

async function tellOfPlans(pool: Queryable, accountId: Uuid): Promise<void> {
  await pool.query(LIVE_NOTIFY, [accountId, 'planned', null]).catch(() => undefined);
}

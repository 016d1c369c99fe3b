import type { Uuid } from '../../kernel/ids.ts';
import type { Queryable } from './connection.ts';

/** Places that may have lost the last that referred to them. */
export interface PlacesToLookAt {
  readonly worktrees: readonly Uuid[];
  readonly projects: readonly Uuid[];
}

/**
 * Deletes of these worktrees the ones that no session, event, touched file or fact names, then of these projects the ones
 * that have neither session, worktree nor fact any more and that no person set anything for. Answers how many rows of both went.
 * Asks for the account's lock to be held, so that no place is taken up meanwhile.
 */
export async function dropUnusedPlaces(
  connection: Queryable,
  accountId: Uuid,
  { worktrees, projects }: PlacesToLookAt,
): Promise<number> {
  const trees = await connection.query(DROP_WORKTREES, [accountId, worktrees]);
  const { rows } = await connection.query<{ id: Uuid }>(UNUSED_PROJECTS, [accountId, projects]);
  const unused = [accountId, rows.map((row) => row.id)];
  await connection.query(
    'DELETE FROM project_identity WHERE account_id = $1 AND project_id = ANY($2::uuid[])',
    unused,
  );
  await connection.query('DELETE FROM project WHERE account_id = $1 AND id = ANY($2::uuid[])', unused);
  return (trees.rowCount ?? 0) + rows.length;
}

/** A worktree is named by sessions of its own project alone, so that only their events are looked through. */
const DROP_WORKTREES = `
DELETE FROM worktree w WHERE w.account_id = $1 AND w.id = ANY($2::uuid[])
  AND NOT EXISTS (
    SELECT 1 FROM session s WHERE s.account_id = $1 AND s.project_id = w.project_id AND s.worktree_id = w.id)
  AND NOT EXISTS (SELECT 1 FROM file_touch t WHERE t.account_id = $1 AND t.worktree_id = w.id)
  AND NOT EXISTS (SELECT 1 FROM slot f WHERE f.account_id = $1 AND f.scope_id = w.id)
  AND NOT EXISTS (
    SELECT 1 FROM session s JOIN event e ON e.account_id = s.account_id AND e.session_id = s.id
    WHERE s.account_id = $1 AND s.project_id = w.project_id AND e.worktree_id = w.id)`;

const UNUSED_PROJECTS = `
SELECT p.id FROM project p WHERE p.account_id = $1 AND p.id = ANY($2::uuid[])
  AND NOT EXISTS (SELECT 1 FROM session s WHERE s.account_id = $1 AND s.project_id = p.id)
  AND NOT EXISTS (SELECT 1 FROM worktree w WHERE w.account_id = $1 AND w.project_id = p.id)
  AND NOT EXISTS (SELECT 1 FROM setting g WHERE g.account_id = $1 AND g.scope = p.id)
  AND NOT EXISTS (SELECT 1 FROM slot f WHERE f.account_id = $1 AND f.scope_id = p.id)
FOR UPDATE OF p`;

/**
 * Places that nothing was archived in, of those that were not seen since `before`: an agent named them in passing.
 */
export async function forgottenPlaces(
  connection: Queryable,
  accountId: Uuid,
  before: Date,
): Promise<PlacesToLookAt> {
  const worktrees = await connection.query<{ id: Uuid }>(
    'SELECT id FROM worktree WHERE account_id = $1 AND seen_at < $2',
    [accountId, before],
  );
  const projects = await connection.query<{ id: Uuid }>(
    'SELECT id FROM project WHERE account_id = $1 AND created_at < $2',
    [accountId, before],
  );
  return { worktrees: worktrees.rows.map((row) => row.id), projects: projects.rows.map((row) => row.id) };
}

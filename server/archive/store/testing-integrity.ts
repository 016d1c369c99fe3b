import type pg from 'pg';
import type { Uuid } from '../../kernel/ids.ts';

const CHECKS: Readonly<Record<string, string>> = {
  'message without event': `SELECT 1 FROM message m WHERE m.account_id = $1 AND NOT EXISTS (
    SELECT 1 FROM event e WHERE e.account_id = $1 AND e.message_hash = m.hash)`,
  'event without item': `SELECT 1 FROM event e WHERE e.account_id = $1 AND e.position IS NOT NULL AND e.kind <> 'unknown'
    AND NOT EXISTS (SELECT 1 FROM item i WHERE i.account_id = $1 AND i.message_hash = e.message_hash AND i.position = e.position)`,
  'blob without media': `SELECT 1 FROM blob b WHERE b.account_id = $1 AND NOT EXISTS (
    SELECT 1 FROM media f WHERE f.account_id = $1 AND f.blob_hash = b.hash)`,
  'preamble without request': `SELECT 1 FROM preamble p WHERE p.account_id = $1 AND NOT EXISTS (
    SELECT 1 FROM request r WHERE r.account_id = $1 AND r.preamble_hash = p.hash)`,
  'request without preamble': `SELECT 1 FROM request r WHERE r.account_id = $1 AND r.preamble_hash IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM preamble p WHERE p.account_id = $1 AND r.preamble_hash = p.hash)`,
  'request without session': `SELECT 1 FROM request r WHERE r.account_id = $1 AND r.session_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM session s WHERE s.account_id = $1 AND s.id = r.session_id)`,
  'answer without request': `SELECT 1 FROM answer a WHERE a.account_id = $1 AND NOT EXISTS (
    SELECT 1 FROM request r WHERE r.account_id = $1 AND r.id = a.request_id)`,
  'session without project': `SELECT 1 FROM session s WHERE s.account_id = $1 AND s.project_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM project p WHERE p.account_id = $1 AND p.id = s.project_id)`,
  'session without worktree': `SELECT 1 FROM session s WHERE s.account_id = $1 AND s.worktree_id IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM worktree w WHERE w.account_id = $1 AND w.id = s.worktree_id)`,
  'log with a hole': `SELECT 1 FROM session s WHERE s.account_id = $1 AND s.next_seq - 1 <> (
    SELECT count(*) FROM event e WHERE e.account_id = $1 AND e.session_id = s.id)`,
  'chain with a hole': `SELECT 1 FROM message m WHERE m.account_id = $1 AND EXISTS (
    SELECT 1 FROM event e WHERE e.account_id = $1 AND e.message_hash = m.hash AND NOT EXISTS (
      SELECT 1 FROM event up WHERE up.account_id = $1 AND up.session_id = e.session_id AND up.message_hash = m.parent)
    AND EXISTS (SELECT 1 FROM message p WHERE p.account_id = $1 AND p.hash = m.parent))`,
};

/**
 * Rows of an account that refer to something that is not there, and content that nothing refers to: how many, by what is
 * wrong; empty where all is well. Every table that names messages is looked at, whichever there are.
 */
export async function integrityFaults(
  pool: Pick<pg.Pool, 'query'>,
  accountId: Uuid,
): Promise<Readonly<Record<string, number>>> {
  const { rows: naming } = await pool.query<{ name: string }>(
    `SELECT c.table_name AS name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.column_name = 'message_hash'`,
  );
  const checks = { ...CHECKS };
  for (const { name } of naming) {
    checks[`${name} without message`] =
      `SELECT 1 FROM "${name}" x WHERE x.account_id = $1 AND x.message_hash IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM message m WHERE m.account_id = $1 AND m.hash = x.message_hash)`;
  }
  const wrong: Record<string, number> = {};
  for (const [what, sql] of Object.entries(checks)) {
    const { rows } = await pool.query<{ n: number }>(`SELECT count(*)::int AS n FROM (${sql}) found`, [
      accountId,
    ]);
    if (rows[0]?.n) wrong[what] = rows[0].n;
  }
  return wrong;
}

import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { Retention, RunState } from '../retention.ts';
import type { Queryable } from './connection.ts';
import { dateOf, json, millisOf } from './values.ts';

/** How long sessions are kept, as persons set it. */
export interface RetentionSettings {
  /** For all projects that say nothing of their own. */
  readonly account: Retention;
  readonly projects: ReadonlyMap<Uuid, Retention>;
  /** When any of it was set last; null: never. */
  readonly setAt: Millis | null;
}

const RETENTION = 'retention';
const RUN = 'retention_run';

/** What holds for the account and for its projects. */
export async function readRetention(pool: Queryable, accountId: Uuid): Promise<RetentionSettings> {
  const { rows } = await pool.query<{ scope: Uuid; days: number | null; set_at: Date }>(
    `SELECT scope, (value->>'days')::int AS days, set_at FROM setting WHERE account_id = $1 AND name = $2`,
    [accountId, RETENTION],
  );
  const said = new Map(rows.map((row) => [row.scope, row.days ?? ('forever' as const)]));
  const account = said.get(accountId) ?? 'forever';
  said.delete(accountId);
  const times = rows.map((row) => row.set_at.getTime());
  return { account, projects: said, setAt: times.length === 0 ? null : (Math.max(...times) as Millis) };
}

/**
 * Sets how long the sessions of a project, or (`scope` is the account) of all others, are kept; null takes what a project
 * says of its own away. Answers false where there is no such project.
 */
export async function writeRetention(
  pool: Queryable,
  accountId: Uuid,
  scope: Uuid,
  retention: Retention | null,
  at: Millis,
): Promise<boolean> {
  if (retention === null) {
    await pool.query('DELETE FROM setting WHERE account_id = $1 AND scope = $2 AND name = $3', [
      accountId,
      scope,
      RETENTION,
    ]);
    return true;
  }
  const days = retention === 'forever' ? null : retention;
  const { rowCount } = await pool.query(
    `INSERT INTO setting (account_id, scope, name, value, set_at)
     SELECT $1, $2, $3, $4::jsonb, $5 WHERE $1::uuid = $2::uuid
       OR EXISTS (SELECT 1 FROM project WHERE account_id = $1 AND id = $2 FOR KEY SHARE)
     ON CONFLICT (account_id, scope, name) DO UPDATE SET value = EXCLUDED.value, set_at = EXCLUDED.set_at`,
    [accountId, scope, RETENTION, json({ days }), dateOf(at)],
  );
  return rowCount === 1;
}

/** What the run before left, and the database's own time. */
export async function readRun(
  pool: Queryable,
  accountId: Uuid,
): Promise<RunState & { readonly databaseNow: Millis }> {
  const { rows } = await pool.query<{ value: RunState | null; now: Date }>(
    `SELECT clock_timestamp() AS now,
       (SELECT value FROM setting WHERE account_id = $1 AND scope = $1 AND name = $2) AS value`,
    [accountId, RUN],
  );
  const [row] = rows;
  if (!row) throw new Error('the database did not tell its time');
  return {
    ranAt: row.value?.ranAt ?? null,
    graceUntil: row.value?.graceUntil ?? null,
    databaseNow: millisOf(row.now),
  };
}

/** Keeps what a run leaves for the next. */
export async function writeRun(pool: Queryable, accountId: Uuid, state: RunState, at: Millis): Promise<void> {
  await pool.query(
    `INSERT INTO setting (account_id, scope, name, value, set_at) VALUES ($1, $1, $2, $3::jsonb, $4)
     ON CONFLICT (account_id, scope, name) DO UPDATE SET value = EXCLUDED.value, set_at = EXCLUDED.set_at`,
    [accountId, RUN, json({ ranAt: state.ranAt, graceUntil: state.graceUntil }), dateOf(at)],
  );
}

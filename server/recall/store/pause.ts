import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { Queryable } from './connection.ts';

/** A time in which nothing is recorded and nothing new is begun. */
export interface Pause {
  readonly since: Millis;
  /** Null: until somebody ends it. */
  readonly until: Millis | null;
}

/** Whether a moment lies in a pause. */
export function isIn(pause: Pause | null, at: Millis): boolean {
  return pause !== null && at >= pause.since && (pause.until === null || at < pause.until);
}

const NAME = 'pause';

/** The account's pause, over or not; null: there is none. */
export async function readPause(pool: Queryable, accountId: Uuid): Promise<Pause | null> {
  const { rows } = await pool.query<{ value: Pause }>(
    'SELECT value FROM setting WHERE account_id = $1 AND scope = $1 AND name = $2',
    [accountId, NAME],
  );
  return rows[0]?.value ?? null;
}

/** Sets the account's pause in place of the one that it had; null ends it. Committed when it resolves. */
export async function writePause(
  pool: Queryable,
  accountId: Uuid,
  pause: Pause | null,
  at: Millis,
): Promise<void> {
  if (pause === null) {
    await pool.query('DELETE FROM setting WHERE account_id = $1 AND scope = $1 AND name = $2', [
      accountId,
      NAME,
    ]);
    return;
  }
  await pool.query(WRITE, [accountId, NAME, JSON.stringify(pause), new Date(at)]);
}

const WRITE = `
INSERT INTO setting (account_id, scope, name, value, set_at) VALUES ($1, $1, $2, $3::jsonb, $4)
ON CONFLICT (account_id, scope, name) DO UPDATE SET value = EXCLUDED.value, set_at = EXCLUDED.set_at`;

import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { decideRun, runBound } from '../retention.ts';
import { type StorePool, transaction } from './connection.ts';
import { tick } from './content.ts';
import type { EraseTools } from './drawn.ts';
import { countErasure, deleteSession } from './erasure.ts';
import { eraseUnplacedRecall } from './erasure-recall.ts';
import { type RetentionSettings, readRetention, readRun, writeRun } from './settings.ts';
import { dropUnusedPlaces, forgottenPlaces } from './unused-places.ts';
import { dateOf } from './values.ts';

/** What a run of the retention did, or why it did nothing. */
export interface RetentionReport {
  /** `waiting`: the setting is new; `doubting`: time made a jump, and a clock may be wrong. */
  readonly state: 'off' | 'deleted' | 'waiting' | 'doubting' | 'clocks_disagree';
  /** Sessions that this run deleted. */
  readonly deleted: number;
  /** Sessions that are older than is kept and still there. */
  readonly due: number;
  /** When the first of them may go; null: at the next run, or never. */
  readonly until: Millis | null;
}

const DAY_MS = 86_400_000;
/** Pause between two sessions: whoever archives meanwhile reads anew after each. Milliseconds. */
const PAUSE_MS = 20;
/** A place that was named so long ago and that nothing was archived in goes. Milliseconds. */
const PLACE_MS = 3_600_000;

/**
 * Deletes sessions that are older than a person lets them be kept, oldest first and at most so many in one run.
 * @param isFirst true where this process has not run it before
 */
export async function expireSessions(
  pool: StorePool,
  tools: EraseTools,
  accountId: Uuid,
  isFirst: boolean,
): Promise<RetentionReport> {
  const settings = await readRetention(pool, accountId);
  const isOff = settings.account === 'forever' && [...settings.projects.values()].every(isForever);
  if (isOff || settings.setAt === null) return { state: 'off', deleted: 0, due: 0, until: null };
  const { databaseNow, ...before } = await readRun(pool, accountId);
  const verdict = decideRun({
    processNow: tools.clock.now(),
    databaseNow,
    setAt: settings.setAt,
    isFirst,
    ...before,
  });
  if (verdict.act === 'clocks_disagree') {
    return { state: 'clocks_disagree', deleted: 0, due: 0, until: null };
  }
  await writeRun(pool, accountId, verdict.state, verdict.now);
  const { total, due } = await countDue(pool, accountId, settings, verdict.now);
  if (verdict.act === 'wait') {
    const state = verdict.state.graceUntil === null ? 'waiting' : 'doubting';
    return { state, deleted: 0, due, until: verdict.until };
  }
  const deleted = await deleteDue(pool, tools, accountId, settings, verdict.now, runBound(total));
  await deleteOldUnplaced(pool, accountId, settings, verdict.now);
  return { state: 'deleted', deleted, due: Math.max(0, due - deleted), until: null };
}

function isForever(retention: RetentionSettings['account']): boolean {
  return retention === 'forever';
}

/** How many sessions there are, and how many of them are older than they are kept. */
export async function countDue(
  pool: StorePool,
  accountId: Uuid,
  settings: RetentionSettings,
  now: Millis,
): Promise<{ readonly total: number; readonly due: number }> {
  const { rows } = await pool.query<{ total: number; due: number }>(
    `SELECT (SELECT count(*)::int FROM session WHERE account_id = $1) AS total,
       (SELECT count(*)::int FROM (${DUE}) due) AS due`,
    dueValues(accountId, settings, now),
  );
  return rows[0] ?? { total: 0, due: 0 };
}

/** Sessions that are older than they are kept, with the moment since which they must not have been seen. */
const DUE = `
SELECT s.id, s.last_seen_at, $2::timestamptz - make_interval(secs => said.days * 86400.0) AS not_seen_since
FROM session s
CROSS JOIN LATERAL (
  SELECT CASE WHEN g.scope IS NULL THEN $3::int ELSE g.days END AS days
  FROM (SELECT 1) one LEFT JOIN unnest($4::uuid[], $5::int[]) AS g(scope, days) ON g.scope = s.project_id
) said
WHERE s.account_id = $1 AND s.last_seen_at < $2::timestamptz - make_interval(secs => said.days * 86400.0)`;

function dueValues(accountId: Uuid, { account, projects }: RetentionSettings, now: Millis): unknown[] {
  const days = (retention: RetentionSettings['account']) => (retention === 'forever' ? null : retention);
  return [accountId, dateOf(now), days(account), [...projects.keys()], [...projects.values()].map(days)];
}

async function deleteDue(
  pool: StorePool,
  tools: EraseTools,
  accountId: Uuid,
  settings: RetentionSettings,
  now: Millis,
  bound: number,
): Promise<number> {
  const { rows } = await pool.query<{ id: Uuid; not_seen_since: Date }>(
    `${DUE} ORDER BY s.last_seen_at, s.id LIMIT $6`,
    [...dueValues(accountId, settings, now), bound],
  );
  let deleted = 0;
  for (const { id: sessionId, not_seen_since: notSeenSince } of rows) {
    const erasure = { accountId, sessionId, by: 'retention', notSeenSince } as const;
    if (await deleteSession(pool, tools, erasure, now)) deleted += 1;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return deleted;
}

/** What belongs to no session is as old as it is, and is kept no longer than sessions. */
async function deleteOldUnplaced(
  pool: StorePool,
  accountId: Uuid,
  { account }: RetentionSettings,
  now: Millis,
): Promise<void> {
  if (account === 'forever') return;
  const before = dateOf((now - account * DAY_MS) as Millis);
  await pool.query('DELETE FROM request WHERE account_id = $1 AND session_id IS NULL AND received_at < $2', [
    accountId,
    before,
  ]);
  await transaction(pool, (connection) => eraseUnplacedRecall(connection, accountId, before));
}

/** Deletes places that an agent named in passing: nothing was archived there. Answers how many rows went. */
export async function dropForgottenPlaces(
  pool: StorePool,
  { clock }: Pick<EraseTools, 'clock'>,
  accountId: Uuid,
): Promise<number> {
  return transaction(pool, async (connection) => {
    const now = clock.now();
    await tick(connection, accountId, now);
    const before = dateOf((now - PLACE_MS) as Millis);
    const places = await forgottenPlaces(connection, accountId, before);
    const gone = await dropUnusedPlaces(connection, accountId, places);
    if (gone > 0) await countErasure(connection, accountId);
    return gone;
  });
}

import type { Millis } from '../../kernel/clock.ts';
import { ContextModeError } from '../../kernel/errors.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { DEFAULT_RECALL, PRESETS } from '../limits.ts';
import type { RecallSwitches, ThreadName } from '../stored.ts';
import { nameColumns } from './columns.ts';
import { BUMP, prepared, type Queryable } from './connection.ts';

/** What holds where nobody set anything. */
export const DEFAULT_SWITCHES: RecallSwitches = {
  ...DEFAULT_RECALL,
  recall: true,
  tool: true,
  trimming: true,
  memory: true,
  paused: false,
};

/**
 * What a person set for an account, a project or a session; a field that is null is as the next wider scope has it. The
 * context limit alone has a value of its own for "by the rule": `auto`.
 */
export type SetSwitches = {
  readonly [Name in keyof Omit<RecallSwitches, 'contextLimit'>]: RecallSwitches[Name] | null;
} & { readonly contextLimit: number | 'auto' | null };

/** Nothing of its own: all as the next wider scope. */
export const INHERITED: SetSwitches = {
  keepRecent: null,
  contextLimit: null,
  minGain: null,
  timeZone: null,
  recall: null,
  tool: null,
  trimming: null,
  memory: null,
  paused: null,
};

const NAME = 'recall';
/** Bounds of numbers that a person may set, in tokens. */
export const SWITCH_BOUNDS = {
  keepRecent: [10_000, 2_000_000],
  contextLimit: [10_000, 2_000_000],
  minGain: [0, 1_000_000],
} as const;

/** What was set for a scope (the account's id, or that of a project or a session) itself. */
export async function readSwitches(pool: Queryable, accountId: Uuid, scope: Uuid): Promise<SetSwitches> {
  const { rows } = await pool.query<{ value: Partial<SetSwitches> }>(
    'SELECT value FROM setting WHERE account_id = $1 AND scope = $2 AND name = $3',
    [accountId, scope, NAME],
  );
  return { ...INHERITED, ...rows[0]?.value };
}

/**
 * Sets the switches of a scope in place of what it had. False: there is no such project or session.
 * @throws ContextModeError `bad_request` that names the field whose value cannot be
 */
export async function writeSwitches(
  pool: Queryable,
  accountId: Uuid,
  scope: Uuid,
  switches: SetSwitches,
  at: Millis,
): Promise<boolean> {
  checkSwitches(switches);
  const own = Object.fromEntries(Object.entries(switches).filter(([, value]) => value !== null));
  const { rowCount } = await pool.query(WRITE, [accountId, scope, NAME, JSON.stringify(own), new Date(at)]);
  return rowCount === 1;
}

/** The scope is locked, so that nothing is set behind its deletion. */
const WRITE = `
WITH of_project AS (
  SELECT 1 FROM project WHERE account_id = $1 AND id = $2 FOR KEY SHARE
), of_session AS (
  SELECT 1 FROM session WHERE account_id = $1 AND id = $2 FOR KEY SHARE
), scope AS (
  SELECT 1 WHERE $1::uuid = $2::uuid UNION ALL SELECT 1 FROM of_project UNION ALL SELECT 1 FROM of_session
), changed AS (
  INSERT INTO setting (account_id, scope, name, value, set_at)
  SELECT $1, $2, $3, $4::jsonb, $5 FROM scope
  ON CONFLICT (account_id, scope, name) DO UPDATE SET value = EXCLUDED.value, set_at = EXCLUDED.set_at
  RETURNING 1
) ${BUMP}`;

/**
 * What holds for a thread: its session's before its project's before the account's. Of a session that the archive does not
 * know yet the project is the one that the folder lies in.
 * @param folder where it says that it works, masked; null: it does not say
 */
export async function mergedSwitches(
  pool: Queryable,
  accountId: Uuid,
  thread: ThreadName,
  folder: string | null = null,
): Promise<RecallSwitches> {
  const { agent, session } = nameColumns(thread);
  const { rows } = await pool.query<{ value: Partial<SetSwitches> }>(
    prepared('switches', MERGED, [accountId, agent, session, NAME, folder]),
  );
  return mergeSwitches(rows.map((row) => row.value));
}

const MERGED = `
WITH named AS (
  SELECT id, project_id FROM session WHERE account_id = $1 AND agent = $2 AND client_session_id = $3
), scope AS (
  SELECT 1 AS nearness, $1::uuid AS id UNION ALL SELECT 2, project_id FROM named UNION ALL SELECT 3, id FROM named
  UNION ALL SELECT 2, (
    SELECT w.project_id FROM worktree w WHERE w.account_id = $1 AND ($5::text = w.path OR starts_with($5::text, w.path || '/'))
    ORDER BY length(w.path) DESC, w.seen_at DESC LIMIT 1
  ) WHERE NOT EXISTS (SELECT FROM named)
)
SELECT g.value FROM scope s JOIN setting g ON g.account_id = $1 AND g.scope = s.id AND g.name = $4 ORDER BY s.nearness`;

/** Whether Recall is off for an account, and on for no project and no session of it. */
export async function readOffThroughout(pool: Queryable, accountId: Uuid): Promise<boolean> {
  const { rows } = await pool.query<{ off: boolean | null }>(
    prepared('off_throughout', OFF_THROUGHOUT, [accountId, NAME]),
  );
  return rows[0]?.off ?? false;
}

/** Where nobody set anything it is on. */
const OFF_THROUGHOUT = `
SELECT COALESCE(bool_or(scope = $1 AND value->'recall' = 'false'), false)
  AND NOT COALESCE(bool_or(value->'recall' = 'true'), false) AS off
FROM setting WHERE account_id = $1 AND name = $2`;

/** Settings of scopes, the widest first, over what holds where nobody set anything. The nearest that says something counts. */
export function mergeSwitches(scopes: readonly Partial<SetSwitches>[]): RecallSwitches {
  const merged: Record<string, unknown> = { ...DEFAULT_SWITCHES };
  for (const own of scopes) {
    for (const [name, value] of Object.entries(own)) {
      if (value !== null) merged[name] = name === 'contextLimit' && value === 'auto' ? null : value;
    }
  }
  return merged as unknown as RecallSwitches;
}

/** @throws ContextModeError `bad_request` that names the field whose value cannot be */
export function checkSwitches(switches: SetSwitches): void {
  const { keepRecent, contextLimit, minGain, timeZone } = switches;
  if (typeof keepRecent === 'string') {
    if (!Object.hasOwn(PRESETS, keepRecent))
      throw wrong('keepRecent', `one of ${Object.keys(PRESETS).join(', ')}, or a number of tokens`);
  } else if (keepRecent !== null) checkBounds('keepRecent', keepRecent);
  if (contextLimit !== null && contextLimit !== 'auto') checkBounds('contextLimit', contextLimit);
  if (minGain !== null) checkBounds('minGain', minGain);
  if (timeZone !== null && !isTimeZone(timeZone))
    throw wrong('timeZone', 'the IANA name of a zone, for example Europe/Berlin');
  for (const name of ['recall', 'tool', 'trimming', 'memory', 'paused'] as const) {
    if (switches[name] !== null && typeof switches[name] !== 'boolean') throw wrong(name, 'true or false');
  }
}

function checkBounds(name: keyof typeof SWITCH_BOUNDS, value: number): void {
  const [least, most] = SWITCH_BOUNDS[name];
  if (!Number.isInteger(value) || value < least || value > most)
    throw wrong(name, `a whole number from ${least} to ${most}`);
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function wrong(name: string, wanted: string): ContextModeError {
  return new ContextModeError('bad_request', `The setting ${name} has a value that it cannot have.`, {
    hint: `Give it ${wanted}, or null to take over what the wider scope says.`,
  });
}

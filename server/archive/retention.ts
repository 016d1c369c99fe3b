import type { Millis } from '../kernel/clock.ts';

/** How long sessions are kept: whole days since they were last seen, or `forever`. */
export type Retention = number | 'forever';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How far the clocks of process and database may be apart while anything is deleted. */
const CLOCKS_APART_MS = 5 * MINUTE_MS;
/** How long a retention that was set anew deletes nothing: a slip can be put right. */
const NEW_SETTING_MS = HOUR_MS;
/** Time between two runs after which a clock may have jumped, rather than a machine have been off over a weekend. */
const GAP_MS = 3 * DAY_MS;
/** How long nothing is deleted after such a gap, or after a clock went back. */
const GRACE_MS = DAY_MS;
/** Sessions that one run deletes at most: this many, or this part of all, whichever is more. */
const RUN_SESSIONS = 100;
const RUN_PART = 0.05;

/** What runs leave for the next one. */
export interface RunState {
  /** The moment of the run before; null: there was none. */
  readonly ranAt: Millis | null;
  /** Until when nothing is deleted; null: nothing is waited for. */
  readonly graceUntil: Millis | null;
}

/** What a run knows of time. */
export interface RunTimes extends RunState {
  readonly processNow: Millis;
  readonly databaseNow: Millis;
  /** When a person set what holds now. */
  readonly setAt: Millis;
  /** True where this process has run none before: it may have been off meanwhile. */
  readonly isFirst: boolean;
}

/** What a run does. `now` is the moment that ages are counted from. */
export type RunVerdict =
  | { readonly act: 'delete'; readonly now: Millis; readonly state: RunState }
  | { readonly act: 'wait'; readonly now: Millis; readonly until: Millis; readonly state: RunState }
  /** Nothing is deleted and nothing remembered: one of the clocks is wrong. */
  | { readonly act: 'clocks_disagree' };

/**
 * Whether a run may delete. A clock that is wrong must not empty an archive: the clocks of process and database must
 * agree, the earlier one counts, and a jump of time (more than three days between two runs, or a step back) is followed
 * by a day in which nothing is deleted. Another jump within that day begins it anew. A machine that is on for less than a
 * day at a time need not wait for ever: after a gap that a start ends, a wait that was told before and is over counts.
 */
export function decideRun(times: RunTimes): RunVerdict {
  const { processNow, databaseNow, setAt, ranAt, isFirst } = times;
  if (Math.abs(processNow - databaseNow) > CLOCKS_APART_MS) return { act: 'clocks_disagree' };
  const now = Math.min(processNow, databaseNow) as Millis;
  const wasTold = isFirst && times.graceUntil !== null && times.graceUntil <= now;
  const steppedBack = ranAt !== null && ranAt - now > CLOCKS_APART_MS;
  const jumped = steppedBack || (ranAt !== null && now - ranAt > GAP_MS && !wasTold);
  const graceUntil = jumped ? ((now + GRACE_MS) as Millis) : ended(times.graceUntil, now);
  const state: RunState = { ranAt: now, graceUntil };
  const settled = setAt > now + CLOCKS_APART_MS ? now : ((setAt + NEW_SETTING_MS) as Millis);
  const until = Math.max(graceUntil ?? 0, settled) as Millis;
  return until > now ? { act: 'wait', now, until, state } : { act: 'delete', now, state };
}

function ended(graceUntil: Millis | null, now: Millis): Millis | null {
  return graceUntil !== null && graceUntil > now ? graceUntil : null;
}

/** Most sessions that one run deletes of an archive of so many. */
export function runBound(sessions: number): number {
  return Math.max(RUN_SESSIONS, Math.ceil(sessions * RUN_PART));
}

import type { ArchiveHousekeeper, RetentionReport } from '../archive/index.ts';
import type { Clock } from '../kernel/clock.ts';
import { faultOf } from '../kernel/errors.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { Logger } from '../kernel/log.ts';
import type { Metrics } from '../kernel/metrics.ts';
import { repeated, type Timers } from './repeated.ts';

/** The work on the archive that a process does by itself: what was asked for and what has its time. */
export interface Housekeeping {
  /** A deletion was planned or taken back. */
  plansChanged(): void;
  /** Something was deleted, here or by another gateway. */
  deleted(): void;
  /** What a person should know of the retention; null: nothing. */
  note(): string | null;
  /** Ends it; what runs is waited for. What it leaves undone is done by the next process. */
  stop(): Promise<void>;
}

/** What the work needs. */
export interface HousekeepingParts {
  readonly housekeeper: ArchiveHousekeeper;
  readonly accountId: Uuid;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Pick<Metrics, 'faults' | 'expiredSessions'>;
  /** True where the database server is ours alone, so that what was deleted can be cleaned out of its files. */
  readonly ownServer: boolean;
  readonly timers?: Timers;
}

const HOUR_MS = 3_600_000;
/** Deletions are looked for at least so often: another gateway's plans may not have been heard of. */
const LOOK_MS = 60_000;
/** Pause while another process carries out deletions, or after a fault. */
const AGAIN_MS = 2_000;
/** How long it must be quiet after a deletion before it is cleaned up. */
const QUIET_MS = 10_000;
/** What time deletes is written out of the files at most so often: each time writes whole tables. */
const THOROUGH_MS = 24 * HOUR_MS;

/** Starts the work: at once what was planned and cut off, and what is too old; then whenever it is time. */
export function startHousekeeping(parts: HousekeepingParts): Housekeeping {
  const { housekeeper, accountId, clock, log, metrics } = parts;
  let report: RetentionReport | null = null;
  let expiring = false;
  let isFirst = true;
  let cleanedAt = Number.NEGATIVE_INFINITY;

  const deletions = repeated(parts, 'deletions', async () => {
    const result = await housekeeper.carryOutDeletions(accountId);
    if (result === null) return AGAIN_MS;
    return result.next === null ? LOOK_MS : Math.max(0, Math.min(LOOK_MS, result.next - clock.now()));
  });

  const retention = repeated(parts, 'retention', async () => {
    expiring = true;
    try {
      const done = await housekeeper.expire(accountId, isFirst);
      if (done !== null) {
        isFirst = false;
        report = done;
        metrics.expiredSessions.inc(done.deleted);
        if (done.deleted > 0)
          log.info({ sessions: done.deleted, due: done.due }, 'old sessions were deleted');
      }
      const places = await housekeeper.dropForgottenPlaces(accountId);
      if ((done?.deleted ?? 0) + places > 0) cleaning.soon(QUIET_MS);
    } finally {
      expiring = false;
    }
    return HOUR_MS;
  });

  let byPerson = false;
  const cleaning = repeated(parts, 'cleaning', async () => {
    const isDue = byPerson || clock.monotonic() - cleanedAt >= THOROUGH_MS;
    const thorough = parts.ownServer && isDue;
    byPerson = false;
    const done = await housekeeper.clean({ thorough });
    if (done === null) return AGAIN_MS;
    if (thorough) cleanedAt = clock.monotonic();
    return null;
  });

  void housekeeper
    .renewPlans(accountId)
    .catch((thrown: unknown) => log.warn({ reason: faultOf(thrown) }, 'planned deletions were not renewed'))
    .then(() => deletions.soon(0));
  retention.soon(0);
  return {
    plansChanged: () => deletions.soon(0),
    deleted() {
      if (expiring) return;
      byPerson = true;
      cleaning.soon(QUIET_MS);
    },
    note: () => (report === null ? null : noteOf(report)),
    async stop() {
      await Promise.all([deletions.stop(), retention.stop(), cleaning.stop()]);
    },
  };
}

function noteOf({ state, due, until }: RetentionReport): string | null {
  if (state === 'clocks_disagree')
    return 'The clocks of this machine and of the database disagree, so nothing is deleted by its age.';
  if (state !== 'doubting' || due === 0 || until === null) return null;
  return (
    `${due === 1 ? 'One session is' : `${due} sessions are`} older than you keep them. The clock made a jump, ` +
    `or Context Mode was off for long: nothing is deleted before ${new Date(until).toISOString()}. ` +
    'If the date is wrong, correct the clock; to keep them, change the retention in Settings.'
  );
}

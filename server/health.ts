import type { Health } from './api/index.ts';
import type { Database } from './db/index.ts';
import type { Recorder } from './gateway/index.ts';
import type { Housekeeping } from './jobs/index.ts';
import { bounded } from './kernel/bounded.ts';
import type { Env } from './kernel/env.ts';
import type { FreeSpace } from './kernel/free-space.ts';
import type { Metrics } from './kernel/metrics.ts';

/** The parts of an open store that health is told of. */
interface WatchedParts {
  readonly database: Database;
  readonly recorder: Pick<Recorder, 'state'>;
  readonly disk: FreeSpace;
  readonly housekeeping: Pick<Housekeeping, 'note'>;
}

/** How long the database may take to say that it is there. */
const HEALTH_MS = 2_000;
const HEALTH_QUERY = { text: 'SELECT 1', query_timeout: HEALTH_MS };

/**
 * What is well and what is not, in sentences for a person.
 * @param trouble why the database is not open, and what failed often in putting requests together; null: nothing
 */
export async function healthOf(
  { env, metrics }: { readonly env: Env; readonly metrics: Metrics },
  open: WatchedParts | null,
  trouble: { readonly database: string | null; readonly recall: string | null },
): Promise<Health> {
  // What failed is told by the archive's views of the requests, except while they cannot be written.
  const recall = trouble.recall === null ? [] : [{ name: 'recall', ok: false, note: trouble.recall }];
  if (open === null) {
    return { ready: false, parts: [{ name: 'database', ok: false, note: trouble.database }, ...recall] };
  }
  // The limit on the query itself gives its connection back, so that checks do not use up the pool.
  const asked = open.database.pool.query(HEALTH_QUERY);
  const database = (await bounded(asked, HEALTH_MS).catch(() => false))
    ? null
    : 'The database does not answer. Agents work on; what they send is kept in memory meanwhile.';
  const recorder = open.recorder.state();
  const parts = [
    { name: 'database', ok: database === null, note: database },
    { name: 'recorder', ok: recorder.trouble === null, note: recorder.trouble },
  ];
  const ready = parts.every((part) => part.ok);
  // These two are for a person to see to: what has begun is archived, and no agent need go elsewhere.
  const disk = diskNote(await open.disk.read(), env.leastFreeBytes, metrics);
  const retention = open.housekeeping.note();
  parts.push({ name: 'disk', ok: disk === null, note: disk });
  if (retention !== null) parts.push({ name: 'retention', ok: false, note: retention });
  if (database !== null) parts.push(...recall);
  return { ready, parts };
}

function diskNote(free: number | null, least: number, metrics: Metrics): string | null {
  if (free === null) return null;
  metrics.diskFreeBytes.set(free);
  if (free >= least) return null;
  return (
    `Less than ${gigabytes(least)} GB are free where the archive lies (${gigabytes(free)} GB). New sessions pass ` +
    'unrecorded until there is room again; sessions that have begun go on being recorded.'
  );
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(1).replace(/\.0$/, '');
}

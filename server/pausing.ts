import type pg from 'pg';
import type { Clock, Millis } from './kernel/clock.ts';
import { faultOf } from './kernel/errors.ts';
import type { Uuid } from './kernel/ids.ts';
import type { Logger } from './kernel/log.ts';
import { isIn, type Pause, readPause, writePause } from './recall/index.ts';

/** How often a pause is read again that another gateway of the same database may have set. */
const AGAIN_MS = 1_000;

/** The pause of a process: asked by every request without waiting, and the same in all gateways of a database. */
export interface Pausing {
  /** Whether a moment lies in the pause; false as long as nothing is known of one. */
  isPaused(at: Millis): boolean;
  /** The pause that is on; null: none is. */
  now(): Pause | null;
  /** Reads the pause that was set before this process began, and keeps to what others set. */
  open(pool: Pick<pg.Pool, 'query'>): Promise<void>;
  /** Begins or ends a pause. @throws where the database does not answer: then what was stays */
  set(pool: Pick<pg.Pool, 'query'>, pause: Pause | null): Promise<void>;
  close(): void;
}

/** Makes the pause of a process. @param isAlone no other gateway works on the same database */
export function createPausing(
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
  accountId: Uuid,
  isAlone: boolean,
): Pausing {
  let pause: Pause | null = null;
  let written = 0;
  let timer: NodeJS.Timeout | null = null;

  async function readAgain(pool: Pick<pg.Pool, 'query'>): Promise<void> {
    const before = written;
    const read = await readPause(pool, accountId);
    // What was read before a change of our own must not take its place.
    if (before === written) pause = read;
  }

  return {
    isPaused: (at) => isIn(pause, at),
    now: () => (isIn(pause, clock.now()) ? pause : null),
    async open(pool) {
      await readAgain(pool);
      if (isAlone || timer !== null) return;
      timer = setInterval(() => {
        readAgain(pool).catch((cause: unknown) =>
          log.debug({ reason: faultOf(cause) }, 'whether there is a pause could not be read'),
        );
      }, AGAIN_MS);
      timer.unref();
    },
    async set(pool, next) {
      written += 1;
      await writePause(pool, accountId, next, clock.now());
      written += 1;
      pause = next;
    },
    close() {
      if (timer !== null) clearInterval(timer);
    },
  };
}

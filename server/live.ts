import type pg from 'pg';
import { type LiveEvent, listenLive } from './archive/index.ts';
import type { Logger } from './kernel/log.ts';

/** Pause before a lost connection is opened again. */
const REOPEN_MS = 1_000;

/**
 * Hears what any gateway of the database tells, on a connection that is opened again when it is lost. Events that
 * fall into such a gap are missed; a console reads anew when its own connection comes back.
 * @returns a function that ends it
 */
export function watchLive(pool: pg.Pool, onEvent: (event: LiveEvent) => void, log: Logger): () => void {
  let ended = false;
  let current: pg.PoolClient | null = null;
  let timer: NodeJS.Timeout | null = null;

  async function open(): Promise<void> {
    try {
      const client = await pool.connect();
      if (ended) return client.release(true);
      current = client;
      client.once('error', (error) => {
        if (current !== client) return;
        current = null;
        client.release(error);
        again();
      });
      await listenLive(client, onEvent);
    } catch (error) {
      current?.release(true);
      current = null;
      if (ended) return;
      log.warn(
        { reason: error instanceof Error ? error.name : 'unknown' },
        'live events are not heard at the moment',
      );
      again();
    }
  }

  function again(): void {
    if (!ended && timer === null) {
      timer = setTimeout(() => {
        timer = null;
        void open();
      }, REOPEN_MS);
    }
  }

  void open();
  return () => {
    ended = true;
    if (timer !== null) clearTimeout(timer);
    // Ends a statement that hangs, too: its connection is destroyed.
    current?.release(true);
    current = null;
  };
}

import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may hold its thread before others get their turn, in milliseconds. */
const HELD_MS = 15;

/** Since when the thread has been held, from the first call in this turn on; null: nobody has called in it. */
let since: number | null = null;

/**
 * To be awaited again and again inside long work, so that what else is ready in this thread (other conversations,
 * messages, answers of the database) runs between. Costs nothing while little time has gone by.
 */
export async function breathe(): Promise<void> {
  const now = performance.now();
  if (since === null) {
    since = now;
    setImmediate(() => {
      since = null;
    });
  } else if (now - since >= HELD_MS) await nextTurn();
}

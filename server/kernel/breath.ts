import { setImmediate as nextTurn } from 'node:timers/promises';

/** How long work may hold its thread before others get their turn, in milliseconds. */
const HELD_MS = 15;

let since = performance.now();

/**
 * To be awaited again and again inside long work, so that what else is ready in this thread (other conversations,
 * messages, answers of the database) runs between. Costs nothing while little time has gone by.
 */
export async function breathe(): Promise<void> {
  if (performance.now() - since < HELD_MS) return;
  await nextTurn();
  since = performance.now();
}

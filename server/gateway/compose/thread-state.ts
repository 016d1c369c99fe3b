import { bounded } from '../../kernel/bounded.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { RecallStore, ThreadState } from '../../recall/index.ts';
import type { ThreadMemory } from './types.ts';

/** How long a request waits for what another process knew of its thread, in milliseconds. */
const LATE_MS = 100;

/**
 * Makes a thread's memory hold what a process before this one, or another gateway, knew of it: when its newest request was,
 * what is due, how the provider counts, whether nothing new is made in it. A store that does not answer changes nothing.
 * @param isAlone no other gateway works on the same store: what this process knows is the newest
 */
export async function recallState(
  store: RecallStore,
  accountId: Uuid,
  memory: ThreadMemory,
  isAlone: boolean,
): Promise<void> {
  if (isAlone && memory.lastAt !== null) return;
  try {
    const asked = store.threadState(accountId, memory.name);
    const state = (await bounded(asked, LATE_MS)) ? await asked : null;
    if (state !== null && state.lastAt > (memory.lastAt ?? 0)) takeOver(memory, state);
  } catch {
    // What is not known is estimated, as at a thread's first request.
  }
}

function takeOver(memory: ThreadMemory, state: ThreadState): void {
  memory.lastAt = state.lastAt;
  memory.moment = state.moment;
  memory.calibration = state.calibration ?? memory.calibration;
  memory.counted = state.counted;
  memory.isResting ||= state.isResting;
}

/** Keeps what is known of a thread, for whoever gets its next request. Nobody waits for it; where it fails, the next does. */
export function keepState(store: RecallStore, accountId: Uuid, memory: ThreadMemory): void {
  const { lastAt, moment, calibration, counted, isResting, name } = memory;
  if (lastAt === null) return;
  const state: ThreadState = { lastAt: lastAt as Millis, moment, calibration, counted, isResting };
  store.keepThreadState(accountId, name, state).catch(() => undefined);
}

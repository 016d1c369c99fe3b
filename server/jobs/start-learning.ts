import type { Uuid } from '../kernel/ids.ts';
import { type LearningParts, learnWaiting } from './learning.ts';
import { repeated, type Timers } from './repeated.ts';

/** What learns from turns in the background. */
export interface Learning {
  /** Something was archived. */
  soon(): void;
  /** Ends it; a turn that is looked at just now is waited for. */
  stop(): Promise<void>;
}

/** Pause after something was archived: what comes in one go is looked at in one go. Milliseconds. */
const SOON_MS = 200;
/** How often it is looked for turns at least: what another gateway archived may not have been heard of. */
const LOOK_MS = 15_000;

/** Starts it: at once what waits from before, then whenever something was archived. */
export function startLearning(
  parts: LearningParts & { readonly accountId: Uuid; readonly timers?: Timers },
): Learning {
  const learning = repeated(parts, 'learning', async () => {
    await learnWaiting(parts, parts.accountId);
    return LOOK_MS;
  });
  learning.soon(0);
  return { soon: () => learning.soon(SOON_MS), stop: learning.stop };
}

import type pg from 'pg';
import { createArchiveWriter, createTurnsToLearn } from './archive/index.ts';
import { type Learning, type LearningSwitches, startLearning } from './jobs/index.ts';
import type { Clock } from './kernel/clock.ts';
import type { Uuid } from './kernel/ids.ts';
import type { InstallationKey } from './kernel/installation-key.ts';
import type { Logger } from './kernel/log.ts';
import type { Metrics } from './kernel/metrics.ts';
import {
  createMemoryReader,
  createMemoryWriter,
  type MemoryReader,
  type MemoryWriter,
} from './memory/index.ts';
import { mergeSwitches, readSwitches } from './recall/index.ts';

/** Memory as a process has it: what reads and writes facts, and what learns them. */
export interface Remembering {
  readonly reader: MemoryReader;
  readonly writer: MemoryWriter;
  readonly learning: Learning;
}

/** Opens memory over a pool, and begins to learn from what waits. */
export function openRemembering(
  pool: pg.Pool,
  options: {
    readonly accountId: Uuid;
    readonly clock: Clock;
    readonly log: Logger;
    readonly metrics: Metrics;
    readonly installationKey: InstallationKey;
  },
): Remembering {
  const { accountKey } = createArchiveWriter(pool, options);
  const reader = createMemoryReader(pool);
  const writer = createMemoryWriter(pool, { clock: options.clock, accountKey });
  const learning = startLearning({
    ...options,
    reader,
    writer,
    turns: createTurnsToLearn(pool),
    switchesOf: (accountId, { projectId, sessionId }) =>
      switchesAt(pool, accountId, projectId === null ? [sessionId] : [projectId, sessionId]),
  });
  return { reader, writer, learning };
}

/** What holds at scopes inside an account, the widest first. */
async function switchesAt(
  pool: pg.Pool,
  accountId: Uuid,
  scopes: readonly Uuid[],
): Promise<LearningSwitches> {
  const said = [accountId, ...scopes].map((scope) => readSwitches(pool, accountId, scope));
  return mergeSwitches(await Promise.all(said));
}

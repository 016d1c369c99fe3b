import { join } from 'node:path';
import { createArchiveReader, createArchiveWriter, createAskingReader } from './archive/index.ts';
import { type ConnectionSettings, openPool } from './db/index.ts';
import {
  type ComposerStore,
  createFactsForPrompts,
  createRetrieval,
  estimateText,
  factsForSearch,
  locateRepository,
  systemTimers,
} from './gateway/index.ts';
import type { Clock } from './kernel/clock.ts';
import { faultOf } from './kernel/errors.ts';
import type { InstallationKey } from './kernel/installation-key.ts';
import type { Logger } from './kernel/log.ts';
import { createMemoryReader } from './memory/index.ts';
import { createRecallStore, Mirror, syncMirror, withMirror } from './recall/index.ts';
import { maskName } from './redaction/index.ts';

/** What requests are put together with, over connections of its own, so that a busy console holds up no agent. */
export interface Composing {
  readonly store: ComposerStore;
  /** Something was deleted: it leaves what is kept beside the database too. Never rejects. */
  deleted(): Promise<void>;
  close(): Promise<void>;
}

/** Connections for requests on their way. */
const CONNECTIONS = 6;
/** A query that takes longer than this helps no request any more. */
const QUERY_TIMEOUT_MS = 5_000;

/** The file in the data folder with the newest of what was committed (decision 233). */
const MIRROR = 'recall.jsonl';

/** What {@link openComposing} works with. */
export interface ComposingOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly installationKey: InstallationKey;
  /** The data folder where the database is this process's own; null: other gateways write to it too, and no file is kept. */
  readonly home: string | null;
}

/** Opens what requests are put together with. */
export async function openComposing(
  settings: ConnectionSettings,
  { clock, log, installationKey, home }: ComposingOptions,
): Promise<Composing> {
  const pool = openPool(settings, log, {
    max: CONNECTIONS,
    name: 'context-mode gateway',
    queryTimeoutMs: QUERY_TIMEOUT_MS,
  });
  // Places are found by the same rule as the recorder finds them.
  const archive = createArchiveWriter(pool, { clock, installationKey, locateRepository });
  const stored = createRecallStore(pool, { accountKey: archive.accountKey });
  const mirror =
    home === null
      ? null
      : await Mirror.open(join(home, MIRROR), {
          onFault: (cause) => log.warn({ reason: faultOf(cause) }, 'the file beside the database failed'),
        });
  const compare = async () => {
    if (mirror !== null) await syncMirror(stored, mirror);
  };
  // One comparison after the other: each sees what was deleted before it began.
  let compared: Promise<void> = Promise.resolve();
  const deleted = () => {
    compared = compared.then(compare).catch((cause: unknown) => {
      log.warn({ reason: faultOf(cause) }, 'the file beside the database could not be compared with it');
    });
    return compared;
  };
  void deleted();
  const recall = mirror === null ? stored : withMirror(stored, mirror);
  const memory = createMemoryReader(pool);
  const retrieval = createRetrieval({
    archive: { ...createArchiveReader(pool, { clock }), ...createAskingReader(pool) },
    storedName: async ({ accountId, thread }) =>
      maskName(thread.session, await archive.accountKey(accountId)),
    facts: async ({ accountId, thread }, { projectId }, q) => {
      const { memory: isOn } = await stored.switches(accountId, thread);
      const place = { projectId, worktreeId: null, threadId: null };
      return isOn ? factsForSearch(memory, accountId, place, q, clock.now()) : [];
    },
    clock,
    timers: systemTimers,
    estimate: estimateText,
  });
  return {
    store: {
      recall,
      archive,
      retrieval,
      facts: createFactsForPrompts({
        reader: memory,
        places: archive,
        timers: systemTimers,
      }),
    },
    deleted,
    async close() {
      await compared;
      await mirror?.close();
      await pool.end();
    },
  };
}

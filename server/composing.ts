import { createArchiveReader, createArchiveWriter, createAskingReader } from './archive/index.ts';
import { type ConnectionSettings, openPool } from './db/index.ts';
import { type ComposerStore, createRetrieval, estimateText, systemTimers } from './gateway/index.ts';
import type { Clock } from './kernel/clock.ts';
import type { InstallationKey } from './kernel/installation-key.ts';
import type { Logger } from './kernel/log.ts';
import { createRecallStore } from './recall/index.ts';
import { maskName } from './redaction/index.ts';

/** What requests are put together with, over connections of its own, so that a busy console holds up no agent. */
export interface Composing {
  readonly store: ComposerStore;
  close(): Promise<void>;
}

/** Connections for requests on their way. */
const CONNECTIONS = 6;
/** A query that takes longer than this helps no request any more. */
const QUERY_TIMEOUT_MS = 5_000;

/** Opens what requests are put together with. */
export function openComposing(
  settings: ConnectionSettings,
  parts: { readonly clock: Clock; readonly log: Logger; readonly installationKey: InstallationKey },
): Composing {
  const { clock, log, installationKey } = parts;
  const pool = openPool(settings, log, {
    max: CONNECTIONS,
    name: 'context-mode gateway',
    queryTimeoutMs: QUERY_TIMEOUT_MS,
  });
  const archive = createArchiveWriter(pool, { clock, installationKey });
  const recall = createRecallStore(pool, { accountKey: archive.accountKey });
  const retrieval = createRetrieval({
    archive: { ...createArchiveReader(pool, { clock }), ...createAskingReader(pool) },
    storedName: async ({ accountId, thread }) =>
      maskName(thread.session, await archive.accountKey(accountId)),
    clock,
    timers: systemTimers,
    estimate: estimateText,
  });
  return { store: { recall, archive, retrieval }, close: () => pool.end() };
}

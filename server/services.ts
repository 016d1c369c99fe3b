import { fileURLToPath } from 'node:url';
import type { ApiServices, Health, LiveEvent } from './api/index.ts';
import {
  type ArchiveKeeper,
  type ArchiveReader,
  type ArchiveTransfer,
  createArchiveHousekeeper,
  createArchiveKeeper,
  createArchiveReader,
  createArchiveTransfer,
  ensureLocalAccount,
} from './archive/index.ts';
import { type Composing, openComposing } from './composing.ts';
import { type Database, migrate, openDatabase } from './db/index.ts';
import { deferred } from './deferred.ts';
import {
  type Composer,
  createComposer,
  createGateway,
  createTranscriptImporter,
  type Gateway,
  type Guard,
  holdTap,
  type Recorder,
  startRecorder,
  systemTimers,
  type Tap,
  type TranscriptImporter,
  webConsoleLink,
} from './gateway/index.ts';
import { healthOf } from './health.ts';
import { type Housekeeping, startHousekeeping } from './jobs/index.ts';
import { bounded } from './kernel/bounded.ts';
import type { Clock } from './kernel/clock.ts';
import type { Env } from './kernel/env.ts';
import { asContextModeError, ContextModeError } from './kernel/errors.ts';
import { type FreeSpace, watchFreeSpace } from './kernel/free-space.ts';
import { LOCAL_ACCOUNT, type Uuid } from './kernel/ids.ts';
import { installationKey } from './kernel/installation-key.ts';
import type { Logger } from './kernel/log.ts';
import { watchLoop } from './kernel/loop-delay.ts';
import { createMetrics, type Metrics } from './kernel/metrics.ts';
import { systemRandom } from './kernel/random.ts';
import { createLedgerReader, type LedgerReader } from './ledger/index.ts';
import { watchLive } from './live.ts';
import type { LocalAccess } from './local-access.ts';
import { drawnFacts } from './memory/index.ts';
import { createPausing, type Pausing } from './pausing.ts';
import {
  createRecallReader,
  type RecallReader,
  readSwitches,
  type ThreadName,
  writeSwitches,
} from './recall/index.ts';
import { openRemembering, type Remembering } from './remembering.ts';

/** Everything that a process of the product runs beside its HTTP listener. */
export interface Services extends ApiServices {
  readonly metrics: Metrics;
  readonly gateway: Gateway;
  /** Who may use the process: in local mode the person who started it. */
  readonly guard: Guard;
  /**
   * The refusal of the request that the running code answers, null where it may go on: asked by each page and handler,
   * because where Next is the server nobody has asked before.
   */
  refusal(): Promise<Response | null>;
  /** The answer to a console link, for the request that the running code answers where Next is the server. */
  openConsole(): Promise<Response>;
  /**
   * Opens the database; ends when the archive can be written. A database that fails for a reason that may pass is
   * tried again, while what is to be archived waits in memory. Call it once.
   * @throws ContextModeError `conflict` or `configuration` where only a person can help.
   */
  open(): Promise<void>;
  /** Lets answers finish, archives what waits, ends the database. Harmless when repeated. */
  stop(): Promise<void>;
}

/** Pause between attempts to open a database that could not be opened. */
const REOPEN_MS = 5_000;
/** How long a stop waits for what is not archived yet. */
const DRAIN_MS = 10_000;
/** How long a stop waits for a deletion or a cleaning that runs. */
const TIDY_MS = 2_000;
/** How long a stop lets answers finish. */
const GRACE_MS = 30_000;
/** Where the pages look for the services: on the global object, because they are bundled apart from the process. */
const slot = Symbol.for('context-mode.services');

/** What services are made of. */
export interface ServicesOptions {
  readonly env: Env;
  readonly clock: Clock;
  readonly log: Logger;
  readonly access: LocalAccess;
  /** What `Services.refusal` asks; by default nothing is refused there, because a listener has asked the guard before. */
  readonly refusal?: (guard: Guard) => Promise<Response | null>;
}

/** Makes gateway and archive and provides them to the pages. The gateway passes bytes from the first moment. */
export function createServices({ env, clock, log, access, refusal }: ServicesOptions): Services {
  const metrics = createMetrics();
  watchLoop((seconds) => metrics.loopDelaySeconds.observe({ thread: 'gateway' }, seconds));
  const store = createStore({ env, clock, log, metrics });
  const { guard } = access;
  const gateway = createGateway({
    env,
    clock,
    log,
    metrics,
    guard,
    tap: store.tap,
    composer: store.composer,
    isPaused: store.pausing.isPaused,
    accountId: LOCAL_ACCOUNT,
  });
  let stopped: Promise<void> | undefined;
  const services: Services = {
    env,
    clock,
    log,
    metrics,
    gateway,
    guard,
    accountId: LOCAL_ACCOUNT,
    archive: store.archive,
    keeper: store.keeper,
    transfer: store.transfer,
    transcripts: store.transcripts,
    layouts: store.layouts,
    ledger: store.ledger,
    switches: store.switches,
    recall: store.recall,
    memory: store.memory,
    pausing: store.pausing,
    links: access.links,
    live: store.live,
    health: store.health,
    freeBytes: store.freeBytes,
    refusal: async () => refusal?.(guard) ?? null,
    openConsole: () => webConsoleLink(guard, access.console, clock),
    open: store.open,
    stop() {
      stopped ??= gateway.close(GRACE_MS).then(store.close);
      return stopped;
    },
  };
  Object.assign(globalThis, { [slot]: services });
  return services;
}

interface Store {
  readonly tap: Tap;
  readonly composer: Composer;
  readonly archive: ArchiveReader;
  readonly keeper: ArchiveKeeper;
  readonly transfer: ArchiveTransfer;
  readonly transcripts: TranscriptImporter;
  readonly layouts: ApiServices['layouts'];
  readonly ledger: ApiServices['ledger'];
  readonly switches: ApiServices['switches'];
  readonly recall: ApiServices['recall'];
  readonly memory: ApiServices['memory'];
  readonly pausing: ApiServices['pausing'] & Pick<Pausing, 'isPaused'>;
  readonly live: ApiServices['live'];
  readonly freeBytes: ApiServices['freeBytes'];
  open(): Promise<void>;
  health(): Promise<Health>;
  close(): Promise<void>;
}

interface OpenStore {
  readonly database: Database;
  /** What requests are put together with, over connections of its own: a busy console holds up no agent. */
  readonly composing: Composing;
  readonly recorder: Recorder;
  readonly reader: ArchiveReader;
  readonly transfer: ArchiveTransfer;
  readonly transcripts: TranscriptImporter;
  readonly layouts: RecallReader;
  readonly ledger: LedgerReader;
  readonly keeper: ArchiveKeeper;
  readonly housekeeping: Housekeeping;
  readonly remembering: Remembering;
  readonly disk: FreeSpace;
  readonly stopListening: () => void;
}

/** The archive as seen from the process: there when its database is, and honest about it while it is not. */
function createStore(parts: { env: Env; clock: Clock; log: Logger; metrics: Metrics }): Store {
  const { metrics, log } = parts;
  const listeners = new Set<(event: LiveEvent) => void>();
  let open: OpenStore | null = null;
  let trouble: string | null = 'The database is being started.';
  let closing = false;
  const tap = holdTap(parts);
  const pausing = createPausing(parts, LOCAL_ACCOUNT, parts.env.databaseUrl === undefined);

  async function openUntilItHolds(): Promise<void> {
    while (!closing) {
      try {
        const store = await openStore(parts, pausing, (event) => {
          if (event.kind === 'deleted') {
            composer.forget();
            void open?.composing.deleted();
          }
          for (const listener of listeners) listener(event);
        });
        tap.handTo(store.recorder, pausing.isPaused);
        if (closing) return await closeStore(store);
        open = store;
        trouble = null;
        return;
      } catch (thrown) {
        const error = asContextModeError(thrown);
        if (error.code === 'conflict' || error.code === 'configuration') throw error;
        trouble = error.message;
        metrics.faults.inc({ where: 'database_start' });
        log.error(
          { reason: error.detail ?? error.message },
          'the database could not be opened; what is to be archived waits in memory',
        );
        await new Promise((resolve) => setTimeout(resolve, REOPEN_MS));
      }
    }
  }

  function whenOpen(): OpenStore {
    if (open !== null) return open;
    throw new ContextModeError('unavailable', trouble ?? 'The archive is not open.', {
      hint: 'Agents work on meanwhile. Try again in a moment.',
    });
  }

  const composer = createComposer({
    clock: parts.clock,
    timers: systemTimers,
    log,
    metrics,
    store: () => open?.composing.store ?? null,
    isAlone: parts.env.databaseUrl === undefined,
    archiveNow: (request) => tap.archiveNow(request),
  });
  /** The main line of a session as its agent names it; null: it names none, or there is no such session. */
  async function mainLine(sessionId: Uuid): Promise<ThreadName | null> {
    const session = await whenOpen().reader.getSession(LOCAL_ACCOUNT, sessionId);
    if (session === null || session.clientSessionId === null) return null;
    return { agent: session.agent, session: session.clientSessionId, thread: '' };
  }

  let opened: Promise<void> = Promise.resolve();
  return {
    composer,
    open() {
      opened = openUntilItHolds();
      return opened;
    },
    tap,
    archive: deferred(() => whenOpen().reader),
    keeper: deferred(() => whenOpen().keeper),
    transfer: deferred(() => whenOpen().transfer),
    transcripts: deferred(() => whenOpen().transcripts),
    layouts: deferred(() => whenOpen().layouts),
    ledger: deferred(() => whenOpen().ledger),
    switches: {
      read: (accountId, scope) => readSwitches(whenOpen().database.pool, accountId, scope),
      async write(accountId, scope, switches, at) {
        const written = await writeSwitches(whenOpen().database.pool, accountId, scope, switches, at);
        composer.switched();
        return written;
      },
    },
    recall: {
      preview: async (sessionId) => {
        const name = await mainLine(sessionId);
        return name === null ? null : composer.preview(LOCAL_ACCOUNT, name);
      },
      undo: async (sessionId) => {
        const name = await mainLine(sessionId);
        return name === null ? { undone: false, why: 'unknown_state' } : composer.undo(LOCAL_ACCOUNT, name);
      },
    },
    pausing: {
      isPaused: pausing.isPaused,
      now: () => {
        whenOpen();
        return pausing.now();
      },
      set: async (pause) => pausing.set(whenOpen().database.pool, pause),
    },
    memory: {
      reader: deferred(() => whenOpen().remembering.reader),
      writer: deferred(() => whenOpen().remembering.writer),
    },
    freeBytes: async () => open?.disk.read() ?? null,
    live: {
      subscribe(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    health: () => healthOf(parts, open, { database: trouble, recall: composer.trouble() }),
    async close() {
      closing = true;
      pausing.close();
      await opened.catch(() => undefined);
      if (open !== null) await closeStore(open);
      tap.giveUp();
    },
  };
}

/** What any gateway of the database tells. */
type NewsOfArchive = Parameters<Parameters<typeof watchLive>[1]>[0];

async function openStore(
  { env, clock, log, metrics }: { env: Env; clock: Clock; log: Logger; metrics: Metrics },
  pausing: Pausing,
  onLive: (event: NewsOfArchive) => void,
): Promise<OpenStore> {
  const database = await openDatabase({ home: env.home, databaseUrl: env.databaseUrl, log });
  try {
    await migrate({ settings: database.settings, log });
    const key = await installationKey(env.home, systemRandom);
    const tools = { clock, random: systemRandom, installationKey: key };
    await ensureLocalAccount(database.pool, tools);
    await pausing.open(database.pool);
    const disk = { folder: database.embedded?.base ?? env.home, leastBytes: env.leastFreeBytes };
    const worker = fileURLToPath(new URL('./recorder.js', import.meta.url));
    const recorder = startRecorder(
      worker,
      { connection: database.settings, home: env.home, logLevel: env.logLevel, disk },
      { clock, log, metrics },
    );
    const deleting = { clock, drawn: drawnFacts({ clock }) };
    const remembering = openRemembering(database.pool, {
      accountId: LOCAL_ACCOUNT,
      clock,
      log,
      metrics,
      installationKey: key,
    });
    const housekeeping = startHousekeeping({
      housekeeper: createArchiveHousekeeper(database.pool, deleting),
      accountId: LOCAL_ACCOUNT,
      clock,
      log,
      metrics,
      ownServer: database.embedded !== undefined,
    });
    const onNews = (event: NewsOfArchive) => {
      if (event.kind === 'planned') housekeeping.plansChanged();
      else if (event.kind === 'deleted') housekeeping.deleted();
      else if (event.kind === 'log') remembering.learning.soon();
      onLive(event);
    };
    const home = env.databaseUrl === undefined ? env.home : null;
    return {
      database,
      composing: await openComposing(database.settings, { clock, log, installationKey: key, home }),
      recorder,
      reader: createArchiveReader(database.pool, deleting),
      keeper: createArchiveKeeper(database.pool, deleting),
      transfer: createArchiveTransfer(database.pool, tools),
      transcripts: createTranscriptImporter(database.settings, env, log),
      layouts: createRecallReader(database.pool),
      ledger: createLedgerReader(database.pool),
      housekeeping,
      remembering,
      disk: watchFreeSpace(disk.folder, clock),
      stopListening: watchLive(database.pool, onNews, log),
    };
  } catch (error) {
    await database.stop();
    throw error;
  }
}

async function closeStore({
  database,
  composing,
  recorder,
  transcripts,
  housekeeping,
  remembering,
  stopListening,
}: OpenStore): Promise<void> {
  const tidied = Promise.all([housekeeping.stop(), remembering.learning.stop()]);
  await Promise.all([recorder.close(DRAIN_MS), transcripts.close()]);
  stopListening();
  // A long deletion is cut off between two sessions; the next start ends it.
  await bounded(tidied, TIDY_MS);
  await composing.close();
  await database.stop();
}

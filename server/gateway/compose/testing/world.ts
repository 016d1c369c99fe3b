import { setTimeout as moment } from 'node:timers/promises';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../../e2e/simulator/index.ts';
import {
  createArchiveReader,
  createArchiveWriter,
  createAskingReader,
  createTurnsToLearn,
  ensureAccount,
} from '../../../archive/index.ts';
import type { Database } from '../../../db/index.ts';
import { learnWaiting } from '../../../jobs/index.ts';
import { type ManualClock, manualClock } from '../../../kernel/clock.ts';
import type { Uuid } from '../../../kernel/ids.ts';
import type { InstallationKey } from '../../../kernel/installation-key.ts';
import { createLogger } from '../../../kernel/log.ts';
import { createMetrics } from '../../../kernel/metrics.ts';
import { systemRandom } from '../../../kernel/random.ts';
import { createMemoryReader, createMemoryWriter } from '../../../memory/index.ts';
import {
  createRecallStore,
  INHERITED,
  type RecallStore,
  type SetSwitches,
  writeSwitches,
} from '../../../recall/index.ts';
import type { Booker } from '../../booking/booker.ts';
import { estimateText } from '../../estimate/index.ts';
import { systemTimers } from '../../keep-alive.ts';
import { createPipeline } from '../../record/pipeline.ts';
import { createQueue } from '../../record/queue.ts';
import { createRetrieval } from '../../retrieval/index.ts';
import type { Tap, TappedAnswer, TappedRequest } from '../../tap.ts';
import { type TestGateway, testGateway } from '../../testing/gateway.ts';
import { createComposer } from '../composer.ts';
import { createFactsForPrompts, factsForSearch } from '../facts-for-prompts.ts';
import type { Composer } from '../prepared.ts';
import type { SeenByModel } from '../seen.ts';

/** A gateway with its archive over a real database, and the simulated providers behind it. */
export interface World {
  readonly simulator: Simulator;
  readonly clock: ManualClock;
  readonly accountId: Uuid;
  /** While it is slow no request is archived before it is sent. */
  readonly archive: { isSlow: boolean };
  readonly recall: RecallStore;
  readonly gateway: TestGateway;
  /** Forgets everything that gateways remember, as a restart does. */
  restart(): void;
  /** Requests that the provider refused, in its words. */
  refused(): readonly string[];
  /** What the model saw of each request, in their order; null: nothing was to be changed. */
  readonly seen: (SeenByModel | null)[];
  composer(): Composer;
  /** What a person switches for the account. */
  switchOn(switches: Partial<SetSwitches>): Promise<void>;
  /** The text of a document, all of it. */
  read(docid: string): Promise<string>;
  /** Waits until all that came is archived and read back. */
  settled(): Promise<void>;
  /** Waits until memory has looked at all that was typed. */
  learn(): Promise<void>;
  /** While it is paused nothing is recorded and nothing new begun. */
  pause(isOn: boolean): void;
  /** While the store is down it throws at every call. */
  storeIsDown(isDown: boolean): void;
  /** The next layout is committed, or its commit is heard of, so many milliseconds late. */
  nextCommitIsLate(late: { readonly before?: number; readonly after?: number }): void;
  /** Another gateway on the same database, as another process would be. */
  another(): Promise<TestGateway>;
  close(): Promise<void>;
}

const installationKey = new Uint8Array(32).fill(3) as InstallationKey;
let made = 0;

/** What a world has that not every test needs. */
export interface WorldOptions {
  /** Books what requests cost; left out: nobody does. */
  readonly booker?: (accountKey: (accountId: Uuid) => Promise<Uint8Array>) => Booker;
  readonly simulator?: SimulatorOptions;
}

/** Makes a {@link World} with an account of its own; what is put together has `deadlineMs`. */
export async function startWorld(
  database: Database,
  deadlineMs = 20_000,
  options: WorldOptions = {},
): Promise<World> {
  made += 1;
  const clock = manualClock(Date.UTC(2026, 11, 1, 9));
  const log = createLogger('silent', 'test');
  const { pool } = database;
  const tools = { clock, random: systemRandom, installationKey };
  const accountId = await ensureAccount(pool, `world ${made}`, tools);
  const simulator = await startSimulator({
    seed: `world ${made}`,
    settings: { binding: 'enforced' },
    ...options.simulator,
  });
  const writer = createArchiveWriter(pool, { clock, installationKey });
  let isDown = false;
  let late: { readonly before?: number; readonly after?: number } = {};
  const store = createRecallStore(pool, { accountKey: writer.accountKey });
  const lateStore: RecallStore = {
    ...store,
    async keepGeneration(...generation) {
      const { before = 0, after = 0 } = late;
      late = {};
      await moment(before);
      const kept = await store.keepGeneration(...generation);
      await moment(after);
      return kept;
    },
  };
  const recall = new Proxy(lateStore, {
    get: (target, name: keyof RecallStore) =>
      isDown ? () => Promise.reject(new Error('the store is down')) : target[name],
  });
  const reader = createArchiveReader(pool, { clock });
  const pending = new Set<number>();
  const early = new Map<number, (confirmed: boolean) => void>();
  let jobs = 0;
  const queue = createQueue({
    pipeline: createPipeline(writer, undefined, options.booker?.(writer.accountKey) ?? null),
    writer,
    clock,
    log,
    tell: (message) => {
      if (message.type === 'done') pending.delete(message.job);
      if (message.type === 'early') early.get(message.job)?.(message.confirmed);
    },
  });
  const archive = { isSlow: false };
  const seen: (SeenByModel | null)[] = [];
  const take = (event: { readonly request: TappedRequest } | { readonly answer: TappedAnswer }) => {
    jobs += 1;
    pending.add(jobs);
    if ('request' in event) queue.take({ job: jobs, request: event.request });
    else {
      const { chunks, overflow: _overflow, ...rest } = event.answer;
      queue.take({ job: jobs, answer: { ...rest, endedAt: clock.now(), body: Buffer.concat(chunks) } });
    }
  };
  const tap: Tap = {
    requestReceived: (request) => {
      seen.push(request.seen ?? null);
      take({ request });
    },
    answerEnded: (answer) => take({ answer }),
  };
  const archiveNow = (request: TappedRequest) => {
    jobs += 1;
    const job = jobs;
    return new Promise<boolean>((resolve) => {
      early.set(job, resolve);
      queue.take({ job, request, early: true });
    });
  };
  const memory = createMemoryReader(pool);
  const facts = createFactsForPrompts({ reader: memory, places: writer, timers: systemTimers });
  const composers: Composer[] = [];
  let isPaused = false;
  const startGateway = () => {
    const retrieval = createRetrieval({
      archive: { ...reader, ...createAskingReader(pool) },
      storedName: async ({ thread }) => thread.session,
      facts: (asking, { projectId }, q) =>
        factsForSearch(
          memory,
          asking.accountId,
          { projectId, worktreeId: null, threadId: null },
          q,
          clock.now(),
        ),
      clock,
      timers: systemTimers,
      estimate: estimateText,
    });
    const composer = createComposer({
      clock,
      timers: systemTimers,
      log,
      metrics: createMetrics(),
      store: () => ({ recall, archive: writer, retrieval, facts }),
      isAlone: false,
      archiveNow: (request) => (archive.isSlow ? Promise.resolve(false) : archiveNow(request)),
      deadlineMs,
    });
    composers.push(composer);
    return testGateway({
      upstream: simulator.url,
      tap,
      composer,
      clock,
      accountId,
      isPaused: () => isPaused,
    });
  };
  const gateway = await startGateway();
  const gateways = [gateway];
  const settled = async () => {
    while (pending.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    while ((await writer.confirm(accountId, 1_000)) > 0);
    while ((await writer.index(accountId)).more);
  };
  return {
    simulator,
    clock,
    accountId,
    archive,
    recall,
    gateway,
    seen,
    settled,
    async learn() {
      await settled();
      await learnWaiting(
        {
          turns: createTurnsToLearn(pool),
          reader: memory,
          writer: createMemoryWriter(pool, { clock, accountKey: writer.accountKey }),
          switchesOf: async () => ({ memory: true, timeZone: 'UTC' }),
          clock,
          log,
          metrics: createMetrics(),
        },
        accountId,
      );
    },
    read: async (docid) => (await reader.readRaw(accountId, docid))?.toString() ?? '',
    restart() {
      for (const composer of composers) composer.forget();
    },
    refused: () =>
      simulator.requests.entries.flatMap(({ answer }) =>
        answer !== undefined && answer.status >= 400 ? [answer.body.toString()] : [],
      ),
    composer: () => composers[0] as Composer,
    switchOn: async (switches) => {
      await writeSwitches(pool, accountId, accountId, { ...INHERITED, ...switches }, clock.now());
      for (const composer of composers) composer.switched();
    },
    pause(isOn) {
      isPaused = isOn;
    },
    storeIsDown(down) {
      isDown = down;
    },
    nextCommitIsLate(how) {
      late = how;
    },
    async another() {
      const other = await startGateway();
      gateways.push(other);
      return other;
    },
    async close() {
      await settled();
      for (const one of gateways) await one.close();
      await simulator.stop();
    },
  };
}

import type { Clock } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { InstallationKey } from '../../kernel/installation-key.ts';
import type { LocateRepository } from '../place.ts';
import type { ArchiveWriter } from '../types.ts';
import { readAccountKey } from './account.ts';
import { append } from './append.ts';
import { confirm } from './confirmation.ts';
import { StaleRead, type StorePool } from './connection.ts';
import { placeResolver } from './places.ts';
import { childrenOf, lookUpSlices } from './recognise.ts';
import { saveAnswer, saveOutcome, savePreamble, saveRequest, saveView } from './requests.ts';
import { accountsToIndex, indexSome } from './search-index.ts';
import { hasSession, openThread } from './threads.ts';
import { holdsAnswer, sessionOfChain } from './unnamed.ts';

/** What the writer takes from outside. */
export interface WriterOptions {
  readonly clock: Clock;
  /** Opens the accounts' keys. */
  readonly installationKey: InstallationKey;
  /** Asks the machine which repository holds a folder; left out where agents run on other machines. */
  readonly locateRepository?: LocateRepository;
}

/** Milliseconds for which an account's key is remembered: an import into an empty archive brings another one. */
const KEY_KEPT_MS = 1_000;

/** The archive's writing side over a pool (one in each process or worker). */
export function createArchiveWriter(pool: StorePool, options: WriterOptions): ArchiveWriter {
  const { clock } = options;
  const keys = new Map<Uuid, { readonly until: number; readonly key: Promise<Uint8Array> }>();
  const accountKey = (accountId: Uuid): Promise<Uint8Array> => {
    const known = keys.get(accountId);
    if (known && known.until > clock.monotonic()) return known.key;
    const key = readAccountKey(pool, accountId, options.installationKey);
    keys.set(accountId, { until: clock.monotonic() + KEY_KEPT_MS, key });
    key.catch(() => keys.delete(accountId));
    return key;
  };
  const places = placeResolver(pool, clock, options.locateRepository ?? (async () => null), accountKey);
  /** A deletion may have taken places, too, that are remembered. */
  const forgetPlaces = (thrown: unknown): never => {
    if (thrown instanceof StaleRead) places.forget();
    throw thrown;
  };
  return {
    accountKey,
    resolvePlace: places.resolve,
    openThread: (accountId, identity, place, at) =>
      openThread(pool, clock, accountId, identity, place, at).catch(forgetPlaces),
    hasSession: (accountId, agent, clientSessionId) => hasSession(pool, accountId, agent, clientSessionId),
    lookUpSlices: (accountId, slices) => lookUpSlices(pool, accountId, slices),
    childrenOf: (accountId, parent, wanted) => childrenOf(pool, accountId, parent, wanted),
    sessionOfChain: (accountId, agent, question) => sessionOfChain(pool, accountId, agent, question),
    holdsAnswer: (accountId, messages) => holdsAnswer(pool, accountId, messages),
    saveRequest: (record) => saveRequest(pool, record),
    savePreamble: (accountId, hash, partsOf) => savePreamble(pool, accountId, hash, partsOf),
    append: async (batch) =>
      append(pool, clock, await accountKey(batch.accountId), batch).catch(forgetPlaces),
    saveAnswer: (answer) => saveAnswer(pool, answer),
    saveOutcome: (outcome) => saveOutcome(pool, outcome),
    saveView: (accountId, requestId, view) => saveView(pool, accountId, requestId, view),
    index: (accountId) => indexSome(pool, accountId),
    accountsToIndex: () => accountsToIndex(pool),
    confirm: async (accountId, limit) => confirm(pool, await accountKey(accountId), accountId, limit),
  };
}

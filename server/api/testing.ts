import type { ArchiveKeeper } from '../archive/index.ts';
import type { ArchiveReader, ArchiveTransfer } from '../archive/types.ts';
import { manualClock } from '../kernel/clock.ts';
import { readEnv } from '../kernel/env.ts';
import { LOCAL_ACCOUNT, type Uuid } from '../kernel/ids.ts';
import { createLogger } from '../kernel/log.ts';
import type { LedgerReader } from '../ledger/index.ts';
import type { MemoryReader, MemoryWriter } from '../memory/index.ts';
import type { LayoutPreview, Pause, UndoResult } from '../recall/index.ts';
import { type ChainMessage, INHERITED, type RecallReader, type SetSwitches } from '../recall/index.ts';
import type { ApiServices, SwitchKeeper } from './services.ts';

/** What a test of the API says of Recall. */
interface RecallScene {
  readonly reader?: Partial<RecallReader>;
  /** Scopes that switches can be set for. */
  readonly scopes?: readonly Uuid[];
  readonly preview?: LayoutPreview | null;
  readonly undo?: UndoResult;
}

/** Memory that no test of these calls asks. */
const NO_MEMORY = { reader: {} as MemoryReader, writer: {} as MemoryWriter };

/** A ledger that no test of these calls asks. */
const NO_LEDGER = {} as LedgerReader;

const NO_FAILURES = { count: 0, newest: null };

/** The services of Recall in memory: nothing was laid out unless the scene says so; switches are kept. */
export function recallServices(
  scene: RecallScene = {},
): Pick<ApiServices, 'layouts' | 'ledger' | 'switches' | 'recall' | 'pausing' | 'memory'> {
  const said = new Map<Uuid, SetSwitches>();
  const switches: SwitchKeeper = {
    read: async (_account, scope) => said.get(scope) ?? INHERITED,
    async write(_account, scope, value) {
      if (scene.scopes?.includes(scope) !== true) return false;
      said.set(scope, value);
      return true;
    },
  };
  const layouts: RecallReader = {
    layouts: async () => [],
    layout: async () => null,
    chain: async () => [],
    messages: async () => [],
    hiddenRound: async () => null,
    marks: async () => new Map(),
    failures: async () => NO_FAILURES,
    ...scene.reader,
  };
  const recall = {
    preview: async () => scene.preview ?? null,
    undo: async () => scene.undo ?? { undone: false as const, why: 'nothing' as const },
  };
  let paused: Pause | null = null;
  const pausing = {
    now: () => paused,
    set: async (pause: Pause | null) => {
      paused = pause;
    },
  };
  return { layouts, ledger: NO_LEDGER, switches, recall, pausing, memory: NO_MEMORY };
}

/** A chain of so many messages, each with one item of ten bytes; hashes are their numbers in hex. */
export function chainOf(count: number): readonly ChainMessage[] {
  return Array.from({ length: count }, (_, at) => ({ hash: hashAt(at), items: 1, bytes: 10 }));
}

/** The hash of the message at a place of {@link chainOf}. */
export function hashAt(at: number): string {
  return at.toString(16).padStart(64, '0');
}

/** The services that a test of Recall's calls needs, over an archive that the test makes. */
export function servicesWith(archive: Partial<ArchiveReader>, scene: RecallScene = {}): ApiServices {
  return {
    env: readEnv({ NODE_ENV: 'test' }),
    clock: manualClock(1_796_000_000_000),
    log: createLogger('silent', 'test'),
    accountId: LOCAL_ACCOUNT,
    archive: archive as ArchiveReader,
    transfer: {} as ArchiveTransfer,
    transcripts: { importSession: async () => null },
    links: { keyNeeded: false, makeLink: (url) => url },
    live: { subscribe: () => () => undefined },
    health: async () => ({ ready: true, parts: [] }),
    keeper: {
      plannedDeletions: async () => new Map(),
      retention: async () => ({ account: 'forever', projects: new Map(), setAt: null, due: 0 }),
      databaseBytes: async () => 0,
    } as unknown as ArchiveKeeper,
    freeBytes: async () => null,
    ...recallServices(scene),
  };
}

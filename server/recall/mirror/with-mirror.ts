import { hexOf, type MessageHash } from '../../conversation/index.ts';
import { bounded } from '../../kernel/bounded.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { hashOf } from '../store/columns.ts';
import type { Beginning, Generation, HiddenRecord, RecallStore, ThreadName } from '../stored.ts';
import {
  beginningOf,
  generationOf,
  hiddenOf,
  keyOf,
  type MirrorEntry,
  nameHash,
  ofBeginning,
  ofGeneration,
  ofHidden,
} from './entries.ts';
import type { Mirror } from './mirror.ts';

/** How long the store has for a look-up before the mirror answers in its place, in milliseconds. */
const LATE_MS = 120;

/** The version of a store that has not answered yet. */
const NEVER_SEEN = 'mirror';

/**
 * A store whose look-ups the mirror answers where it throws or is late, and whose keeping the mirror learns of once it is
 * committed. The mirror holds the newest alone: that it has nothing means nothing, so that then the store's own answer is
 * waited for. What is read while the store does not answer counts as read at an older version.
 */
export function withMirror(store: RecallStore, mirror: Mirror, lateMs: number = LATE_MS): RecallStore {
  let known: string | null = null;
  let outages = 0;
  let answered = false;
  const either = async <Row>(asked: Promise<readonly Row[]>, mirrored: () => readonly Row[]) => {
    try {
      if (await bounded(asked, lateMs)) return await asked;
    } catch (cause) {
      return orElse(mirrored(), () => Promise.reject(cause));
    }
    return orElse(mirrored(), () => asked);
  };
  async function orElse<Row>(rows: readonly Row[], other: () => Promise<readonly Row[]>) {
    if (rows.length === 0) return other();
    answered = true;
    return rows;
  }
  return {
    ...store,
    beginnings: (accountId, thread, chain) =>
      either(store.beginnings(accountId, thread, chain), () =>
        beginningsIn(mirror, accountId, thread, chain),
      ),
    generations: (accountId, chain) =>
      either(store.generations(accountId, chain), () => generationsIn(mirror, accountId, chain)),
    hidden: (accountId, anchors) =>
      either(store.hidden(accountId, anchors), () => hiddenIn(mirror, accountId, anchors)),
    async keepBeginning(accountId, beginning, at) {
      await store.keepBeginning(accountId, beginning, at);
      mirror.add(ofBeginning(accountId, beginning));
    },
    async keepGeneration(accountId, generation) {
      const holds = await store.keepGeneration(accountId, generation);
      mirror.add(ofGeneration(accountId, holds));
      return holds;
    },
    async keepHidden(accountId, record) {
      await store.keepHidden(accountId, record);
      mirror.add(ofHidden(accountId, record));
    },
    async version(accountId) {
      const asked = store.version(accountId);
      if (!(await bounded(asked, lateMs).catch(() => false))) return known ?? NEVER_SEEN;
      if (answered) outages += 1;
      answered = false;
      known = `${await asked}.${outages}`;
      return known;
    },
  };
}

/**
 * Takes out of the mirror what the store holds no more, or holds without its content: call it at a start, when the database
 * is there, and behind each deletion. What is kept meanwhile stays.
 * @throws what the store throws
 */
export async function syncMirror(store: RecallStore, mirror: Mirror): Promise<void> {
  const entries = mirror.entries();
  for (const account of new Set(entries.map((entry) => entry.account))) {
    const ours = entries.filter((entry) => entry.account === account);
    const standing = await standingKeys(store, account, ours);
    mirror.remove(ours.filter((entry) => !standing.has(standingKey(entry))).map(keyOf));
  }
  await mirror.settled();
}

/** The keys of what the store holds of these entries. */
async function standingKeys(
  store: RecallStore,
  account: Uuid,
  entries: readonly MirrorEntry[],
): Promise<ReadonlySet<string>> {
  const began: MessageHash[] = [];
  const madeAt: MessageHash[] = [];
  const anchors = new Set<string>();
  for (const { kind, value } of entries) {
    if (kind === 'beginning') began.push(hashOf(value.began));
    else if (kind === 'generation') madeAt.push(hashOf(value.madeAt));
    else for (const anchor of value.anchors) anchors.add(anchor);
  }
  const nobody: ThreadName = { agent: 'unknown', session: '', thread: '' };
  const [beginnings, generations, hidden] = await Promise.all([
    store.beginnings(account, nobody, began),
    store.generations(account, madeAt),
    store.hidden(account, [...anchors]),
  ]);
  return new Set(
    [
      ...beginnings.map((one) => ofBeginning(account, one)),
      ...generations.map((one) => ofGeneration(account, one)),
      ...hidden.filter((one) => one.data !== null).map((one) => ofHidden(account, one)),
    ].map(standingKey),
  );
}

/**
 * Of a beginning, whose name the store has in another form, its message and its choices; of a generation the memory parts
 * that a deletion may have taken out of it.
 */
function standingKey(entry: MirrorEntry): string {
  if (entry.kind === 'hidden') return keyOf(entry);
  const { choices } = entry.value;
  if (entry.kind === 'generation')
    return `${keyOf(entry)} ${JSON.stringify([choices.memory, entry.value.layout?.memory ?? null])}`;
  return `${entry.value.began} ${JSON.stringify([choices.tool, choices.trimming, choices.memory])}`;
}

function beginningsIn(
  mirror: Mirror,
  accountId: Uuid,
  thread: ThreadName,
  chain: readonly MessageHash[],
): readonly Beginning[] {
  const name = nameHash(thread);
  const hexes = new Set(chain.map(hexOf));
  return mirror.entries().flatMap((entry) => {
    if (entry.account !== accountId || entry.kind !== 'beginning') return [];
    const isNamed = entry.value.name === name;
    return isNamed || hexes.has(entry.value.began) ? [beginningOf(entry.value, isNamed ? thread : null)] : [];
  });
}

function generationsIn(
  mirror: Mirror,
  accountId: Uuid,
  chain: readonly MessageHash[],
): readonly Generation[] {
  const hexes = new Set(chain.map(hexOf));
  return mirror
    .entries()
    .flatMap((entry) =>
      entry.account === accountId && entry.kind === 'generation' && hexes.has(entry.value.madeAt)
        ? [generationOf(entry.value)]
        : [],
    );
}

function hiddenIn(mirror: Mirror, accountId: Uuid, anchors: readonly string[]): readonly HiddenRecord[] {
  const asked = new Set(anchors);
  return mirror
    .entries()
    .flatMap((entry) =>
      entry.account === accountId &&
      entry.kind === 'hidden' &&
      entry.value.anchors.some((anchor) => asked.has(anchor))
        ? [hiddenOf(entry.value)]
        : [],
    )
    .sort((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1));
}

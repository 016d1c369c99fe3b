import { createHash } from 'node:crypto';
import { hexOf } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import { type ContentColumn, contentColumn, contentOf, hashOf } from '../store/columns.ts';
import type { Beginning, FrozenChoices, Generation, HiddenRecord, ThreadName } from '../stored.ts';

/** What is mirrored of an account, as a line of the file holds it: hashes in hex, and no name of a thread but its hash. */
export type MirrorEntry = { readonly account: Uuid } & (
  | { readonly kind: 'beginning'; readonly value: BeginningEntry }
  | { readonly kind: 'generation'; readonly value: GenerationEntry }
  | { readonly kind: 'hidden'; readonly value: Omit<HiddenRecord, 'thread'> }
);

interface BeginningEntry {
  /** Hash of the thread's name: any client can put a secret into one. */
  readonly name: string;
  readonly began: string;
  readonly choices: FrozenChoices;
}

interface GenerationEntry extends Omit<Generation, 'madeAt' | 'layout' | 'thread'> {
  readonly madeAt: string;
  readonly layout: ContentColumn | null;
}

/** The thread of what is read from the mirror, which keeps no names. */
const NO_NAME: ThreadName = { agent: 'unknown', session: '', thread: '' };

/** A thread's name as the mirror knows it. */
export function nameHash({ agent, session, thread }: ThreadName): string {
  return createHash('sha256').update([agent, session, thread].join('\0'), 'utf16le').digest('hex');
}

/** The entry of a beginning. */
export function ofBeginning(account: Uuid, { thread, began, choices }: Beginning): MirrorEntry {
  return {
    account,
    kind: 'beginning',
    value: { name: nameHash(thread), began: hexOf(began), choices },
  };
}

/** The entry of a generation. */
export function ofGeneration(account: Uuid, { thread: _, ...generation }: Generation): MirrorEntry {
  const { madeAt, layout } = generation;
  const value = {
    ...generation,
    madeAt: hexOf(madeAt),
    layout: layout === null ? null : contentColumn(layout),
  };
  return { account, kind: 'generation', value };
}

/** The entry of hidden rounds. */
export function ofHidden(account: Uuid, { thread: _, ...record }: HiddenRecord): MirrorEntry {
  return { account, kind: 'hidden', value: record };
}

/** The beginning that {@link ofBeginning} was told, under a name. */
export function beginningOf({ began, choices }: BeginningEntry, thread: ThreadName | null): Beginning {
  return { thread: thread ?? NO_NAME, began: hashOf(began), choices };
}

/** The generation that {@link ofGeneration} was told, without a name. */
export function generationOf({ madeAt, layout, ...value }: GenerationEntry): Generation {
  return { ...value, madeAt: hashOf(madeAt), layout: contentOf(layout), thread: NO_NAME };
}

/** The record that {@link ofHidden} was told, without a name. */
export function hiddenOf(value: Omit<HiddenRecord, 'thread'>): HiddenRecord {
  return { ...value, thread: NO_NAME };
}

/** What an entry is the only one of: a newer one with the same key takes its place. */
export function keyOf(entry: MirrorEntry): string {
  const { account, kind, value } = entry;
  switch (kind) {
    case 'beginning':
      return [account, kind, value.name, value.began].join(' ');
    case 'generation':
      return [account, kind, value.madeAt].join(' ');
    case 'hidden':
      return [account, kind, value.id].join(' ');
  }
}

/** An entry as a line; without its end. */
export function lineOf(entry: MirrorEntry): string {
  return JSON.stringify(entry);
}

/** The entry of a line; null where the line is none: a crash may have torn it. */
export function entryOf(line: string): MirrorEntry | null {
  try {
    const entry = JSON.parse(line) as Partial<MirrorEntry> | null;
    const isEntry = typeof entry?.account === 'string' && KINDS.has(entry.kind ?? '') && entry.value != null;
    return isEntry ? (entry as MirrorEntry) : null;
  } catch {
    return null;
  }
}

const KINDS: ReadonlySet<string> = new Set<MirrorEntry['kind']>(['beginning', 'generation', 'hidden']);

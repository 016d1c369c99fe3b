import type { Millis } from '../kernel/clock.ts';
import { foldSlot } from './fold.ts';
import type { Arity, FactVersion, Statement } from './types.ts';
import { changeVersions } from './versions.ts';

/** What was written to a slot at once. */
export interface SlotWrite {
  readonly at: Millis;
  readonly statements: readonly Statement[];
}

/**
 * All versions of a slot, also those that are no longer held for true, from what was written to it in order of recorded
 * time. Statements that were written before add nothing.
 */
export function replaySlot(writes: readonly SlotWrite[], usual: Arity = 'one'): readonly FactVersion[] {
  const known = new Map<string, Statement>();
  const past: FactVersion[] = [];
  let current: readonly FactVersion[] = [];
  for (const { at, statements } of writes) {
    const added = statements.filter((statement) => !known.has(statement.id));
    if (added.length === 0) continue;
    for (const statement of added) known.set(statement.id, statement);
    const { closed, opened, kept } = changeVersions(current, foldSlot([...known.values()], usual), added, at);
    past.push(...closed);
    current = [...kept, ...opened];
  }
  return [...past, ...current];
}

/** An instant on both clocks. */
export interface AsOf {
  /** What is asked for is what was true then. */
  readonly validAt: Millis;
  /** What is asked for is what was held for true then; null: what is now. */
  readonly knownAt: Millis | null;
}

/** Those versions that hold at an instant on both clocks; of events, those that had happened. */
export function versionsAsOf(
  versions: readonly FactVersion[],
  { validAt, knownAt }: AsOf,
): readonly FactVersion[] {
  return versions.filter(
    (version) =>
      version.validFrom <= validAt &&
      (version.arity === 'event' || version.validTo === null || version.validTo > validAt) &&
      (knownAt === null
        ? version.recordedTo === null
        : version.recordedFrom <= knownAt && (version.recordedTo === null || version.recordedTo > knownAt)),
  );
}

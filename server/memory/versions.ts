import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import { compareRank } from './rank.ts';
import type { Arity, Cause, FactVersion, SlotHistory, Statement, Window } from './types.ts';

/** What a write does to a slot's versions. */
export interface VersionChange {
  /** Versions that are no longer held for true, with their end in recorded time. */
  readonly closed: readonly FactVersion[];
  readonly opened: readonly FactVersion[];
  /** Versions that go on as they were. */
  readonly kept: readonly FactVersion[];
}

/**
 * The difference between what was held for true of a slot and what its statements now say.
 * @param current the versions that are held for true (`recordedTo` null)
 * @param added the statements of this write; none where statements were erased
 * @param at the write's recorded time
 */
export function changeVersions(
  current: readonly FactVersion[],
  next: SlotHistory,
  added: readonly Statement[],
  at: Millis,
): VersionChange {
  const write = new Write(current, next, added);
  const before = new Map(current.map((version) => [version.fact, version]));
  const after = new Map(next.windows.map((window) => [window.fact, window]));
  const isKept = (version: FactVersion): boolean => {
    const window = after.get(version.fact);
    return window !== undefined && isSame(version, window, next.arity);
  };
  return {
    kept: current.filter(isKept),
    closed: current
      .filter((version) => !isKept(version))
      .map((version) => {
        const [endCause, endedBy] = write.whyEnded(version, after.get(version.fact));
        return { ...version, recordedTo: at, endCause, endedBy };
      }),
    opened: next.windows
      .filter((window) => {
        const version = before.get(window.fact);
        return version === undefined || !isKept(version);
      })
      .map((window) => {
        const [cause, causedBy] = write.whyBegun(window, before.get(window.fact));
        return versionOf(window, next.arity, at, cause, causedBy);
      }),
  };
}

function isSame(version: FactVersion, window: Window, arity: Arity): boolean {
  return (
    version.arity === arity &&
    version.value.key === window.value.key &&
    version.validFrom === window.from &&
    version.validTo === window.to &&
    version.closedBy === window.closedBy
  );
}

function versionOf(
  window: Window,
  arity: Arity,
  at: Millis,
  cause: Cause,
  causedBy: Uuid | null,
): FactVersion {
  return {
    fact: window.fact,
    arity,
    value: window.value,
    validFrom: window.from,
    validTo: window.to,
    closedBy: window.closedBy,
    recordedFrom: at,
    recordedTo: null,
    cause,
    causedBy,
    endCause: null,
    endedBy: null,
  };
}

type Why = readonly [cause: Cause, by: Uuid | null];

/** One write, and the reasons that it gives. */
class Write {
  readonly #added: ReadonlyMap<Uuid, Statement>;
  readonly #current: readonly FactVersion[];
  readonly #next: SlotHistory;
  /** What decides over all of the write where it was not an ordinary statement. */
  readonly #act: Why | null;

  constructor(current: readonly FactVersion[], next: SlotHistory, added: readonly Statement[]) {
    const inOrder = added.toSorted(compareRank);
    this.#added = new Map(inOrder.map((statement) => [statement.id, statement]));
    this.#current = current;
    this.#next = next;
    this.#act = this.#actOf(inOrder);
  }

  /** @param before the version that this one takes the place of */
  whyBegun(window: Window, before: FactVersion | undefined): Why {
    if (this.#isArityChange()) return this.#why('arity_change', this.#declared());
    const closer = this.#added.get(window.closedBy ?? ('' as Uuid));
    if (before !== undefined && closer !== undefined && !this.#added.has(window.fact))
      return [closer.kind === 'end' ? 'ended' : 'superseded', closer.id];
    const opener = this.#added.get(window.fact);
    if (opener?.kind === 'reopen') return ['reopened', opener.id];
    if (this.#act !== null) return this.#act;
    if (opener === undefined) return this.#why('late_history', this.#timed()?.id);
    return [this.#isLate(window) ? 'late_history' : 'asserted', opener.id];
  }

  /** @param after the window that takes the version's place */
  whyEnded(version: FactVersion, after: Window | undefined): Why {
    if (after !== undefined) return this.whyBegun(after, version);
    if (this.#isArityChange()) return this.#why('arity_change', this.#declared());
    const leftOutBy = this.#next.leftOut.get(version.fact);
    if (leftOutBy !== undefined && this.#added.has(leftOutBy)) return ['reopened', leftOutBy];
    if (this.#act !== null) return this.#act;
    return this.#why('late_history', this.#timed()?.id);
  }

  /** It is told behind what is known: it is over already, or something later of its timeline was known before. */
  #isLate(window: Window): boolean {
    if (this.#next.arity === 'event') return false;
    if (window.to !== null && window.closedBy !== null && !this.#added.has(window.closedBy)) return true;
    return this.#current.some(
      (version) =>
        version.validFrom > window.from &&
        (this.#next.arity !== 'many' || version.value.key === window.value.key),
    );
  }

  #actOf(added: readonly Statement[]): Why | null {
    if (added.length === 0) return ['erased', null];
    const taken = added.find((statement) => statement.kind === 'void');
    if (taken !== undefined) return [taken.reason, taken.id];
    const reopen = added.find((statement) => statement.kind === 'reopen');
    return reopen === undefined ? null : ['reopened', reopen.id];
  }

  #isArityChange(): boolean {
    return this.#current.some((version) => version.arity !== this.#next.arity);
  }

  #declared(): Uuid | undefined {
    return [...this.#added.values()].find(
      (statement) => statement.kind === 'arity' || statement.kind === 'void',
    )?.id;
  }

  #timed(): Statement | undefined {
    return [...this.#added.values()].find(
      (statement) => statement.kind === 'value' || statement.kind === 'end',
    );
  }

  #why(cause: Cause, by: Uuid | undefined): Why {
    return [cause, by ?? null];
  }
}

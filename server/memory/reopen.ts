import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import { foldSlot } from './fold.ts';
import type { Arity, ReopenStatement, SlotHistory, Statement, VoidStatement, Window } from './types.ts';

/** Who decides, when, and where the ids of the statements come from. */
export interface Decision {
  readonly at: Millis;
  readonly newId: () => Uuid;
}

/** What a person's act would write, and what it would do. */
export interface ActPlan {
  readonly statements: readonly Statement[];
  readonly history: SlotHistory;
  /** Windows that the act takes back or cuts short, as they are before it. */
  readonly takenBack: readonly Window[];
}

/** Why a row cannot be reopened: there is no such fact, its statement was taken back, it is open, or it is an event. */
export type NoReopen = 'unknown' | 'taken_back' | 'open' | 'event';

/**
 * What reopens a fact. If a reopen took it back, that one is undone first; if the fact is closed then, or was before, it
 * is reopened from its close to the moment of the decision.
 * @param fact the statement that opened it, or one that confirms it
 */
export function planReopen(
  statements: readonly Statement[],
  fact: Uuid,
  decision: Decision,
  usual: Arity = 'one',
): ActPlan | NoReopen {
  const before = foldSlot(statements, usual);
  if (!statements.some((statement) => statement.id === fact && statement.kind !== 'void')) return 'unknown';
  if (before.voided.has(fact)) return 'taken_back';
  const written: Statement[] = [];
  let history = before;
  for (let by = history.leftOut.get(fact); by !== undefined; by = history.leftOut.get(fact)) {
    written.push(voidOf(by, 'undone', decision));
    history = foldSlot([...statements, ...written], usual);
  }
  if (history.arity === 'event') return 'event';
  const window = windowWith(history, fact);
  if (window === undefined) return 'unknown';
  if (window.to !== null) {
    written.push(reopenOf(window, window.to, decision));
    history = foldSlot([...statements, ...written], usual);
  }
  return written.length === 0 ? 'open' : planOf(statements, written, usual);
}

/**
 * What takes back a person's act, or any other statement: each is made void.
 * @param reason `undone` for an act, `retracted` for what was said
 */
export function planVoid(
  statements: readonly Statement[],
  targets: readonly Uuid[],
  reason: VoidStatement['reason'],
  decision: Decision,
  usual: Arity = 'one',
): ActPlan {
  const { voided } = foldSlot(statements, usual);
  const written = targets
    .filter((target) => !voided.has(target))
    .map((target) => voidOf(target, reason, decision));
  return planOf(statements, written, usual);
}

/** What statements would do to a slot. */
export function planOf(
  statements: readonly Statement[],
  written: readonly Statement[],
  usual: Arity = 'one',
): ActPlan {
  const history = foldSlot([...statements, ...written], usual);
  return { statements: written, history, takenBack: lostWindows(foldSlot(statements, usual), history) };
}

/** All statements that a fact stands on: what opened it, and what confirms it. */
export function supportOf(history: SlotHistory, fact: Uuid): readonly Uuid[] {
  const window = windowWith(history, fact);
  return window === undefined ? [] : [window.fact, ...window.confirmedBy];
}

/** The window that a statement opens or confirms. */
export function windowWith(history: SlotHistory, fact: Uuid): Window | undefined {
  return (
    history.windows.find((window) => window.fact === fact) ??
    history.windows.find((window) => window.confirmedBy.includes(fact))
  );
}

function voidOf(target: Uuid, reason: VoidStatement['reason'], decision: Decision): VoidStatement {
  return { kind: 'void', target, reason, ...byPerson(decision) };
}

function reopenOf(window: Window, from: Millis, decision: Decision): ReopenStatement {
  return { kind: 'reopen', value: window.value, from, ...byPerson(decision) };
}

/** What a statement of a person's hand says of itself. */
export function byPerson({ at, newId }: Decision) {
  return { id: newId(), authority: 'person', saidAt: at, docid: null, offset: 0 } as const;
}

/** Windows whose time is not covered by the same value any more, at their beginning or their end. */
function lostWindows(before: SlotHistory, after: SlotHistory): readonly Window[] {
  return before.windows.filter(
    (window) =>
      !after.windows.some(
        (other) =>
          other.value.key === window.value.key &&
          other.from <= window.from &&
          (other.to === null || (window.to !== null && other.to >= window.to)),
      ),
  );
}

import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';
import { compareRank, compareText } from './rank.ts';
import type {
  Arity,
  EndStatement,
  ReopenStatement,
  SlotHistory,
  Statement,
  TimedStatement,
  ValueStatement,
  Window,
} from './types.ts';
import { voidedIn } from './voided.ts';

/** A statement that names the value of its slot. */
type Claim = ValueStatement | ReopenStatement;

/**
 * The history of a slot in valid time: a function of the set of its statements, whatever order they are given in.
 * @param usual how many values the slot holds where no statement says it
 */
export function foldSlot(statements: readonly Statement[], usual: Arity = 'one'): SlotHistory {
  const voided = voidedIn(statements);
  const standing = statements.filter((statement) => !voided.has(statement.id));
  const arity = arityOf(standing, usual);
  const timed = standing.filter(isTimed);
  const leftOut = new Map<Uuid, Uuid>();
  return { arity, windows: windowsOf(timed, arity, leftOut), leftOut, voided };
}

/** True for what has an instant in valid time. */
export function isTimed(statement: Statement): statement is TimedStatement {
  return statement.kind === 'value' || statement.kind === 'end' || statement.kind === 'reopen';
}

function arityOf(standing: readonly Statement[], usual: Arity): Arity {
  const declared = standing.filter((statement) => statement.kind === 'arity');
  return declared.toSorted(compareRank).at(-1)?.arity ?? usual;
}

function windowsOf(
  timed: readonly TimedStatement[],
  arity: Arity,
  leftOut: Map<Uuid, Uuid>,
): readonly Window[] {
  if (arity === 'event') return instantsOf(timed);
  if (arity !== 'many') return lineOf(timed, leftOut);
  return valuesIn(timed).flatMap((key) =>
    lineOf(
      timed.filter((statement) => statement.value === null || statement.value.key === key),
      leftOut,
    ),
  );
}

/** The keys of the values that are claimed, in order. */
function valuesIn(timed: readonly TimedStatement[]): readonly string[] {
  const keys = new Set(timed.filter(isClaim).map((claim) => claim.value.key));
  return [...keys].toSorted(compareText);
}

function isClaim(statement: TimedStatement): statement is Claim {
  return statement.kind !== 'end';
}

/** Each value at each instant is one event, however often it is told. */
function instantsOf(timed: readonly TimedStatement[]): readonly Window[] {
  const groups = new Map<string, Claim[]>();
  for (const claim of timed.filter(isClaim)) {
    const name = JSON.stringify([claim.value.key, claim.from]);
    groups.set(name, [...(groups.get(name) ?? []), claim]);
  }
  const windows = [...groups.values()].flatMap((group): Window[] => {
    const [opener, ...others] = group.toSorted((one, other) => compareRank(other, one));
    if (opener === undefined) return [];
    const { id: fact, value, from } = opener;
    return [{ fact, value, from, to: from, closedBy: null, confirmedBy: others.map((other) => other.id) }];
  });
  return windows.toSorted(
    (one, other) => compareText(one.value.key, other.value.key) || one.from - other.from,
  );
}

/** One timeline: its windows meet without gap and overlap, except where the slot ended between them. */
function lineOf(timed: readonly TimedStatement[], leftOut: Map<Uuid, Uuid>): readonly Window[] {
  const line = new Line();
  for (const [at, said] of byInstant(withoutLeftOut(timed, leftOut))) line.say(at, said);
  return line.windows();
}

/** What a reopen does not leave out. Later decisions are looked at first: one that is left out leaves nothing out. */
function withoutLeftOut(
  timed: readonly TimedStatement[],
  leftOut: Map<Uuid, Uuid>,
): readonly TimedStatement[] {
  const inForce: ReopenStatement[] = [];
  const leaves = (statement: TimedStatement): boolean => {
    const by = inForce.find(
      (reopen) => isInStretch(reopen, statement.from) && compareRank(reopen, statement) > 0,
    );
    if (by !== undefined) leftOut.set(statement.id, by.id);
    return by === undefined;
  };
  const reopens = timed.filter((statement) => statement.kind === 'reopen');
  for (const reopen of reopens.toSorted((one, other) => compareRank(other, one)))
    if (leaves(reopen)) inForce.push(reopen);
  return [...inForce, ...timed.filter((statement) => statement.kind !== 'reopen' && leaves(statement))];
}

/** From the close to the decision; a close that lies ahead of the decision is in it too. */
function isInStretch(reopen: ReopenStatement, at: Millis): boolean {
  return at === reopen.from || (at > reopen.from && at <= reopen.saidAt);
}

function byInstant(
  timed: readonly TimedStatement[],
): readonly (readonly [Millis, readonly TimedStatement[]])[] {
  const instants = new Map<Millis, TimedStatement[]>();
  for (const statement of timed.toSorted((one, other) => compareRank(other, one))) {
    const said = instants.get(statement.from);
    if (said === undefined) instants.set(statement.from, [statement]);
    else said.push(statement);
  }
  return [...instants].toSorted(([one], [other]) => one - other);
}

/** A timeline that is told what was said, instant by instant. */
class Line {
  readonly #closed: Window[] = [];
  #open: (Window & { readonly confirmedBy: Uuid[] }) | null = null;

  /** @param said what was said of this instant, the highest rank first */
  say(at: Millis, said: readonly TimedStatement[]): void {
    const winner = winnerOf(said) ?? this.#endOfOpen(said);
    if (winner === undefined) return;
    if (winner.kind === 'end') {
      this.#close(at, winner.id);
      return;
    }
    const same = said.filter((other) => isClaim(other) && other.value.key === winner.value.key);
    if (this.#open?.value.key === winner.value.key) {
      this.#open.confirmedBy.push(...same.map((other) => other.id));
      return;
    }
    this.#close(at, winner.id);
    const confirmedBy = same.filter((other) => other !== winner).map((other) => other.id);
    this.#open = { fact: winner.id, value: winner.value, from: at, to: null, closedBy: null, confirmedBy };
  }

  windows(): readonly Window[] {
    return this.#open === null ? this.#closed : [...this.#closed, this.#open];
  }

  #close(at: Millis, by: Uuid): void {
    if (this.#open !== null) this.#closed.push({ ...this.#open, to: at, closedBy: by });
    this.#open = null;
  }

  /** An end of the value in force; ends of other values say nothing of this slot. */
  #endOfOpen(said: readonly TimedStatement[]): EndStatement | undefined {
    const open = this.#open;
    if (open === null) return undefined;
    return said.find(
      (statement): statement is EndStatement =>
        statement.kind === 'end' && statement.value?.key === open.value.key,
    );
  }
}

/**
 * The statement that holds at an instant: of the values and the ends of the whole slot the highest, values left aside
 * whose own end ranks higher.
 */
function winnerOf(said: readonly TimedStatement[]): TimedStatement | undefined {
  return said.find((statement) => {
    const { value } = statement;
    if (statement.kind === 'end') return value === null;
    return !said.some(
      (end) => end.kind === 'end' && end.value?.key === value?.key && compareRank(end, statement) > 0,
    );
  });
}

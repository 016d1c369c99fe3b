import type { Millis } from '../kernel/clock.ts';
import type { Uuid } from '../kernel/ids.ts';

/**
 * How many values a slot holds at a time: `one`; `many` (a timeline for each value); an `event` holds none, it happened at
 * an instant; a `pair` is a two-way relation, whose slot is named by both of its ends.
 */
export type Arity = 'one' | 'many' | 'event' | 'pair';

/** Who stands behind a statement; a person counts for more than an extractor, and an extractor for more than an import. */
export type Authority = 'person' | 'extractor' | 'import';

/** A value: its text as it was given, and what equal ones are told by (see `valueKey`). */
export interface Value {
  readonly text: string;
  readonly key: string;
}

/** What every statement says of itself. It is written once and never changed. */
interface Said {
  readonly id: Uuid;
  readonly authority: Authority;
  /** When its source was said; of a person's decision: when it was decided. */
  readonly saidAt: Millis;
  /** Document that it was drawn from, and where in it (UTF-16 units); null where a person made it by hand. */
  readonly docid: string | null;
  readonly offset: number;
}

/** From `from` on, the slot is `value`. */
export interface ValueStatement extends Said {
  readonly kind: 'value';
  readonly value: Value;
  readonly from: Millis;
}

/** At `from` the slot ended (`value` null), or this one value of it did. */
export interface EndStatement extends Said {
  readonly kind: 'end';
  readonly value: Value | null;
  readonly from: Millis;
}

/** A person's: what closed at `from` still was this value until they decided so (`saidAt`). */
export interface ReopenStatement extends Said {
  readonly kind: 'reopen';
  readonly value: Value;
  readonly from: Millis;
}

/** Takes a statement back. It can be taken back in its turn. */
export interface VoidStatement extends Said {
  readonly kind: 'void';
  readonly target: Uuid;
  readonly reason: VoidReason;
}

/** Why a statement is taken back: it was wrong, it is said anew in other words, or an act is undone. */
export type VoidReason = 'retracted' | 'corrected' | 'undone';

/** How many values the slot holds, whatever time it is asked for. */
export interface ArityStatement extends Said {
  readonly kind: 'arity';
  readonly arity: Arity;
}

/** What is kept for ever; a slot's history is a function of its statements. */
export type Statement = ValueStatement | EndStatement | ReopenStatement | VoidStatement | ArityStatement;

/** A statement with an instant in valid time. */
export type TimedStatement = ValueStatement | EndStatement | ReopenStatement;

/** A stretch of valid time, `[from, to)`, in which a slot was a value; `to` null: it still is. An event has `to` = `from`. */
export interface Window {
  /** The statement that opens it; it names the fact. */
  readonly fact: Uuid;
  readonly value: Value;
  readonly from: Millis;
  readonly to: Millis | null;
  /** The statement that ends it. */
  readonly closedBy: Uuid | null;
  /** Statements that say the same inside it, in order of valid time. */
  readonly confirmedBy: readonly Uuid[];
}

/** A slot's history in valid time. */
export interface SlotHistory {
  readonly arity: Arity;
  /** In order of value (slots of many) and time. */
  readonly windows: readonly Window[];
  /** Statements that a reopen leaves out, by the reopen. */
  readonly leftOut: ReadonlyMap<Uuid, Uuid>;
  /** Statements that are taken back, by the one that does it. */
  readonly voided: ReadonlyMap<Uuid, Uuid>;
}

/** Why a version began, or why it is no longer held for true. */
export type Cause =
  | 'asserted'
  | 'superseded'
  | 'ended'
  | 'late_history'
  | 'reopened'
  | 'retracted'
  | 'corrected'
  | 'undone'
  | 'arity_change'
  | 'erased';

/** A window as it was held for true in recorded time, `[recordedFrom, recordedTo)`; `recordedTo` null: it still is. */
export interface FactVersion {
  readonly fact: Uuid;
  readonly arity: Arity;
  readonly value: Value;
  readonly validFrom: Millis;
  readonly validTo: Millis | null;
  readonly closedBy: Uuid | null;
  readonly recordedFrom: Millis;
  readonly recordedTo: Millis | null;
  /** Why the version began, and the statement that was the reason. */
  readonly cause: Cause;
  readonly causedBy: Uuid | null;
  /** Why it is no longer held for true; null while it is. */
  readonly endCause: Cause | null;
  readonly endedBy: Uuid | null;
}

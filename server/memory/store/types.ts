import type { DocId } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { Scope } from '../place.ts';
import type { NoReopen } from '../reopen.ts';
import type { Arity, Authority, FactVersion, Window } from '../types.ts';
import type { TurnCount } from './counts.ts';
import type { Claim, Doubt, ReviewOutcome } from './review-types.ts';

/** Something to be written down of a slot that is named by its words. */
export interface FactDraft {
  readonly scope: Scope;
  readonly subject: string;
  readonly predicate: string;
  /** Null: the slot ended, whatever it was. */
  readonly value: string | null;
  readonly kind: 'value' | 'end';
  /** From when on; null: from the moment it is written. */
  readonly from: Millis | null;
  /** How many values the slot holds, where its writer knows it. */
  readonly arity?: Arity;
  /** Where it was drawn from; null: it was given by hand or by an import. */
  readonly source: DraftSource | null;
  /** Why it is not sure: it is written, and a person is asked to look at it. Left out: it is. */
  readonly doubts?: readonly Doubt[];
}

/** The document that something was drawn from, when that was said, and its words (UTF-16 units, `[start, end)`). */
export interface DraftSource {
  readonly docid: DocId;
  readonly saidAt: Millis;
  readonly start: number;
  readonly end: number;
}

/** Who writes. */
export interface Author {
  readonly authority: Authority;
  /** Which extractor or import, with its version; of a person `person`. */
  readonly name: string;
}

/**
 * Why something was not written: it holds a secret; what it was drawn from or where it belongs is gone; it says nothing, or
 * names a moment outside the years 1 to 9999.
 */
export type Refusal = 'secret' | 'gone' | 'unfit';

/** What a write did to one slot. */
export interface SlotChange {
  readonly slot: Uuid;
  readonly opened: readonly FactVersion[];
  readonly closed: readonly FactVersion[];
}

/** What came of a write. */
export interface WriteReport {
  readonly recordedAt: Millis;
  /** Statements that are new, and how many were known. */
  readonly written: readonly Uuid[];
  readonly known: number;
  /** By the draft's place in the list. */
  readonly refused: ReadonlyMap<number, Refusal>;
  readonly changes: readonly SlotChange[];
}

/** What came of a person's act on a fact. */
export interface ActReport {
  readonly recordedAt: Millis;
  /** The statements of the act: what undoes it is told these. */
  readonly written: readonly Uuid[];
  /** What the act takes back or cuts short, as it was before. */
  readonly takenBack: readonly Window[];
  readonly changes: readonly SlotChange[];
}

/** How a fact is said anew. */
export interface Correction {
  readonly value: string;
  /** Null: from when it was held to be true. */
  readonly from: Millis | null;
  readonly note: string | null;
}

/** What came of settling an entry of the queue: what it wrote, slot by slot, each to be undone by itself. */
export interface SettleReport {
  readonly acts: readonly ActReport[];
  readonly refused: Refusal | null;
}

/** What is written into memory. Every call is one transaction, of one account in SQL. */
export interface MemoryWriter {
  /** Writes down what was drawn, imported, or stated by a person. What is known already writes nothing. */
  write(accountId: Uuid, drafts: readonly FactDraft[], author: Author): Promise<WriteReport>;
  /** Makes a closed fact true again, from its close until now and on. */
  reopen(accountId: Uuid, fact: Uuid): Promise<ActReport | NoReopen>;
  /** What {@link reopen} would take back now; nothing is written. */
  previewReopen(accountId: Uuid, fact: Uuid): Promise<readonly Window[] | NoReopen>;
  /** Takes statements back, of one slot: what was said, or the statements of an act. Null: there is none of that id. */
  takeBack(
    accountId: Uuid,
    statements: readonly Uuid[],
    reason: 'retracted' | 'undone',
    note: string | null,
  ): Promise<ActReport | null>;
  /** Takes back all that a fact stands on and says it anew. Null: there is no such fact. */
  correct(accountId: Uuid, fact: Uuid, correction: Correction): Promise<ActReport | null>;
  /** States that a fact ended, at `at` or now. Null: there is no such fact. */
  close(accountId: Uuid, fact: Uuid, at: Millis | null): Promise<ActReport | null>;
  /** States the value of a closed fact anew, from now on; nothing is taken back. Null: there is no such fact. */
  trueAgain(accountId: Uuid, fact: Uuid): Promise<ActReport | null>;
  /** Puts what an answer claims and nobody confirmed into the queue. What stands there already is not put twice. */
  claim(accountId: Uuid, scope: Scope, docid: DocId, claims: readonly Claim[]): Promise<void>;
  /** Counts what became of turns. */
  count(accountId: Uuid, counts: Readonly<Partial<Record<TurnCount, number>>>): Promise<void>;
  /**
   * Settles an entry of the queue. Accepting a claim writes it down as said by a person; `reopened` makes true again what a
   * batch closed. Null: there is no such entry, or it is settled.
   */
  settle(accountId: Uuid, entry: Uuid, outcome: ReviewOutcome): Promise<SettleReport | null>;
  /** Sets how many values a slot holds. Null: there is no such slot, or it is one of a pair. */
  setArity(accountId: Uuid, slot: Uuid, arity: Exclude<Arity, 'pair'>): Promise<ActReport | null>;
}

import type { DocId, ItemKind, Role } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { Arity } from '../types.ts';

/** A part of a turn as it is archived: its words are masked. */
export interface TurnPart {
  readonly docid: DocId;
  readonly role: Role;
  readonly kind: ItemKind;
  readonly text: string;
}

/** A turn that may be learned from. */
export interface LearnedTurn {
  /** True for the main line; what a sub-agent is told was typed by nobody. */
  readonly isMain: boolean;
  readonly parts: readonly TurnPart[];
  readonly saidAt: Millis;
  /** The zone that dates in words are meant in (`Europe/Berlin`); one that is not known counts as UTC. */
  readonly zone: string;
  /** Facts of the place that hold: what an old value names is looked up among them. */
  readonly known: readonly KnownFact[];
}

/** A fact of the place. */
export interface KnownFact {
  readonly subject: string;
  readonly predicate: string;
  readonly value: string;
}

/** Something that a turn says, with the words that say it. */
export interface Extracted {
  readonly subject: string;
  readonly predicate: string;
  /** In the words of the person. Null: the slot ended, whatever it was. */
  readonly value: string | null;
  readonly kind: 'value' | 'end';
  readonly from: Millis;
  /** How its time is known: it was written out, it follows from words (`since Monday`), or it is the turn's. */
  readonly dated: 'written' | 'words' | 'turn';
  readonly arity?: Arity;
  readonly docid: DocId;
  /** Where the words stand in the part's text (UTF-16 units, `[start, end)`). */
  readonly start: number;
  readonly end: number;
}

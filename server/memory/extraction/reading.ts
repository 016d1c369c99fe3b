import type { Arity } from '../types.ts';
import type { FoundDate, SpokenAt } from './dates.ts';
import type { KnownFact } from './types.ts';

/** What a sentence says, by one rule. */
export interface Reading {
  readonly subject: string;
  readonly predicate: string;
  readonly value: string | null;
  readonly kind: 'value' | 'end';
  readonly arity?: Arity;
  /** True where a date of the sentence is its time, false where it is a part of its words. */
  readonly isDated: boolean;
}

/** What a sentence is read with. */
export interface Context {
  /** The first date of the sentence. */
  readonly date: FoundDate | null;
  /** A person says to keep it. */
  readonly isTold: boolean;
  readonly known: readonly KnownFact[];
  readonly spoken: SpokenAt;
}

/** Whose facts they are where no subject is named. */
export const PROJECT = 'project';
/** The one who types. */
export const PERSON = 'person';

import type { Millis } from '../../kernel/clock.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { Scope } from '../place.ts';

/** Why something that was drawn is not sure: its date follows from words, or its slot was matched by likeness. */
export type Doubt = 'date' | 'likeness';

/** Why a person is asked to look: what is not sure, what closed much, what a person had set, what an answer alone says. */
export type ReviewReason = Doubt | 'closes_many' | 'closes_a_persons' | 'answer_alone';

/** How a person settled an entry of the queue. */
export type ReviewOutcome = 'accepted' | 'dismissed' | 'reopened';

/** What an answer claims and nobody confirmed, in its words. */
export interface Claim {
  readonly subject: string;
  readonly predicate: string;
  readonly value: string | null;
  readonly kind: 'value' | 'end';
  readonly from: Millis;
  readonly saidAt: Millis;
  readonly start: number;
  readonly end: number;
  /** Which extractor drew it. */
  readonly author: string;
}

/** An entry of the queue that a person looks through. */
export interface ReviewEntry {
  readonly id: Uuid;
  /** `batch`: a write that closed much; `unsure`: one statement; `claim`: nothing is written yet. */
  readonly kind: 'batch' | 'unsure' | 'claim';
  readonly scope: Scope;
  /** Hex digits of the document. */
  readonly docid: string | null;
  readonly why: readonly ReviewReason[];
  readonly statements: readonly Uuid[];
  /** The facts that it closed. */
  readonly closed: readonly Uuid[];
  readonly claim: Claim | null;
  readonly at: Millis;
  readonly outcome: ReviewOutcome | null;
  readonly settledAt: Millis | null;
}

import type { DocId } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { HiddenRecord } from '../../recall/index.ts';
import type { Edit as NamedEdit } from '../validator/index.ts';

/** A call of our tool with its answer. */
export interface AnsweredCall {
  /** The provider's id of the call. */
  readonly id: string;
  /** The input's JSON text as it is sent on (masked). */
  readonly input: string;
  /** JSON text of what stands as the result's content. */
  readonly result: string;
  /** Documents that it shows. */
  readonly documents: readonly DocId[];
}

/** A round of the model that called our tool. */
export interface AnsweredRound {
  /** The JSON texts of its parts, ours among them. */
  readonly parts: readonly string[];
  /** Our calls, in the order of the parts. */
  readonly calls: readonly AnsweredCall[];
  /** True where it called the client's tools too: what belongs to it is sent when the client comes back. */
  readonly mixed: boolean;
}

/** What is kept of hidden rounds, less what is the same for all of an answer. */
export type RecordDraft = Pick<HiddenRecord, 'anchors' | 'documents' | 'data'> & { readonly id: Uuid };

/** An answer with hidden rounds as far as it has come, for both sides. Values: each step gives a new one. */
export interface AnswerSoFar {
  /** With a further round that called our tool; null where its parts and its calls do not fit together. */
  withRound(round: AnsweredRound): AnswerSoFar | null;
  /** With what the client got of a round in which nothing of ours is answered. */
  withEnd(parts: readonly string[]): AnswerSoFar;
  /** JSON texts of the elements that are sent behind those of the first request. They only ever grow. */
  readonly sent: readonly string[];
  /** The edits for the validator. @param base elements of the first request */
  named(base: number): readonly NamedEdit[];
  /** JSON texts of the elements that the client will have of the answer. */
  readonly echoed: readonly string[];
  /** What is to be kept; none where nothing was hidden. @param open true: the answer has not ended */
  records(open: boolean): readonly RecordDraft[];
}

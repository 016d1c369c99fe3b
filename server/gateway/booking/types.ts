import type { CallUsage } from '../../ledger/index.ts';

/** A body by what it is made of, in its order: ranges of the client's decoded body, and bytes of ours. */
export type BodyPieces = readonly (readonly [from: number, to: number] | Uint8Array)[];

/**
 * The bodies between what a client sent and what went out, each with one feature more. Null: the same as the one before.
 */
export interface SentForms {
  /** With results cut. */
  readonly trimmed: BodyPieces | null;
  /** With a layout, or with what an eviction left out. */
  readonly laidOut: BodyPieces | null;
  /** With our tool and hidden rounds. */
  readonly withTool: BodyPieces | null;
  /** With the memory part: what was sent. */
  readonly sent: BodyPieces | null;
  /**
   * Elements at the end of the client's whose reasoning was made under the layout: a model that binds it reads none of what
   * stands before. Null: no layout stands in the request.
   */
  readonly readsReasoningOf: number | null;
  /** What stands in the request is an eviction's. */
  readonly evicts: boolean;
}

/** One upstream call of a request that was answered. */
export interface UpstreamRound {
  /** JSON texts of the elements of hidden rounds that stood behind the conversation; none in the first call. */
  readonly appended: readonly string[];
  /** What the provider billed; null: it did not say. */
  readonly usage: CallUsage | null;
  /** Its end came. */
  readonly isWhole: boolean;
}

/** What the ledger is told of a request that was put together, beside its bytes. */
export interface SentBooking {
  /** Null: they could not be made, so that nothing is compared. */
  readonly forms: SentForms | null;
  readonly rounds: readonly UpstreamRound[];
}

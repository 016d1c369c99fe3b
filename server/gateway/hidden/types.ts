import type { Usage } from '../../conversation/index.ts';
import type { CallUsage } from '../../ledger/index.ts';

/** A call of our tool that the model made, taken out of its answer. */
export interface HiddenCall {
  /** The provider's id of the call. */
  readonly id: string;
  /** The input's JSON text as it was produced. */
  readonly input: string;
}

/** What the provider said of an answer beside its content; null: it did not say, or broke off before. */
export interface AnswerHead {
  readonly providerId: string | null;
  readonly model: string | null;
  readonly stopReason: string | null;
  /** Of this upstream answer alone. */
  readonly usage: Usage | null;
  /** The same as it is billed, for the ledger. */
  readonly billed: CallUsage | null;
}

/** What one upstream answer of a hidden loop was, once it has ended. */
export interface HiddenRound extends AnswerHead {
  /**
   * `whole`: the client has the whole answer. `continue`: it called our tool and nothing of the client's, so the answer
   * goes on with a next upstream answer; its end was kept back. `mixed`: it called both; the client has the answer's end
   * and comes back with its own results. `broken`: it ended without the protocol's end.
   */
  readonly outcome: 'whole' | 'continue' | 'mixed' | 'broken';
  readonly calls: readonly HiddenCall[];
  /** What the model produced whole, in the order of the protocol, ours among it: the JSON texts of its parts. */
  readonly parts: readonly string[];
  /** Parts that the client has of the delivered answer up to this round's end: reasoning, and all others. */
  readonly reasoning: number;
  readonly position: number;
}

/** A round of which nothing came. */
export const NOTHING_CAME: HiddenRound = {
  outcome: 'broken',
  calls: [],
  parts: [],
  reasoning: 0,
  position: 0,
  providerId: null,
  model: null,
  stopReason: null,
  usage: null,
  billed: null,
};

/**
 * Joins several upstream answers into the one that the client gets, without our tool's calls. Bytes before the first
 * such call pass as they came; behind it only numbers that count parts are changed.
 */
export interface HiddenStream {
  /**
   * Takes bytes of the upstream answer under way and gives the bytes for the client, in whole events. The end of an answer
   * that called our tool is kept back.
   */
  push(bytes: Uint8Array): Uint8Array[];
  /** The upstream answer has ended: what is left of it for the client, its kept end among it, and what it was. */
  endRound(): { readonly bytes: Uint8Array[]; readonly round: HiddenRound };
  /** An event that tells the client between two rounds that its answer goes on; null: its protocol's agents count none. */
  sayRunning(): Uint8Array | null;
}

/** The same for answers that come as one JSON document. */
export interface HiddenWhole {
  /** Takes an upstream answer: what it was, and what the client gets if the answer ends with it. */
  take(body: Buffer): { readonly round: HiddenRound; readonly client: Buffer };
}

import type { DocId } from '../../conversation/index.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { ThreadName } from '../../recall/index.ts';
import type { HiddenCall } from '../hidden/types.ts';

/** Which API a conversation speaks. */
export type Protocol = 'anthropic' | 'openai';

/** The conversation that asks the archive. It may read what stands in its project, and without one what stands in itself. */
export interface Asking {
  readonly accountId: Uuid;
  readonly thread: ThreadName;
  /** IANA name of the zone in which answers tell times. */
  readonly timeZone: string;
}

/** An image of the archive. */
export interface RetrievedImage {
  readonly mime: string;
  readonly bytes: Uint8Array;
}

/** What a call of our tool is answered with: text as the archive holds it (masked), then images. */
export interface RetrievalAnswer {
  readonly text: string;
  readonly images: readonly RetrievedImage[];
  /** Documents of which the answer shows words or images. */
  readonly documents: readonly DocId[];
}

/** Answers the calls of our tool from the archive. */
export interface Retrieval {
  /**
   * Answers one call. Never rejects: what goes wrong is told to the model, with what to do.
   * @param call its input as it is sent on (masked)
   * @param tokens room for the answer, estimated
   */
  answer(call: HiddenCall, asking: Asking, tokens: number): Promise<RetrievalAnswer>;
}

import type { RequestOutcome } from '../archive/types.ts';
import type { Millis } from '../kernel/clock.ts';
import type { Door } from '../kernel/env.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { SentBooking } from './booking/types.ts';
import type { SeenAgain, SeenByModel } from './compose/seen.ts';

/** Header names and values as they stood on the wire, less every credential. */
export type HeaderPairs = readonly (readonly [name: string, value: string])[];

/** A request that came through a door. */
export interface TappedRequest {
  readonly id: Uuid;
  readonly accountId: Uuid;
  readonly door: Door;
  readonly method: string;
  /** Path and query behind the door, values of credential-like parameters masked. */
  readonly target: string;
  readonly headers: HeaderPairs;
  /**
   * The body as it came, in the client's own encoding. The very bytes that are on their way upstream: to be read,
   * never written to, and never transferred to another thread (a copy is).
   */
  readonly body: Uint8Array;
  readonly receivedAt: Millis;
  /** What the model saw of it; null or left out: what its client sent, and nothing was to be changed. */
  readonly seen?: SeenByModel | null;
  /** The session that it was put together for, where its agent names none and its history does not tell it. */
  readonly session?: string;
  /** It came in a pause: it is not recorded, and nothing new is made of it. */
  readonly isPaused?: boolean;
}

/** How the answer to a request ended. The fields of {@link RequestOutcome} that the transport knows, and the bytes. */
export interface TappedAnswer
  extends Pick<
    RequestOutcome,
    | 'id'
    | 'accountId'
    | 'status'
    | 'ending'
    | 'responseBytes'
    | 'headMs'
    | 'firstByteMs'
    | 'totalMs'
    | 'ownMs'
  > {
  readonly door: Door;
  /** The upstream's own headers, empty where it gave none. */
  readonly headers: HeaderPairs;
  /** Empty text without the header. */
  readonly contentType: string;
  /** As the header says it (`gzip`, `gzip, br`); empty text for identity. */
  readonly contentEncoding: string;
  readonly providerRequestId: string | null;
  /** The body in the pieces that it came in, in the upstream's encoding. None where `overflow` is true. */
  readonly chunks: readonly Uint8Array[];
  /** What went to the provider where the request was put together; null or left out: what came. */
  readonly booking?: SentBooking | null;
  /** The form that went out once the first was refused; null or left out: there was none. */
  readonly again?: SeenAgain | null;
  /** True if the body was too large to be held, so that `chunks` is empty. `responseBytes` still counts all. */
  readonly overflow: boolean;
}

/**
 * The recorder's end of the gateway. Both functions are called on the request path's own thread after the bytes
 * have been handed on; what they return is not looked at, and what they throw is counted and forgotten.
 */
export interface Tap {
  /** Right after the request was handed to the upstream. Once for each request that is to be recorded. */
  requestReceived(request: TappedRequest): void;
  /** Once for each call of `requestReceived`, after it. */
  answerEnded(answer: TappedAnswer): void;
}

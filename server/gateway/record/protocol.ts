import type { ConnectionSettings } from '../../db/index.ts';
import type { Millis } from '../../kernel/clock.ts';
import type { TappedAnswer, TappedRequest } from '../tap.ts';

/** How an answer ended, as the worker gets it: the pieces joined to one body. */
export interface RecordedAnswer extends Omit<TappedAnswer, 'chunks' | 'overflow'> {
  readonly endedAt: Millis;
  /** In the upstream's encoding; null where it was more than may be held. */
  readonly body: Uint8Array | null;
}

/** What the worker is started with. */
export interface WorkerSettings {
  readonly connection: ConnectionSettings;
  /** Data folder, for the installation's key. */
  readonly home: string;
  readonly logLevel: string;
  /** Folder on the disk that fills up, and the free bytes below which no new session is archived. */
  readonly disk: { readonly folder: string; readonly leastBytes: number };
}

/** What goes to the worker. Each request and each answer is answered with its `job`: by `done`, an early request by `early`. */
export type ToWorker =
  /** `early`: archived at once and read back, before it is sent; it comes once more when it is on its way. */
  | { readonly job: number; readonly request: TappedRequest; readonly early?: true }
  | { readonly job: number; readonly answer: RecordedAnswer }
  /** A part of the body of the event with this `job`, which comes behind its last part: from byte `at` of `of`. */
  | { readonly job: number; readonly piece: Uint8Array; readonly at: number; readonly of: number };

/** What comes back. */
export type FromWorker =
  /** `notArchived` says why something was not archived; null: it was. */
  | { readonly type: 'done'; readonly job: number; readonly notArchived: string | null }
  /** Whether all of an early request is in the archive and was read back. */
  | { readonly type: 'early'; readonly job: number; readonly confirmed: boolean }
  /** The store does not answer; the worker tries again. */
  | { readonly type: 'waiting'; readonly reason: string }
  /** The longest wait for the worker's event loop in the second that has ended. */
  | { readonly type: 'delay'; readonly seconds: number };

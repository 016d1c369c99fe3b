import type { ConnectionSettings } from '../../db/index.ts';
import type { ErrorCode } from '../../kernel/errors.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { ImportedTranscript, TranscriptAgent } from './types.ts';

/** What the thread that reads transcripts is started with. */
export interface ReaderSettings {
  readonly connection: ConnectionSettings;
  /** Data folder, for the installation's key. */
  readonly home: string;
  readonly logLevel: string;
}

/** What goes to it: one session, then the next. Each is answered. */
export type ToReader =
  | { readonly type: 'begin'; readonly accountId: Uuid; readonly agent: TranscriptAgent }
  | { readonly type: 'piece'; readonly bytes: Uint8Array }
  | { readonly type: 'end' }
  /** The files broke off: nothing of them is written. */
  | { readonly type: 'forget' };

/** What comes back. */
export type FromReader =
  | { readonly type: 'taken' }
  /** Null: no line of the files names a session. */
  | { readonly type: 'imported'; readonly session: ImportedTranscript | null }
  | {
      readonly type: 'failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string;
      readonly detail: string;
    };

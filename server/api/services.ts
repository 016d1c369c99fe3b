import type { ArchiveKeeper } from '../archive/index.ts';
import type { ArchiveReader, ArchiveTransfer } from '../archive/types.ts';
import type { Clock, Millis } from '../kernel/clock.ts';
import type { Env } from '../kernel/env.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { Logger } from '../kernel/log.ts';
import type { LedgerReader } from '../ledger/index.ts';
import type { MemoryReader, MemoryWriter } from '../memory/index.ts';
import type { LayoutPreview, Pause, RecallReader, SetSwitches, UndoResult } from '../recall/index.ts';
import type { TranscriptImports } from './transcript-imports.ts';

/** That something new can be read. Ids alone, no content. */
export interface LiveEvent {
  /** Session that changed; null where the request could not be placed. */
  readonly sessionId: string | null;
}

/** What the process says of itself: ready to archive, and each part by name with a sentence where it is not well. */
export interface Health {
  readonly ready: boolean;
  readonly parts: readonly { readonly name: string; readonly ok: boolean; readonly note: string | null }[];
}

/** How a person gets into the console in local mode. */
export interface ConsoleAccess {
  /** True where the system does not tell whose a connection is, so that agents and scripts must send the local key. */
  readonly keyNeeded: boolean;
  /**
   * The address that opens the console in a browser.
   * @param baseUrl where the caller reaches this process, without a slash at its end
   * @returns where the key is needed, a link that works once and for ten minutes; else the plain address
   */
  makeLink(baseUrl: string): string;
}

/** What the composer does for the console. It works on a session's main line. */
export interface RecallActs {
  /** Null: nothing to preview (no request yet, no boundary that fits, a kind of history that is not laid out). */
  preview(sessionId: Uuid): Promise<LayoutPreview | null>;
  undo(sessionId: Uuid): Promise<UndoResult>;
}

/** Where the switches of account, projects and sessions lie. A change holds from the next layout on. */
export interface SwitchKeeper {
  /** What is said at the account (its id), a project or a session itself. */
  read(accountId: Uuid, scope: Uuid): Promise<SetSwitches>;
  /**
   * Sets the switches of a scope in place of what it had. False: there is no such project or session.
   * @throws ContextModeError `bad_request` that names the field whose value cannot be
   */
  write(accountId: Uuid, scope: Uuid, switches: SetSwitches, at: Millis): Promise<boolean>;
}

/** The pause of the process. */
export interface PauseKeeper {
  /** The pause that is on; null: none is. @throws ContextModeError `unavailable` as long as that is not known */
  now(): Pause | null;
  /** Begins a pause, or ends it (null), for requests that come from then on. */
  set(pause: Pause | null): Promise<void>;
}

/** What the procedures need of the process. The process holds more; nothing here opens a connection or reads a file. */
export interface ApiServices {
  readonly env: Env;
  readonly clock: Clock;
  readonly log: Logger;
  readonly accountId: Uuid;
  readonly archive: ArchiveReader;
  readonly keeper: ArchiveKeeper;
  readonly transfer: ArchiveTransfer;
  readonly transcripts: TranscriptImports;
  readonly layouts: RecallReader;
  readonly ledger: LedgerReader;
  readonly switches: SwitchKeeper;
  readonly recall: RecallActs;
  readonly memory: { readonly reader: MemoryReader; readonly writer: MemoryWriter };
  readonly pausing: PauseKeeper;
  readonly links: ConsoleAccess;
  readonly live: { subscribe(listener: (event: LiveEvent) => void): () => void };
  health(): Promise<Health>;
  /** Free bytes on the disk that the archive lies on; null where that is not known. */
  freeBytes(): Promise<number | null>;
}

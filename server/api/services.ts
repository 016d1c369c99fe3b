import type { ArchiveKeeper } from '../archive/index.ts';
import type { ArchiveReader, ArchiveTransfer } from '../archive/types.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Env } from '../kernel/env.ts';
import type { Uuid } from '../kernel/ids.ts';
import type { Logger } from '../kernel/log.ts';

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

/** What the procedures need of the process. The process holds more; nothing here opens a connection or reads a file. */
export interface ApiServices {
  readonly env: Env;
  readonly clock: Clock;
  readonly log: Logger;
  readonly accountId: Uuid;
  readonly archive: ArchiveReader;
  readonly keeper: ArchiveKeeper;
  readonly transfer: ArchiveTransfer;
  readonly links: ConsoleAccess;
  readonly live: { subscribe(listener: (event: LiveEvent) => void): () => void };
  health(): Promise<Health>;
  /** Free bytes on the disk that the archive lies on; null where that is not known. */
  freeBytes(): Promise<number | null>;
}

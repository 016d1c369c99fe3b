import type { ArchiveReader } from '../archive/types.ts';
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

/** What the procedures need of the process. The process holds more; nothing here opens a connection or reads a file. */
export interface ApiServices {
  readonly env: Env;
  readonly clock: Clock;
  readonly log: Logger;
  readonly accountId: Uuid;
  readonly archive: ArchiveReader;
  readonly live: { subscribe(listener: (event: LiveEvent) => void): () => void };
  health(): Promise<Health>;
}

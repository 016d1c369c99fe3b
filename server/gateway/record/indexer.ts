import type { ArchiveWriter } from '../../archive/index.ts';
import { faultOf } from '../../kernel/errors.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';

/** Makes what was archived findable, in the pauses of the recorder's work. */
export interface Indexer {
  /** Something of the account was written. */
  soon(accountId: Uuid): void;
  /** Works off what is left from before, of every account, and looks again from time to time. */
  begin(): void;
}

/**
 * Pause after a write before it is indexed: what is written in one go is indexed in one go. What waits is found all the
 * same (it is read as it stands), so that nothing is hurried.
 */
const SOON_MS = 300;
/** Pause between two pieces of work of one account, so that what agents send goes first. */
const BETWEEN_MS = 5;
/** How often it is asked what else waits: sessions that were imported, rows that another process wrote and died. */
const LOOK_MS = 10_000;
/** Pause after a fault. */
const AGAIN_MS = 5_000;

/** Makes the indexer of a recorder. What fails stays named in the database and is tried again. */
export function createIndexer({
  writer,
  log,
}: {
  readonly writer: Pick<ArchiveWriter, 'index' | 'accountsToIndex'>;
  readonly log: Logger;
}): Indexer {
  const waiting = new Set<Uuid>();
  /** Accounts whose last piece of work left some. */
  const hasMore = new Set<Uuid>();
  let catchingUp = false;
  let running = false;

  async function piece(): Promise<void> {
    if (catchingUp) {
      for (const accountId of await writer.accountsToIndex()) waiting.add(accountId);
      catchingUp = false;
    }
    for (const accountId of [...waiting]) {
      waiting.delete(accountId);
      hasMore.delete(accountId);
      try {
        if (!(await writer.index(accountId)).more) continue;
        waiting.add(accountId);
        hasMore.add(accountId);
      } catch (thrown) {
        waiting.add(accountId);
        throw thrown;
      }
    }
  }

  function later(ms: number): void {
    running = true;
    setTimeout(() => {
      piece()
        .then(
          () => (hasMore.size > 0 ? BETWEEN_MS : SOON_MS),
          (thrown) => {
            log.warn({ reason: faultOf(thrown) }, 'what was archived could not be made findable yet');
            return AGAIN_MS;
          },
        )
        .then((pause) => {
          running = false;
          if (waiting.size > 0 || catchingUp) later(pause);
        });
    }, ms);
  }

  function catchUp(): void {
    catchingUp = true;
    if (!running) later(SOON_MS);
  }

  return {
    soon(accountId) {
      waiting.add(accountId);
      if (!running) later(SOON_MS);
    },
    begin() {
      catchUp();
      setInterval(catchUp, LOOK_MS).unref();
    },
  };
}

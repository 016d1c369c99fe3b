import { type ArchiveWriter, StaleRead } from '../../archive/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import { faultOf } from '../../kernel/errors.ts';
import type { Uuid } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import type { TappedRequest } from '../tap.ts';
import { createGate } from './gate.ts';
import { createIndexer } from './indexer.ts';
import type { Parcel } from './parcels.ts';
import type { Pipeline } from './pipeline.ts';
import type { FromWorker } from './protocol.ts';

/** Takes events and works them off: in order within a conversation, several conversations side by side. */
export interface Queue {
  take(message: Parcel): void;
}

/** Pauses between attempts while the store does not answer; the last one repeats. */
const PAUSES_MS = [100, 300, 1_000, 3_000, 5_000];
/** How long an event is tried again before it is given up and counted. */
const PATIENCE_MS = 15 * 60_000;
/** Attempts at an event that fails for a reason that is not the store's absence. */
const ATTEMPTS = 3;
/** Attempts at an event that deletions come between: each of them makes it read anew what it stands on. */
const STALE_ATTEMPTS = 100;
const STALE_PAUSE_MS = 50;
/**
 * Conversations that are worked at once: twice the store's connections. More would wait for one until that counts as
 * the store's absence, and do their work again.
 */
const AT_ONCE = 16;
/** Pause after the last write before stored texts are read back and confirmed. */
const CONFIRM_MS = 250;
const CONFIRM_BATCH = 500;

/** Makes the queue of a recorder. `tell` reports to the gateway's thread. */
export function createQueue(parts: {
  readonly pipeline: Pipeline;
  readonly writer: Pick<ArchiveWriter, 'confirm' | 'index' | 'accountsToIndex'>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tell: (message: FromWorker) => void;
}): Queue {
  const { pipeline, writer, clock, log, tell } = parts;
  const lines = new Map<string, Promise<void>>();
  const bookings = new Map<string, Promise<void>>();
  const lineOfRequest = new Map<string, string>();
  const confirmer = createConfirmer(parts);
  const indexer = createIndexer(parts);
  const gate = createGate(AT_ONCE);
  indexer.begin();

  function take(message: Parcel): void {
    if ('request' in message && message.early) takeEarly(message.job, message.request);
    else takeEvent(message);
  }

  function takeEvent(message: Parcel): void {
    const event = 'request' in message ? message.request : message.answer;
    const line = 'request' in message ? lineOf(message.request) : (lineOfRequest.get(event.id) ?? event.id);
    if ('request' in message) lineOfRequest.set(event.id, line);
    else lineOfRequest.delete(event.id);
    const before = lines.get(line) ?? Promise.resolve();
    const stored = before.then(() =>
      untilStored('an event could not be archived', () =>
        'request' in message ? pipeline.request(message.request) : pipeline.answer(message.answer),
      ),
    );
    const work = stored.then(() => {
      confirmer.soon(event.accountId);
      indexer.soon(event.accountId);
      if (lines.get(line) === work) lines.delete(line);
    });
    lines.set(line, work);
    const end = (notArchived: string | null) => tell({ type: 'done', job: message.job, notArchived });
    if ('request' in message) void stored.then(end);
    else void stored.then((notArchived) => bookBehind(line, event.id).then(() => end(notArchived)));
  }

  /** Books an archived answer in its conversation's order, while what comes next in it is archived already. */
  function bookBehind(line: string, id: Uuid): Promise<unknown> {
    const before = bookings.get(line) ?? Promise.resolve();
    const booking = before
      .then(() => untilStored('an answer could not be booked', () => pipeline.book(id).then(() => null)))
      .then(() => {
        if (bookings.get(line) === booking) bookings.delete(line);
      });
    bookings.set(line, booking);
    return booking;
  }

  /** Archives a request in its conversation's order, and reads it back at once. What fails is tried again when it is sent. */
  function takeEarly(job: number, request: TappedRequest): void {
    const line = lineOf(request);
    lineOfRequest.set(request.id, line);
    const before = lines.get(line) ?? Promise.resolve();
    const work = before
      .then(() => gate(() => pipeline.early(request)))
      .then(async (notArchived) => {
        if (notArchived !== null) return false;
        while ((await writer.confirm(request.accountId, CONFIRM_BATCH)) >= CONFIRM_BATCH);
        return true;
      })
      .catch((thrown: unknown) => {
        log.warn({ reason: faultOf(thrown) }, 'a request could not be archived before it was sent');
        return false;
      })
      .then((confirmed) => tell({ type: 'early', job, confirmed }));
    lines.set(line, work);
  }

  /** @param failure what is logged where it is given up */
  async function untilStored(failure: string, work: () => Promise<string | null>): Promise<string | null> {
    const began = clock.monotonic();
    const failed = { stale: 0, other: 0 };
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await gate(work);
      } catch (thrown) {
        const stale = thrown instanceof StaleRead;
        const absent = !stale && isAbsence(thrown);
        failed[stale ? 'stale' : 'other'] += 1;
        const isOver = failed.stale >= STALE_ATTEMPTS || failed.other >= ATTEMPTS;
        const reason = faultOf(thrown);
        if (absent ? clock.monotonic() - began > PATIENCE_MS : isOver) {
          log.error({ reason, absent }, failure);
          return absent ? 'database_absent' : 'store_failed';
        }
        if (absent)
          tell({
            type: 'waiting',
            reason: 'The database does not answer; what comes is kept in memory meanwhile.',
          });
        log.warn({ reason, attempt }, 'an event is tried again');
        await new Promise((resolve) =>
          setTimeout(resolve, stale ? STALE_PAUSE_MS : PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)]),
        );
      }
    }
  }

  return { take };
}

/** Events of one conversation share a line; what names none has a line of its own. */
function lineOf(request: TappedRequest): string {
  for (const name of ['x-claude-code-session-id', 'thread-id', 'session-id', 'session_id', 'x-session-id']) {
    const value = request.headers.find(([header]) => header.toLowerCase() === name)?.[1];
    if (value !== undefined) return `${request.accountId} ${value}`;
  }
  return `${request.accountId} ${request.door}`;
}

/** SQLSTATE classes of a server that is away, starting, stopping or out of room, and the client's own codes for it. */
const absence = /^(?:08|53|57P|58|ECONN|ENOENT|EPIPE|ETIMEDOUT|ENOTFOUND)/;

function isAbsence(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const code = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';
  return absence.test(code) || /timeout|terminated|not queryable|connection/i.test(thrown.message);
}

/** Reads back what was written, a little later and in batches, so that each text's mark `confirmed` is set. */
function createConfirmer({
  writer,
  log,
}: {
  readonly writer: Pick<ArchiveWriter, 'confirm'>;
  readonly log: Logger;
}): {
  soon(accountId: Uuid): void;
} {
  const waiting = new Set<Uuid>();
  let running = false;

  async function run(): Promise<void> {
    for (const accountId of [...waiting]) {
      waiting.delete(accountId);
      const confirmed = await writer.confirm(accountId, CONFIRM_BATCH);
      if (confirmed >= CONFIRM_BATCH) waiting.add(accountId);
    }
  }

  function later(): void {
    running = true;
    setTimeout(() => {
      run()
        .catch((thrown) => log.warn({ reason: faultOf(thrown) }, 'stored texts could not be confirmed yet'))
        .finally(() => {
          running = false;
          if (waiting.size > 0) later();
        });
    }, CONFIRM_MS);
  }

  return {
    soon(accountId) {
      waiting.add(accountId);
      if (!running) later();
    },
  };
}

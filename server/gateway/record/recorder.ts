import { Worker } from 'node:worker_threads';
import type { Clock, Millis } from '../../kernel/clock.ts';
import { faultOf } from '../../kernel/errors.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { Tap, TappedAnswer, TappedRequest } from '../tap.ts';
import { Outbox, type Parcel } from './parcels.ts';
import type { FromWorker, ToWorker, WorkerSettings } from './protocol.ts';

/** What waits to be archived, and why it waits if it does. */
export interface RecorderState {
  readonly waitingBytes: number;
  readonly waitingEvents: number;
  readonly trouble: string | null;
}

/** The archive's end of the gateway in the gateway's own thread: takes events, never waits, never throws. */
export interface Recorder extends Tap {
  /** @param endedAt when the answer ended; now unless said otherwise */
  answerEnded(answer: TappedAnswer, endedAt?: Millis): void;
  /**
   * Archives a request that is not sent yet, and reads it back: true once the archive holds all of it. It is told of once
   * more by `requestReceived`. Never rejects.
   */
  archiveNow(request: TappedRequest): Promise<boolean>;
  state(): RecorderState;
  /** Waits until what was taken is archived, at most `boundMs`, then ends the worker. */
  close(boundMs: number): Promise<void>;
}

/** Bytes that may wait for a slow or absent database. Beyond it, what comes passes unarchived and is counted. */
export const WAITING_BYTES = 512 * 1024 * 1024;
/** Bytes of bookkeeping that an event is counted with beside its body. */
export const EVENT_BYTES = 1024;
/** The body of an event whose bytes go beside it. */
const NOTHING = new Uint8Array(0);
/** Pause before a worker that ended is started again. */
const RESTART_MS = 500;

/** What a recorder takes from outside. */
export interface RecorderParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Bytes that may wait; half a gigabyte unless said otherwise. */
  readonly limitBytes?: number;
}

/**
 * How long a request is left alone before it is copied for the worker. Copying takes time from the very moment in which
 * its bytes are written to the provider; an answer that ends sooner takes it along.
 */
const LEAVE_ALONE_MS = 20;

/**
 * Starts the worker that archives. If the worker dies it is started again; what it held is lost and counted, and the
 * next request of each conversation brings it again, since agents send their whole history.
 * @param worker file of the worker's code
 */
export function startRecorder(
  worker: URL | string,
  settings: WorkerSettings,
  { clock, log, metrics, limitBytes = WAITING_BYTES }: RecorderParts,
): Recorder {
  const fresh = new Map<string, { readonly request: TappedRequest; readonly timer: NodeJS.Timeout }>();
  const waiting = new Map<number, number>();
  let waitingBytes = 0;
  const outbox = new Outbox(post);
  /** Who waits for requests that are archived before they are sent, by job. */
  const early = new Map<number, (confirmed: boolean) => void>();
  let lastJob = 0;
  let closing = false;
  let trouble: string | null = null;
  let idle: () => void = () => undefined;
  let thread: Worker | null = null;
  launch();

  function launch(): void {
    const started = new Worker(worker, { workerData: settings, name: 'recorder' });
    thread = started;
    started.on('message', (message: FromWorker) => {
      if (message.type === 'waiting') trouble = message.reason;
      else if (message.type === 'delay')
        metrics.loopDelaySeconds.observe({ thread: 'recorder' }, message.seconds);
      else if (message.type === 'early') settleEarly(message.job, message.confirmed);
      else settle(message.job, message.notArchived);
    });
    started.on('error', (error) => log.error({ reason: faultOf(error) }, 'the recorder failed'));
    started.on('exit', () => {
      thread = null;
      outbox.clear();
      for (const job of [...early.keys()]) settleEarly(job, false);
      for (const job of [...waiting.keys()]) settle(job, 'recorder_failed');
      if (closing) return;
      metrics.faults.inc({ where: 'recorder' });
      setTimeout(() => closing || launch(), RESTART_MS).unref();
    });
  }

  function settle(job: number, notArchived: string | null): void {
    if (notArchived === null) trouble = null;
    else metrics.notArchived.inc({ reason: notArchived });
    makeRoom(job);
  }

  /** What was not archived early is when it is sent. */
  function settleEarly(job: number, confirmed: boolean): void {
    early.get(job)?.(confirmed);
    early.delete(job);
    makeRoom(job);
  }

  function makeRoom(job: number): void {
    waitingBytes -= waiting.get(job) ?? 0;
    waiting.delete(job);
    metrics.recordQueueBytes.set(waitingBytes);
    if (waiting.size === 0) idle();
  }

  function send(parcel: Parcel, body: readonly Uint8Array[] | null): void {
    const size = (body?.reduce((sum, one) => sum + one.byteLength, 0) ?? 0) + EVENT_BYTES;
    const refused = whyNot(size);
    if (refused !== null) metrics.notArchived.inc({ reason: refused });
    else hand(parcel, body, size);
  }

  /** Why so many bytes more cannot be taken; null: they can. */
  function whyNot(size: number): string | null {
    if (closing) return 'closing';
    if (thread === null) return 'recorder_failed';
    return waitingBytes + size > limitBytes ? 'queue_full' : null;
  }

  function hand(parcel: Parcel, body: readonly Uint8Array[] | null, size: number): void {
    waiting.set(parcel.job, size);
    waitingBytes += size;
    metrics.recordQueueBytes.set(waitingBytes);
    outbox.send(parcel, body);
  }

  function post(message: ToWorker, transfer: readonly ArrayBuffer[]): void {
    try {
      thread?.postMessage(message, transfer);
    } catch (error) {
      if (early.has(message.job)) settleEarly(message.job, false);
      else settle(message.job, 'recorder_failed');
      log.error({ reason: faultOf(error) }, 'an event could not be handed to the recorder');
    }
  }

  /** Hands a request on, if that has not happened yet. */
  function handOn(id: string): void {
    const held = fresh.get(id);
    if (held === undefined) return;
    fresh.delete(id);
    clearTimeout(held.timer);
    lastJob += 1;
    const { body, ...request } = held.request;
    send({ job: lastJob, request: { ...request, body: NOTHING } }, [body]);
  }

  return {
    requestReceived(request) {
      fresh.set(request.id, { request, timer: setTimeout(() => handOn(request.id), LEAVE_ALONE_MS) });
    },
    answerEnded(answer, endedAt = clock.now()) {
      handOn(answer.id);
      lastJob += 1;
      const { chunks, overflow, ...rest } = answer;
      const recorded = { ...rest, endedAt, body: overflow ? null : NOTHING };
      send({ job: lastJob, answer: recorded }, overflow ? null : chunks);
    },
    archiveNow({ body, ...request }) {
      const size = body.byteLength + EVENT_BYTES;
      if (whyNot(size) !== null) return Promise.resolve(false);
      lastJob += 1;
      const job = lastJob;
      return new Promise((resolve) => {
        early.set(job, resolve);
        hand({ job, request: { ...request, body: NOTHING }, early: true }, [body], size);
      });
    },
    state: () => ({ waitingBytes, waitingEvents: waiting.size + fresh.size, trouble }),
    async close(boundMs) {
      for (const id of [...fresh.keys()]) handOn(id);
      if (waiting.size > 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, boundMs);
          idle = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      closing = true;
      await thread?.terminate();
    },
  };
}

import type { Clock, Millis } from '../../kernel/clock.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import type { Tap, TappedAnswer, TappedRequest } from '../tap.ts';
import { EVENT_BYTES, type Recorder, WAITING_BYTES } from './recorder.ts';

/** The tap of a process from its first moment: what comes before there is a recorder waits for it. */
export interface HeldTap extends Tap {
  /**
   * Hands over what waits, in its order, and from now on what comes. Call it once.
   * @param isPaused whether what came at a moment is not to be recorded: that could not be known before
   */
  handTo(recorder: HandedTo, isPaused?: (at: Millis) => boolean): void;
  /** As the recorder's own; false while there is none. */
  archiveNow(request: TappedRequest): Promise<boolean>;
  /** Where no recorder comes any more: what waits is given up and counted, as is what comes. */
  giveUp(): void;
  /** How much waits. */
  waitingBytes(): number;
}

type HandedTo = Pick<Recorder, 'requestReceived' | 'answerEnded' | 'archiveNow'>;

/** What a tap that holds takes from outside. */
export interface HeldTapParts {
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Bytes that may wait; as many as a recorder's own unless said otherwise. */
  readonly limitBytes?: number;
}

type Held = { readonly request: TappedRequest } | { readonly answer: TappedAnswer; readonly endedAt: Millis };

/**
 * Keeps what the gateway tells while the database is being started. Beyond the bound, what comes passes unarchived and is
 * counted; an answer goes the way of its request.
 */
export function holdTap({ clock, metrics, limitBytes = WAITING_BYTES }: HeldTapParts): HeldTap {
  let held: Held[] = [];
  let waitingBytes = 0;
  /** Requests that wait and whose answers have not ended. */
  const open = new Set<string>();
  /** Requests of a pause that waited until it was known, and whose answers have not ended. */
  const unrecorded = new Set<string>();
  let recorder: HandedTo | null = null;
  let isOver = false;

  function hold(one: Held, bytes: number): boolean {
    const size = bytes + EVENT_BYTES;
    if (isOver || waitingBytes + size > limitBytes) {
      metrics.notArchived.inc({ reason: isOver ? 'database_not_open' : 'queue_full' });
      return false;
    }
    held.push(one);
    grow(size);
    return true;
  }

  function grow(bytes: number): void {
    waitingBytes += bytes;
    metrics.recordQueueBytes.set(waitingBytes);
  }

  return {
    requestReceived(request) {
      if (recorder !== null) return recorder.requestReceived(request);
      const body = owned(request.body);
      if (hold({ request: { ...request, body } }, body.byteLength)) open.add(request.id);
    },
    answerEnded(answer) {
      if (unrecorded.delete(answer.id)) return;
      if (recorder !== null) return recorder.answerEnded(answer);
      if (!open.delete(answer.id)) return;
      const chunks = answer.chunks.map(owned);
      const bytes = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
      hold({ answer: { ...answer, chunks }, endedAt: clock.now() }, bytes);
    },
    archiveNow: async (request) => recorder?.archiveNow(request) ?? false,
    handTo(given, isPaused = () => false) {
      recorder = given;
      const events = held;
      held = [];
      grow(-waitingBytes);
      const left = new Set<string>();
      for (const one of events) {
        if ('request' in one) {
          if (isPaused(one.request.receivedAt)) {
            metrics.notArchived.inc({ reason: 'paused' });
            left.add(one.request.id);
          } else given.requestReceived(one.request);
        } else if (!left.delete(one.answer.id)) given.answerEnded(one.answer, one.endedAt);
      }
      for (const id of left) unrecorded.add(id);
    },
    giveUp() {
      isOver = true;
      for (const _ of held) metrics.notArchived.inc({ reason: 'database_not_open' });
      held = [];
      open.clear();
      grow(-waitingBytes);
    },
    waitingBytes: () => waitingBytes,
  };
}

/** Bytes that keep no much larger buffer alive: what came over a socket is often a small part of one. */
function owned(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength * 2 < bytes.buffer.byteLength ? new Uint8Array(bytes) : bytes;
}

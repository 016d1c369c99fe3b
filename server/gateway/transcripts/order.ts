import type { Millis } from '../../kernel/clock.ts';
import type { TranscriptMessage, TranscriptThread } from './types.ts';

/** A message with its thread and the time under which it is archived. */
export interface TimedMessage {
  readonly thread: TranscriptThread;
  readonly message: TranscriptMessage;
  readonly at: Millis;
}

/**
 * The messages of all threads in the order of their times, parents before children. A message without a time that can be
 * read has its parent's; none is before its parent or after `now`.
 */
export function inTimeOrder(threads: readonly TranscriptThread[], now: Millis): readonly TimedMessage[] {
  const times = new Map<TranscriptMessage, Millis>();
  const timed = threads.flatMap((thread) => {
    const first = thread.messages.find((message) => message.at !== null)?.at ?? now;
    return thread.messages.map((message): TimedMessage => {
      const least = message.parent === null ? 0 : (times.get(message.parent) ?? 0);
      const said = message.at ?? (least === 0 ? first : least);
      const at = Math.min(Math.max(said, least), now) as Millis;
      times.set(message, at);
      return { thread, message, at };
    });
  });
  // Sorting is stable, so that equal times stay in the order of the files.
  return timed.toSorted((one, other) => one.at - other.at);
}

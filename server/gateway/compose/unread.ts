import type { Refusal } from '../refused/index.ts';
import type { AnswerHandler, UpstreamCall, UpstreamRequest } from '../upstream.ts';
import { sendGuarded } from './guarded-send.ts';
import { composeAgain } from './other-acts.ts';
import { requestOf, type SendParts, sendAgain } from './send-composed.ts';
import type { Composed } from './types.ts';

/** A request in which nothing of ours stands: it goes out as it came, and is read while it is on its way. */
export interface Unread {
  /** Reads it, once: so that the thread's next request is known. Null: it could not be read. Never rejects. */
  readonly read: () => Promise<Composed | null>;
}

/** Bytes from which on a conversation that is new to this process is looked up by its beginning before it is read. */
export const LONG_BYTES = 128 * 1024;

/**
 * Sends a request as it came, and reads it once the provider answers: before that it would hold up its own answer. Where
 * the provider refuses it as too large, it is read at once, and sent once more under a layout.
 */
export function sendUnread(
  parts: SendParts,
  { read }: Unread,
  protocol: 'anthropic' | 'openai',
): UpstreamCall {
  const { upstreams, upstream, handler, timers, metrics, log, request } = parts;
  let again: Composed | null = null;
  const judge = async (refusal: Refusal): Promise<UpstreamRequest | null> => {
    if (again !== null || refusal.kind !== 'too_large') return null;
    const composed = await read();
    if (composed === null) return null;
    metrics.faults.inc({ where: 'refused_too_large' });
    log.warn(
      { id: request.id, refusal: refusal.kind },
      'the provider refused a request; another form is tried',
    );
    again = await composeAgain(parts.compose, composed, { as: 'too_large', maximum: refusal.maximum });
    return again === null ? null : requestOf(upstream, again);
  };
  const guarded: SendParts['upstreams'] = {
    send: (one, answer) =>
      again === null ? upstreams.send(one, answer) : sendAgain({ ...parts, handler: answer }, again, one),
  };
  return sendGuarded(guarded, upstream, { protocol, judge }, readingBehind(handler, read), timers);
}

/** A handler behind whose first bytes the request is read. */
function readingBehind(handler: AnswerHandler, read: Unread['read']): AnswerHandler {
  const behind = () => setImmediate(() => void read());
  let begin = () => {
    begin = () => undefined;
    behind();
  };
  return {
    onHead: (status, reason, headers) => handler.onHead(status, reason, headers),
    onBytes(bytes) {
      handler.onBytes(bytes);
      begin();
    },
    onEnd() {
      handler.onEnd();
      begin();
    },
    onFault(fault) {
      handler.onFault(fault);
      begin();
    },
  };
}

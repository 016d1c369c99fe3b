import type { PiecedBody } from '../pieced-body.ts';
import type { Refusal } from '../refused/index.ts';
import type { AnswerHandler, UpstreamCall, UpstreamRequest } from '../upstream.ts';
import { editedRequest } from './edited-request.ts';
import { sendGuarded } from './guarded-send.ts';
import { composeAgain } from './other-acts.ts';
import { seenOf, seenWithoutReasoning } from './seen.ts';
import { requestOf, type SendParts, sendAgain } from './send-composed.ts';
import type { Composed } from './types.ts';

/** What can be tried where the provider refuses a request that went out as its client sent it. */
export interface SecondForms {
  /** How it was read, so that a layout of it can be made; null: it cannot be. Never rejects. */
  readonly read: () => Promise<Composed | null>;
  /** Its bytes without reasoning; null: there is no such form. */
  readonly withoutReasoning: () => PiecedBody | null;
}

/**
 * Sends a request as its client sent it. Where the provider refuses it as too large it goes once more under a layout; for
 * what its reasoning is bound to, or for the order of its parts, without any reasoning.
 */
export function sendWatched(
  parts: SendParts,
  protocol: 'anthropic' | 'openai',
  { read, withoutReasoning }: SecondForms,
): UpstreamCall {
  const { upstreams, upstream, handler, timers, metrics, log, request } = parts;
  let triedAgain = false;
  let again: Composed | null = null;
  const formFor = async (refusal: Refusal): Promise<UpstreamRequest | null> => {
    if (refusal.kind === 'too_large') {
      const composed = await read();
      if (composed !== null)
        again = await composeAgain(parts.compose, composed, { as: 'too_large', maximum: refusal.maximum });
      if (again === null) return null;
      parts.forms.sends(refusal.kind, seenOf(again));
      return requestOf(upstream, again);
    }
    const body = refusal.kind === 'other' ? null : withoutReasoning();
    if (body === null) return null;
    parts.forms.sends(refusal.kind, seenWithoutReasoning(body.byteLength));
    return editedRequest(upstream, body);
  };
  const judge = async (refusal: Refusal): Promise<UpstreamRequest | null> => {
    if (triedAgain) return null;
    triedAgain = true;
    const form = await formFor(refusal);
    if (form === null) return null;
    metrics.faults.inc({ where: refusal.kind === 'too_large' ? 'refused_too_large' : 'refused_open' });
    log.warn(
      { id: request.id, refusal: refusal.kind },
      'the provider refused a request as it came; another form is tried',
    );
    return form;
  };
  const guarded: SendParts['upstreams'] = {
    send: (one, answer) =>
      again === null ? upstreams.send(one, answer) : sendAgain({ ...parts, handler: answer }, again, one),
  };
  return sendGuarded(guarded, upstream, { protocol, judge }, handler, timers);
}

/** A handler behind whose first bytes a request is read: before them that would hold up its own answer. */
export function readingBehind(handler: AnswerHandler, read: SecondForms['read']): AnswerHandler {
  let begin = () => {
    begin = () => undefined;
    setImmediate(() => void read());
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

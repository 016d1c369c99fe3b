import type { Logger } from '../../kernel/log.ts';
import type { Metrics } from '../../kernel/metrics.ts';
import { estimateBytes } from '../estimate/index.ts';
import type { Timers } from '../keep-alive.ts';
import type { PiecedBody } from '../pieced-body.ts';
import type { Refusal } from '../refused/index.ts';
import type { AnswerHandler, UpstreamCall, UpstreamRequest, Upstreams } from '../upstream.ts';
import { validateAnthropic, validateOpenai } from '../validator/index.ts';
import { editedRequest } from './edited-request.ts';
import { sendGuarded } from './guarded-send.ts';
import type { BodyPlan } from './plan.ts';
import type { RequestToCompose } from './types.ts';

/** What a request that falls open is sent with. */
export interface FallingOpen {
  readonly timers: Timers;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly upstreams: Pick<Upstreams, 'send'>;
  /** As its client sent it. */
  readonly upstream: UpstreamRequest;
  /** The same as it was read; null: it has not been. */
  readonly request: RequestToCompose | null;
  readonly handler: AnswerHandler;
}

/** Nothing of ours, and no reasoning: what it was bound to is not known. */
const WITHOUT_REASONING: BodyPlan = {
  tool: null,
  layout: null,
  hidden: [],
  results: [],
  fallBack: true,
  leavesReasoning: () => true,
};

/**
 * Sends a request as its client sent it, because what it was sent with before is not known now. Where the provider refuses
 * it for what its reasoning is bound to, or for the order of its parts, it goes out once more without any reasoning.
 */
export function sendFallingOpen(parts: FallingOpen): UpstreamCall {
  const { upstreams, upstream, request, handler, timers, log, metrics } = parts;
  if (request === null) return upstreams.send(upstream, handler);
  let triedAgain = false;
  const judge = async ({ kind }: Refusal) => {
    const body =
      triedAgain || (kind !== 'binding' && kind !== 'pairing') ? null : bodyWithoutReasoning(request);
    if (body === null) return null;
    triedAgain = true;
    metrics.faults.inc({ where: 'refused_open' });
    log.warn({ refusal: kind }, 'the provider refused a request as it came; it is sent without reasoning');
    return editedRequest(upstream, body);
  };
  return sendGuarded(upstreams, upstream, { protocol: request.adapter.protocol, judge }, handler, timers);
}

/** The client's own bytes without reasoning; null: there is none, or it may not be left out. */
function bodyWithoutReasoning(request: RequestToCompose): PiecedBody | null {
  const { adapter, body, read, reasoning } = request;
  if (reasoning === 'keep_turn') return null;
  const composed = request.compose(body, read.scan, read.elements, WITHOUT_REASONING);
  if ('unknown' in composed || composed.named.length === 0) return null;
  const validate = adapter.protocol === 'anthropic' ? validateAnthropic : validateOpenai;
  const verdict = composed.body.inOne((edited) =>
    validate({
      client: body,
      edited,
      edits: composed.named,
      ownTool: null,
      latestThinking: 'untouched-or-none',
      window: null,
      estimate: estimateBytes,
    }),
  );
  return verdict.ok ? composed.body : null;
}

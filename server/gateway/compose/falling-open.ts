import { estimateBytes } from '../estimate/index.ts';
import type { PiecedBody } from '../pieced-body.ts';
import { validateAnthropic, validateOpenai } from '../validator/index.ts';
import type { BodyPlan } from './plan.ts';
import type { RequestToCompose } from './types.ts';

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
 * The client's own bytes without reasoning, because what that was sent with is not known now; null: there is none, or it may
 * not be left out.
 */
export function bodyWithoutReasoning(request: RequestToCompose): PiecedBody | null {
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

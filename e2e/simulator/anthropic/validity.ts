import type { JsonObject } from '../json.ts';
import { compactionRequestError } from './compaction.ts';
import type { ValidityContext } from './context.ts';
import type { AnthropicError } from './errors.ts';
import { modelGateError } from './gates.ts';
import { imageError } from './images.ts';
import { markError } from './marks.ts';
import { orderError } from './order.ts';
import { shapeError } from './shape.ts';
import { threadError } from './threads.ts';

/**
 * The first rule that a Messages body breaks, in the provider's words; `undefined` when it is valid. Thinking and its
 * signatures are checked apart, in thinking.ts.
 */
export function invalidMessages(body: JsonObject, context: ValidityContext): AnthropicError | undefined {
  return (
    shapeError(body, context) ??
    threadError(body, context.rules['anthropic.thread-unsupported-fields']) ??
    // Counting ignores the wish to compact.
    (context.counting ? undefined : compactionRequestError(body)) ??
    modelGateError(body, context) ??
    markError(body) ??
    imageError(body, context) ??
    orderError(body, context)
  );
}

import type { JsonObject } from '../json.ts';
import type { ValidityContext } from './context.ts';
import type { AnthropicError } from './errors.ts';
import { modelGateError } from './gates.ts';
import { imageError } from './images.ts';
import { markError } from './marks.ts';
import { orderError } from './order.ts';
import { shapeError } from './shape.ts';

/**
 * The first rule that a Messages body breaks, in the provider's words; `undefined` when it is valid. Thinking and its
 * signatures are checked apart, in thinking.ts.
 */
export function invalidMessages(body: JsonObject, context: ValidityContext): AnthropicError | undefined {
  return (
    shapeError(body, context) ??
    threadError(body) ??
    modelGateError(body, context) ??
    markError(body) ??
    imageError(body, context) ??
    orderError(body, context)
  );
}

/** Threads are not simulated: they are refused in the documented way, on which clients send the whole conversation. */
function threadError(body: JsonObject): AnthropicError | undefined {
  if (body.thread === undefined) return undefined;
  return {
    status: 400,
    type: 'invalid_request_error',
    message: 'thread: this request cannot be served from a thread. Send the full conversation.',
    details: { error_code: 'thread_unsupported_request' },
  };
}

import { asNumber, asString, type JsonObject } from '../json.ts';
import type { Rules } from '../rules.ts';
import { type AnthropicError, invalidRequest } from './errors.ts';
import type { AnthropicModel } from './models.ts';

/** What validity depends on beside the body. */
export type ValidityContext = {
  readonly model: AnthropicModel;
  readonly betas: ReadonlySet<string>;
  readonly rules: Rules;
  /** True for count_tokens, which needs no `max_tokens`. */
  readonly counting: boolean;
};

/** The first rule that a Messages body breaks, in the provider's words; `undefined` when it is valid. */
export function invalidMessages(body: JsonObject, context: ValidityContext): AnthropicError | undefined {
  if (asString(body.model) === undefined) return invalidRequest('model: Field required');
  if (!Array.isArray(body.messages)) return invalidRequest('messages: Field required');
  if (!context.counting && asNumber(body.max_tokens) === undefined)
    return invalidRequest('max_tokens: Field required');
  return undefined;
}

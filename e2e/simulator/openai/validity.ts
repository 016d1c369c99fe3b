import { asString, type JsonObject } from '../json.ts';
import type { Rules } from '../rules.ts';
import { invalidInput, type OpenAiError } from './errors.ts';
import type { OpenAiModel } from './models.ts';

/** What validity depends on beside the body. */
export type ResponseValidityContext = {
  readonly model: OpenAiModel;
  readonly rules: Rules;
  readonly secret: string;
};

/** The first rule that a Responses body breaks, in the provider's words; `undefined` when it is valid. */
export function invalidResponseRequest(
  body: JsonObject,
  _context: ResponseValidityContext,
): OpenAiError | undefined {
  if (asString(body.model) === undefined) {
    return invalidInput("Missing required parameter: 'model'.", 'model', 'missing_required_parameter');
  }
  if (body.input === undefined) {
    return invalidInput("Missing required parameter: 'input'.", 'input', 'missing_required_parameter');
  }
  return undefined;
}

import { sha256 } from '../ids.ts';
import { asString, type JsonObject } from '../json.ts';
import { headerOf } from '../wire/log.ts';
import type { Settings } from '../world.ts';
import type { OpenAiError } from './errors.ts';
import { findOpenAiModel, type OpenAiModel, unknownOpenAiModel } from './models.ts';
import { checkReasoning, type ReasoningCheck, type ReasoningSender } from './reasoning.ts';
import { type IssuedReasoning, invalidResponseRequest } from './validity.ts';

/** What the checks of a Responses request depend on beside body and headers. */
export type ResponsesCheckContext = {
  readonly settings: Settings;
  readonly secret: string;
  /** For the ids of items that were given out after reasoning: that reasoning. */
  readonly issued: ReadonlyMap<string, IssuedReasoning>;
};

/** A Responses request, checked: the refusal, or the model and what became of its reasoning. */
export type ResponsesCheck =
  | { readonly error: OpenAiError }
  | {
      readonly error: undefined;
      readonly model: OpenAiModel;
      readonly reasoning: Omit<ReasoningCheck, 'error'>;
    };

/** Applies every rule to a Responses body. Changes nothing. */
export function checkResponses(
  body: JsonObject,
  headers: readonly (readonly [string, string])[],
  context: ResponsesCheckContext,
): ResponsesCheck {
  const { rules } = context.settings;
  const model = openAiModelOf(body);
  if (rules['openai.unknown-model'] && findOpenAiModel(model.id) === undefined) {
    const message = `The model \`${model.id}\` does not exist or you do not have access to it.`;
    return {
      error: {
        status: 404,
        type: 'invalid_request_error',
        message,
        param: null,
        code: 'model_not_found',
      },
    };
  }
  if (!rules.validate)
    return { error: undefined, model, reasoning: { dropped: new Set(), transformations: [] } };
  const { secret } = context;
  const invalid = invalidResponseRequest(body, { model, rules, secret, issued: context.issued });
  if (invalid !== undefined) return { error: invalid };
  const sender = openAiSenderOf(body, headers);
  const { error, ...reasoning } = checkReasoning(body, { model, sender, rules, secret });
  return error === undefined ? { error, model, reasoning } : { error };
}

/** The body's model; one that the table does not hold gets a stand-in. */
export function openAiModelOf(body: JsonObject): OpenAiModel {
  const name = asString(body.model) ?? '';
  return findOpenAiModel(name) ?? unknownOpenAiModel(name);
}

/** The credential stands for the organization and the account. */
export function openAiAccountOf(headers: readonly (readonly [string, string])[]): string {
  return sha256(headerOf(headers, 'authorization') ?? '').slice(0, 16);
}

/** Who a request comes from: the account, and the end user where the body names one. */
export function openAiSenderOf(
  body: JsonObject,
  headers: readonly (readonly [string, string])[],
): ReasoningSender {
  const user = asString(body.safety_identifier) ?? asString(body.user) ?? '';
  return { account: openAiAccountOf(headers), user };
}

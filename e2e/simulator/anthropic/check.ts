import { sha256 } from '../ids.ts';
import { asString, type JsonObject } from '../json.ts';
import { headerOf } from '../wire/log.ts';
import type { Settings } from '../world.ts';
import type { Sender } from './binding.ts';
import { compactionBlockError } from './compaction.ts';
import type { AnthropicError } from './errors.ts';
import { type AnthropicModel, findAnthropicModel, unknownAnthropicModel } from './models.ts';
import { checkThinking, type ThinkingCheck } from './thinking.ts';
import { invalidMessages } from './validity.ts';

/** Headers of a request as name and value pairs, duplicates kept. */
export type HeaderPairs = readonly (readonly [string, string])[];

/** What the checks of a Messages request depend on beside body and headers. */
export type MessagesCheckContext = {
  readonly settings: Settings;
  readonly secret: string;
  /** Signatures of each answer with tool calls that was given out, by the first call's id. */
  readonly issued: ReadonlyMap<string, readonly string[]>;
  /** True for count_tokens. */
  readonly counting: boolean;
};

/** A Messages request, checked: the refusal, or the model and what became of its thinking. */
export type MessagesCheck =
  | { readonly error: AnthropicError }
  | {
      readonly error: undefined;
      readonly model: AnthropicModel;
      readonly thinking: Omit<ThinkingCheck, 'error'>;
    };

/** Applies every rule to a Messages body in the provider's order. Changes nothing. */
export function checkMessages(
  body: JsonObject,
  headers: HeaderPairs,
  context: MessagesCheckContext,
): MessagesCheck {
  const { rules } = context.settings;
  const name = asString(body.model);
  if (name !== undefined && rules['anthropic.unknown-model'] && findAnthropicModel(name) === undefined) {
    return { error: { status: 404, type: 'not_found_error', message: `model: ${name}` } };
  }
  const model = anthropicModelOf(body);
  if (!rules.validate) {
    return { error: undefined, model, thinking: { dropped: new Set(), transformations: undefined } };
  }
  const betas = betasOf(headers);
  const invalid = invalidMessages(body, { model, betas, rules, counting: context.counting });
  if (invalid !== undefined) return { error: invalid };
  const { settings, secret, issued } = context;
  const compaction = compactionBlockError(body, secret);
  if (compaction !== undefined) return { error: compaction };
  const sender = senderOf(headers);
  const { error, ...thinking } = checkThinking(body, { model, sender, betas, settings, secret, issued });
  return error === undefined ? { error, model, thinking } : { error };
}

/** The body's model; one that the table does not hold gets a stand-in. */
export function anthropicModelOf(body: JsonObject): AnthropicModel {
  const name = asString(body.model) ?? '';
  return findAnthropicModel(name) ?? unknownAnthropicModel(name);
}

/** The values of all `anthropic-beta` headers. */
export function betasOf(headers: HeaderPairs): Set<string> {
  const values = headers
    .filter(([name]) => name.toLowerCase() === 'anthropic-beta')
    .map(([, value]) => value);
  return new Set(
    values
      .flatMap((value) => value.split(','))
      .map((value) => value.trim())
      .filter((value) => value !== ''),
  );
}

/**
 * Who sent a request. The credential stands for the organization, the account and the workspace; the header of user
 * profiles names the end user.
 */
export function senderOf(headers: HeaderPairs): Sender {
  const credential = headerOf(headers, 'x-api-key') ?? headerOf(headers, 'authorization') ?? '';
  return {
    account: sha256(credential).slice(0, 16),
    user: headerOf(headers, 'anthropic-user-profile-id') ?? '',
  };
}

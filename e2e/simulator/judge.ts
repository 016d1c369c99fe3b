import { thinkingSigner } from './anthropic/binding.ts';
import { anthropicModelOf, checkMessages, type HeaderPairs, senderOf } from './anthropic/check.ts';
import type { JsonObject } from './json.ts';
import { checkResponses, openAiModelOf, openAiSenderOf } from './openai/check.ts';
import { reasoningSealer } from './openai/reasoning.ts';
import type { IssuedReasoning } from './openai/validity.ts';
import { type Rules, rulesWith } from './rules.ts';
import { seal } from './seal.ts';
import { type Settings, secretOf, settingsWith } from './world.ts';

/** A refusal as a client sees it. `code` and `param` are null where the provider gives none. */
export type Refusal = {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly code: string | null;
  readonly param: string | null;
};

/** How a body is judged. Left out, everything is as in a simulator that was started without options. */
export type JudgeOptions = {
  /** Switches that differ from their defaults. */
  readonly rules?: Partial<Rules>;
  /** What a broken binding of reasoning does; `model` (the default) follows the model. */
  readonly binding?: Settings['binding'];
  /** The simulator's seed: signatures and ciphertexts of another one are refused. */
  readonly seed?: string;
  /** True to judge as count_tokens does. */
  readonly counting?: boolean;
  /**
   * What the provider remembers of Messages answers with tool calls: the signatures (or `data`) of their thinking
   * blocks in order, by the id of the first call.
   */
  readonly issued?: ReadonlyMap<string, readonly string[]>;
  /** What the provider remembers of Responses items that followed reasoning: that reasoning, by the item's id. */
  readonly issuedItems?: ReadonlyMap<string, IssuedReasoning>;
};

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

/** Judges a parsed Messages body without a server: the refusal that the simulator would give, or null. Pure. */
export function judgeAnthropic(
  body: JsonObject,
  headers: HeaderPairs = [],
  options: JudgeOptions = {},
): Refusal | null {
  const { error } = checkMessages(body, headers, {
    settings: settingsOf(options),
    secret: secretOf(options.seed),
    issued: options.issued ?? NOTHING,
    counting: options.counting === true,
  });
  if (error === undefined) return null;
  const code = error.details?.error_code;
  return {
    status: error.status,
    type: error.type,
    message: error.message,
    code: typeof code === 'string' ? code : null,
    param: null,
  };
}

/** Judges a parsed Responses body without a server: the refusal that the simulator would give, or null. Pure. */
export function judgeOpenai(
  body: JsonObject,
  headers: HeaderPairs = [],
  options: JudgeOptions = {},
): Refusal | null {
  const { error } = checkResponses(body, headers, {
    settings: settingsOf(options),
    secret: secretOf(options.seed),
    issued: options.issuedItems ?? NOTHING,
  });
  return error === undefined ? null : { ...error };
}

/**
 * The thinking blocks that the simulator would have given out, in this order, in its answer to that body. They are
 * bound to it as an answer of a running simulator would be.
 */
export function signThinking(
  body: JsonObject,
  texts: readonly string[],
  headers: HeaderPairs = [],
  options: Pick<JudgeOptions, 'seed'> = {},
): JsonObject[] {
  const model = anthropicModelOf(body);
  const sign = thinkingSigner(body, model, senderOf(headers), texts.length, secretOf(options.seed));
  return texts.map((thinking) => ({ type: 'thinking', thinking, signature: sign(thinking) }));
}

/** The `encrypted_content` of a reasoning item that the simulator would have given out in its answer to that body. */
export function encryptReasoning(
  body: JsonObject,
  text: string,
  headers: HeaderPairs = [],
  options: Pick<JudgeOptions, 'seed' | 'rules'> = {},
): string {
  const model = openAiModelOf(body);
  const sender = openAiSenderOf(body, headers);
  const { rules } = settingsOf(options);
  return reasoningSealer(body, { model, sender, rules, secret: secretOf(options.seed) })(text);
}

/** The `encrypted_content` of a compaction item with that id. */
export function encryptCompaction(
  id: string,
  summary: string,
  options: Pick<JudgeOptions, 'seed'> = {},
): string {
  return seal({ id, summary }, secretOf(options.seed));
}

function settingsOf(options: JudgeOptions): Settings {
  return settingsWith({ rules: rulesWith(options.rules), binding: options.binding ?? 'model' });
}

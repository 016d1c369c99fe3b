import type { IdMaker } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import type { Plan, Turn } from '../script/types.ts';
import type { TokenRule } from '../tokens.ts';
import type { LoggedRequest } from '../wire/log.ts';
import type { World } from '../world.ts';
import { positionsOf } from './cache.ts';
import { senderOf } from './check.ts';
import type { AnthropicError } from './errors.ts';
import type { AnthropicModel } from './models.ts';
import type { ThreadState } from './threads.ts';

/** A Messages request, read. `body` holds the whole conversation, also where the request continued a thread. */
export type MessagesCall = {
  readonly entry: LoggedRequest;
  readonly body: JsonObject;
  readonly turn: Turn;
  readonly plan: Plan;
  readonly ids: IdMaker;
  /** Why the conversation could not be had. */
  readonly refusal: AnthropicError | undefined;
  /** The thread that the request continues. */
  readonly thread: ThreadState | undefined;
};

/** What the parts of an answer are made with. */
export type Serving = {
  readonly call: MessagesCall;
  readonly world: World;
  readonly model: AnthropicModel;
  readonly rule: TokenRule;
  /** What the model reads. */
  readonly body: JsonObject;
};

/** Tokens of what the model reads. */
export function tokensOf(body: JsonObject, rule: TokenRule): number {
  return positionsOf(body, '', rule).at(-1)?.tokens ?? 0;
}

/** Splits a prompt by the cache of the account's workspace and the model. */
export function splitPrompt({ call, world, model, rule }: Serving, body: JsonObject) {
  const scope = `${senderOf(call.entry.headers).account}/${model.id}`;
  const all = world.settings.rules['anthropic.thinking-invalidates-all'];
  const positions = positionsOf(body, scope, rule, all);
  const total = positions.at(-1)?.tokens ?? 0;
  return world.cache.use(positions, total, model.cacheMinimumTokens, call.entry.receivedAtMs);
}

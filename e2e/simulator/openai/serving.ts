import type { Answered } from '../answered.ts';
import type { IdMaker } from '../ids.ts';
import { asString, type JsonObject } from '../json.ts';
import type { Plan, Turn } from '../script/types.ts';
import type { LoggedRequest } from '../wire/log.ts';
import type { World } from '../world.ts';
import { openAiAccountHeaders } from './account.ts';
import { openAiAccountOf, openAiModelOf } from './check.ts';
import { type OpenAiError, openAiErrorAnswer } from './errors.ts';
import type { ConnectionMemory } from './store.ts';

/** A Responses request, read. `body` holds the whole input, also where the request named an earlier answer. */
export type ResponsesCall = {
  readonly entry: LoggedRequest;
  readonly body: JsonObject;
  /** The body as it was sent. */
  readonly request: JsonObject;
  readonly turn: Turn;
  readonly plan: Plan;
  readonly ids: IdMaker;
  /** Why the input could not be had. */
  readonly refusal: OpenAiError | undefined;
  /** Where the request came by WebSocket: what its connection remembers. */
  readonly memory: ConnectionMemory | undefined;
};

/** The key of a call's rate limits: credential and model. */
export function bucketOf(call: Pick<ResponsesCall, 'entry' | 'body'>): string {
  return `${openAiAccountOf(call.entry.headers)}/${openAiModelOf(call.body).id}`;
}

/** The headers of a call's answer that belong to the account. */
export function headersOf(call: Pick<ResponsesCall, 'entry' | 'body'>, world: World) {
  return openAiAccountHeaders(bucketOf(call), world);
}

/** A refusal as an answer. */
export function refuse(
  call: Pick<ResponsesCall, 'entry' | 'body' | 'ids'>,
  world: World,
  error: OpenAiError,
  extra: readonly (readonly [string, string])[] = [],
): Answered {
  return { answer: openAiErrorAnswer(error, call.ids, [...headersOf(call, world), ...extra]) };
}

/** Caches are apart per credential, model and cache key. Without a key nothing is found where the switch says so. */
export function cacheScopeOf(call: Pick<ResponsesCall, 'entry' | 'body'>, world: World): string {
  const key = asString(call.body.prompt_cache_key);
  const alone = key === undefined && world.settings.rules['openai.cache-needs-key'];
  return `${bucketOf(call)}/${key ?? ''}${alone ? `/${call.entry.number}` : ''}`;
}

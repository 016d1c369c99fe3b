import type { Answered } from './answered.ts';
import { senderOf } from './anthropic/check.ts';
import { answerCountTokens, answerMessages, messagesFault } from './anthropic/endpoint.ts';
import { readPrompt } from './anthropic/prompt.ts';
import type { MessagesCall } from './anthropic/serving.ts';
import { readAnthropicTurn } from './anthropic/turn.ts';
import type { Fault } from './faults.ts';
import type { IdMaker } from './ids.ts';
import type { JsonObject } from './json.ts';
import { answerChat, type ChatCall, chatFault } from './openai/chat/endpoint.ts';
import { asResponsesBody } from './openai/chat/translate.ts';
import { openAiAccountOf } from './openai/check.ts';
import { answerCompact, answerConversations, answerInputTokens, answerResponses } from './openai/endpoint.ts';
import { responsesFault } from './openai/faults.ts';
import type { ResponsesCall } from './openai/serving.ts';
import type { ConnectionMemory } from './openai/store.ts';
import { readOpenAiTurn } from './openai/turn.ts';
import type { Answer } from './wire/answer.ts';
import type { LoggedRequest } from './wire/log.ts';
import type { World } from './world.ts';

type MessagesRoute = 'messages' | 'count_tokens';
type ResponsesRoute = 'responses' | 'input_tokens' | 'compact' | 'conversations';

/** Routes whose requests have a body. */
export type BodyRoute = MessagesRoute | ResponsesRoute | 'chat';

/** A request with its whole conversation, and what the scripted model will say to it. */
export type Call =
  | { readonly route: MessagesRoute; readonly call: MessagesCall }
  | { readonly route: ResponsesRoute; readonly call: ResponsesCall }
  | { readonly route: 'chat'; readonly call: ChatCall };

/** What a request is read with, beside its body. `memory` is what its WebSocket connection remembers. */
export type Reading = {
  readonly entry: LoggedRequest;
  readonly world: World;
  readonly ids: IdMaker;
  readonly memory: ConnectionMemory | undefined;
};

/** Reads a request: finds what it refers to, and asks the scripted model. */
export function readCall(route: BodyRoute, request: JsonObject, reading: Reading): Call {
  const { entry, world, ids, memory } = reading;
  if (route === 'messages' || route === 'count_tokens') {
    const { account } = senderOf(entry.headers);
    const resolved = world.threads.resolve(request, account, entry.receivedAtMs);
    const body = resolved.error === undefined ? resolved.body : request;
    const thread = resolved.error === undefined ? resolved.from : undefined;
    const turn = readAnthropicTurn(readPrompt(body, new Set(), world.settings).body, entry);
    const plan = world.model.plan(turn);
    return { route, call: { entry, body, turn, plan, ids, refusal: resolved.error, thread } };
  }
  const account = openAiAccountOf(entry.headers);
  const { body, refusal } =
    route === 'chat'
      ? { body: asResponsesBody(request), refusal: undefined }
      : world.stored.resolve(request, account, memory);
  const turn = readOpenAiTurn(body, entry, world.secret);
  const read = { entry, body, request, turn, plan: world.model.plan(turn), ids };
  return route === 'chat' ? { route, call: read } : { route, call: { ...read, refusal, memory } };
}

/** Answers a request that was read. */
export function answerCall(read: Call, world: World): Answered {
  switch (read.route) {
    case 'messages':
      return answerMessages(read.call, world);
    case 'count_tokens':
      return answerCountTokens(read.call, world);
    case 'input_tokens':
      return answerInputTokens(read.call, world);
    case 'compact':
      return answerCompact(read.call, world);
    case 'conversations':
      return answerConversations(read.call, world);
    case 'responses':
      return answerResponses(read.call, world);
    case 'chat':
      return answerChat(read.call, world);
  }
}

/** The answer of a fault that speaks the request's protocol; `undefined` for faults of the wire. */
export function protocolFault(fault: Fault, read: Call, whole: Answer, world: World): Answer | undefined {
  switch (read.route) {
    case 'messages':
    case 'count_tokens':
      return messagesFault(fault, read.call, whole, world);
    case 'chat':
      return chatFault(fault, read.call, whole, world);
    default:
      return responsesFault(fault, read.call, whole, world);
  }
}

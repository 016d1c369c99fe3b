import type { Answered } from './answered.ts';
import { senderOf } from './anthropic/check.ts';
import { answerCountTokens, answerMessages, messagesFault } from './anthropic/endpoint.ts';
import { anthropicErrorAnswer, anthropicStatusFault, invalidRequest } from './anthropic/errors.ts';
import { answerAnthropicModels } from './anthropic/model-list.ts';
import { readPrompt } from './anthropic/prompt.ts';
import { readAnthropicTurn } from './anthropic/turn.ts';
import type { Fault, FaultSubject } from './faults.ts';
import type { IdMaker } from './ids.ts';
import { asObject, type JsonObject, parseJson } from './json.ts';
import { answerCompact, answerInputTokens, answerResponses, responsesFault } from './openai/endpoint.ts';
import { invalidInput, openAiErrorAnswer, openAiStatusFault } from './openai/errors.ts';
import { answerOpenAiModels } from './openai/model-list.ts';
import { readOpenAiTurn } from './openai/turn.ts';
import type { Protocol } from './script/kinds.ts';
import type { Turn } from './script/types.ts';
import type { Answer } from './wire/answer.ts';
import { decode } from './wire/coding.ts';
import { headerOf, type LoggedRequest } from './wire/log.ts';
import type { World } from './world.ts';

/** What a target stands for; any prefix before the provider's own path is accepted. */
export type Route =
  | 'messages'
  | 'count_tokens'
  | 'responses'
  | 'input_tokens'
  | 'compact'
  | 'models'
  | 'probe'
  | 'unknown';

/** Bytes from which the Messages API refuses a body. */
const MESSAGES_LIMIT_BYTES = 32 * 1024 * 1024;

/** The route and protocol of a request. A models list goes by the headers, since both providers have one. */
export function routeOf(entry: LoggedRequest): { readonly route: Route; readonly protocol: Protocol } {
  const path = entry.target.split('?')[0] ?? '';
  const hasAnthropicHeaders =
    headerOf(entry.headers, 'anthropic-version') !== undefined ||
    headerOf(entry.headers, 'x-api-key') !== undefined;
  const guessed: Protocol = hasAnthropicHeaders || path.includes('anthropic') ? 'anthropic' : 'openai';
  if (entry.method === 'HEAD') return { route: 'probe', protocol: guessed };
  if (entry.method === 'POST') {
    if (path.endsWith('/messages')) return { route: 'messages', protocol: 'anthropic' };
    if (path.endsWith('/messages/count_tokens')) return { route: 'count_tokens', protocol: 'anthropic' };
    if (path.endsWith('/responses')) return { route: 'responses', protocol: 'openai' };
    if (path.endsWith('/responses/input_tokens')) return { route: 'input_tokens', protocol: 'openai' };
    if (path.endsWith('/responses/compact')) return { route: 'compact', protocol: 'openai' };
  }
  if (entry.method === 'GET' && /\/models(\/[^/]+)?$/.test(path))
    return { route: 'models', protocol: guessed };
  return { route: 'unknown', protocol: guessed };
}

/** An answer and the fault that strikes it on the wire. */
export type Routed = { readonly answer: Answer; readonly fault: Fault | undefined };

/**
 * Answers a received request and writes into its log entry what was understood, used and charged. A body that is
 * nested too deeply to be walked is refused; nothing else is caught.
 */
export function answerRequest(entry: LoggedRequest, world: World): Routed {
  try {
    return answerRead(entry, world);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const { protocol } = routeOf(entry);
    const answer = errorAnswer(
      protocol,
      world.idsFor(entry.body),
      400,
      'The request body is nested too deeply.',
    );
    return { answer, fault: undefined };
  }
}

function answerRead(entry: LoggedRequest, world: World): Routed {
  const { route, protocol } = routeOf(entry);
  const ids = world.idsFor(entry.body);
  const stray = (): FaultSubject => ({
    target: entry.target,
    protocol,
    isModelRequest: false,
    stream: false,
    kind: undefined,
    prompt: undefined,
    model: undefined,
  });
  if (route === 'probe' || route === 'unknown' || route === 'models') {
    const answer = keyRefusal(entry, protocol, ids, world, route) ?? plainAnswer(route, entry, protocol, ids);
    return withStatusFault(answer, world.faults.take(stray()), protocol, ids);
  }
  const refusal = keyRefusal(entry, protocol, ids, world, route) ?? bodyRefusal(entry, protocol, ids);
  const body = refusal === undefined ? readJson(entry) : undefined;
  if (refusal !== undefined || body === undefined) {
    const answer = refusal ?? errorAnswer(protocol, ids, 400, 'The request body is not valid JSON.');
    return withStatusFault(answer, world.faults.take({ ...stray(), isModelRequest: true }), protocol, ids);
  }
  const conversation = protocol === 'anthropic' ? resolveMessages(body, entry, world) : { body };
  const turn =
    protocol === 'anthropic'
      ? readAnthropicTurn(readPrompt(conversation.body, new Set(), world.settings).body, entry)
      : readOpenAiTurn(body, entry, world.secret);
  const plan = world.model.plan(turn);
  const isModelRequest = route === 'messages' || route === 'responses';
  const stream = body.stream === true;
  if (isModelRequest) entry.reading = reading(turn, stream, plan.scenario);
  const call = { refusal: undefined, thread: undefined, ...conversation, entry, turn, plan, ids };
  const { kind, prompt, model } = turn;
  const subject = { target: entry.target, protocol, isModelRequest, stream, kind, prompt, model };
  const fault = world.faults.take(subject) ?? (isModelRequest ? plan.fault : undefined);
  // A request that never reaches the model uses no cache and costs nothing.
  const answered = fault !== undefined && isBeforeModel(fault) ? EMPTY : answer(route, call, world);
  const shaped = fault === undefined ? undefined : protocolFault(fault, call, answered.answer, world);
  if (shaped === undefined || shaped.stream) {
    entry.usage = answered.usage;
    entry.charge = answered.charge;
  }
  return { answer: shaped ?? answered.answer, fault };
}

const EMPTY: Answered = { answer: { status: 200, headers: [], frames: [], stream: false } };

function isBeforeModel(fault: Fault): boolean {
  if (fault.kind === 'reset') return fault.afterBytes === undefined && fault.afterEvents === undefined;
  if (fault.kind === 'silence') return fault.from === 'accept';
  if (fault.kind === 'too-long') return fault.inStream !== true;
  return ['status', 'redirect', 'garbage', 'raw'].includes(fault.kind);
}

/** A Messages request with its whole conversation, or why that could not be had. */
function resolveMessages(body: JsonObject, entry: LoggedRequest, world: World) {
  const { account } = senderOf(entry.headers);
  const resolved = world.threads.resolve(body, account, entry.receivedAtMs);
  if (resolved.error !== undefined) return { body, refusal: resolved.error, thread: undefined };
  return { body: resolved.body, refusal: undefined, thread: resolved.from };
}

type Call = Parameters<typeof answerMessages>[0];

function answer(route: Route, call: Call, world: World): Answered {
  switch (route) {
    case 'messages':
      return answerMessages(call, world);
    case 'count_tokens':
      return answerCountTokens(call, world);
    case 'input_tokens':
      return answerInputTokens(call, world);
    case 'compact':
      return answerCompact(call, world);
    default:
      return answerResponses(call, world);
  }
}

function protocolFault(fault: Fault, call: Call, whole: Answer, world: World): Answer | undefined {
  return call.turn.protocol === 'anthropic'
    ? messagesFault(fault, call, whole, world)
    : responsesFault(fault, call, whole);
}

function reading(turn: Turn, stream: boolean, scenario: string): LoggedRequest['reading'] {
  const { protocol, kind, model, prompt, round } = turn;
  return { protocol, kind, model, stream, prompt, round, scenario };
}

function withStatusFault(answer: Answer, fault: Fault | undefined, protocol: Protocol, ids: IdMaker): Routed {
  if (fault?.kind !== 'status') return { answer, fault };
  const shaped = protocol === 'anthropic' ? anthropicStatusFault(fault, ids) : openAiStatusFault(fault, ids);
  return { answer: shaped, fault };
}

function plainAnswer(route: Route, entry: LoggedRequest, protocol: Protocol, ids: IdMaker): Answer {
  if (route === 'probe') return { status: 200, headers: [], frames: [], stream: false };
  if (route === 'unknown') return errorAnswer(protocol, ids, 404, 'Not found');
  return protocol === 'anthropic' ? answerAnthropicModels(entry, ids) : answerOpenAiModels(entry, ids);
}

function keyRefusal(entry: LoggedRequest, protocol: Protocol, ids: IdMaker, world: World, route: Route) {
  const { requiredKey } = world.settings;
  if (requiredKey === undefined || route === 'probe') return undefined;
  const bearer = headerOf(entry.headers, 'authorization')?.replace(/^Bearer\s+/i, '');
  if (headerOf(entry.headers, 'x-api-key') === requiredKey || bearer === requiredKey) return undefined;
  return protocol === 'anthropic'
    ? anthropicStatusFault({ kind: 'status', status: 401 }, ids)
    : openAiStatusFault({ kind: 'status', status: 401 }, ids);
}

function bodyRefusal(entry: LoggedRequest, protocol: Protocol, ids: IdMaker): Answer | undefined {
  if (protocol !== 'anthropic' || entry.body.length <= MESSAGES_LIMIT_BYTES) return undefined;
  return anthropicErrorAnswer({ status: 413, type: 'request_too_large', message: '' }, ids);
}

function readJson(entry: LoggedRequest) {
  const plain = decode(entry.body, headerOf(entry.headers, 'content-encoding') ?? '');
  return plain === undefined ? undefined : asObject(parseJson(plain.toString('utf8')));
}

function errorAnswer(protocol: Protocol, ids: IdMaker, status: number, message: string): Answer {
  if (protocol === 'openai') return openAiErrorAnswer({ ...invalidInput(message, null), status }, ids);
  const error = invalidRequest(message);
  return anthropicErrorAnswer(status === 404 ? { ...error, status, type: 'not_found_error' } : error, ids);
}

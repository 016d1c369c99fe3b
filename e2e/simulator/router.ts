import type { Answered } from './answered.ts';
import { anthropicErrorAnswer, anthropicStatusFault, invalidRequest } from './anthropic/errors.ts';
import { answerAnthropicModels } from './anthropic/model-list.ts';
import { answerCall, type BodyRoute, protocolFault, readCall } from './calls.ts';
import type { Fault, FaultSubject } from './faults.ts';
import type { IdMaker } from './ids.ts';
import { asObject, type JsonObject, parseJson } from './json.ts';
import { invalidInput, openAiErrorAnswer, openAiStatusFault } from './openai/errors.ts';
import { answerOpenAiModels } from './openai/model-list.ts';
import type { ConnectionMemory } from './openai/store.ts';
import type { Protocol } from './script/kinds.ts';
import type { Turn } from './script/types.ts';
import type { Answer } from './wire/answer.ts';
import { decode } from './wire/coding.ts';
import { headerOf, type LoggedRequest } from './wire/log.ts';
import type { World } from './world.ts';

/** What a target stands for; any prefix before the provider's own path is accepted. */
export type Route = BodyRoute | 'models' | 'probe' | 'unknown';

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
    if (path.endsWith('/chat/completions')) return { route: 'chat', protocol: 'openai' };
    if (path.endsWith('/conversations')) return { route: 'conversations', protocol: 'openai' };
    if (path.endsWith('/responses/compact')) return { route: 'compact', protocol: 'openai' };
  }
  if (entry.method === 'GET' && /\/models(\/[^/]+)?$/.test(path))
    return { route: 'models', protocol: guessed };
  return { route: 'unknown', protocol: guessed };
}

const SOCKET_ROUTE = { route: 'responses', protocol: 'openai' } as const;

/** An answer and the fault that strikes it on the wire. */
export type Routed = { readonly answer: Answer; readonly fault: Fault | undefined };

/**
 * Answers a received request and writes into its log entry what was understood, used and charged. A body that is
 * nested too deeply to be walked is refused; nothing else is caught.
 */
export function answerRequest(entry: LoggedRequest, world: World, event?: SocketEvent): Routed {
  try {
    return answerRead(entry, world, event);
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

/** A request that came as an event on a WebSocket: its body, and what its connection remembers. */
export type SocketEvent = { readonly body: JsonObject; readonly memory: ConnectionMemory };

function answerRead(entry: LoggedRequest, world: World, event: SocketEvent | undefined): Routed {
  const { route, protocol } = event === undefined ? routeOf(entry) : SOCKET_ROUTE;
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
  const body = refusal === undefined ? (event?.body ?? readJson(entry)) : undefined;
  if (refusal !== undefined || body === undefined) {
    const answer = refusal ?? errorAnswer(protocol, ids, 400, 'The request body is not valid JSON.');
    return withStatusFault(answer, world.faults.take({ ...stray(), isModelRequest: true }), protocol, ids);
  }
  const call = readCall(route, body, { entry, world, ids, memory: event?.memory });
  const { turn, plan } = call.call;
  const isModelRequest = route === 'messages' || route === 'responses' || route === 'chat';
  const stream = body.stream === true;
  if (isModelRequest) entry.reading = reading(turn, stream, plan.scenario);
  const { kind, prompt, model } = turn;
  const subject = { target: entry.target, protocol, isModelRequest, stream, kind, prompt, model };
  const fault = world.faults.take(subject) ?? (isModelRequest ? plan.fault : undefined);
  // A request that never reaches the model uses no cache and costs nothing.
  const answered = fault !== undefined && isBeforeModel(fault) ? EMPTY : answerCall(call, world);
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

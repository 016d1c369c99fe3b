import { asObject, asObjects, asString, type Json, type JsonObject } from '../json.ts';
import type { LoggedRequest } from '../wire/log.ts';
import { type AnthropicError, codedError, invalidRequest } from './errors.ts';

/** Idle time after which a thread's state is gone. */
const IDLE_MS = 300_000;

/** Members that the server takes from the thread when it goes on. */
const CREATE_ONLY = ['system', 'tools'] as const;

/** Members that must stay as they were when the thread was made. */
const FINGERPRINT = ['model'] as const;

/** The conversation up to one answer, as the server holds it. */
export type ThreadState = {
  readonly account: string;
  readonly messages: readonly JsonObject[];
  readonly held: JsonObject;
  lastUsedMs: number;
  /** The request that went on from this answer. */
  continuedBy: LoggedRequest | undefined;
};

/** A body with its whole conversation, and the thread state that it came from; or why there is none. */
export type ResolvedThread =
  | { readonly error: AnthropicError }
  | { readonly error: undefined; readonly body: JsonObject; readonly from: ThreadState | undefined };

/** Threads by the id of the answer that can be continued. Best effort: five idle minutes end one. */
export class Threads {
  readonly #states = new Map<string, ThreadState>();

  /** Forgets everything. */
  clear(): void {
    this.#states.clear();
  }

  /** Keeps the conversation that an answer with that id ended. */
  keep(id: string, body: JsonObject, content: readonly JsonObject[], account: string, nowMs: number): void {
    const held = Object.fromEntries(
      [...CREATE_ONLY, ...FINGERPRINT].flatMap((key) => (body[key] === undefined ? [] : [[key, body[key]]])),
    );
    const messages = [...asObjects(body.messages), { role: 'assistant', content: [...content] as Json[] }];
    this.#states.set(id, { account, messages, held, lastUsedMs: nowMs, continuedBy: undefined });
  }

  /** The whole conversation of a request that goes on with a thread; other requests are given back as they are. */
  resolve(body: JsonObject, account: string, nowMs: number): ResolvedThread {
    const thread = asObject(body.thread);
    if (thread?.type !== 'continue') return { error: undefined, body, from: undefined };
    const state = this.#states.get(asString(thread.previous_message_id) ?? '');
    if (state === undefined || state.account !== account || nowMs - state.lastUsedMs > IDLE_MS) {
      return { error: threadNotFound(thread) };
    }
    if (state.continuedBy !== undefined) return { error: continuedTwice(state) };
    const repeated = CREATE_ONLY.find((key) => body[key] !== undefined);
    if (repeated !== undefined) {
      return { error: invalidRequest(`${repeated}: may not be sent when a thread is continued`) };
    }
    const changed = FINGERPRINT.find((key) => body[key] !== state.held[key]);
    if (changed !== undefined) {
      return {
        error: codedError(
          'thread_fingerprint_mismatch',
          `thread: \`${changed}\` differs from the value stored with the thread`,
        ),
      };
    }
    state.lastUsedMs = nowMs;
    const messages = [...state.messages, ...asObjects(body.messages)];
    return {
      error: undefined,
      from: state,
      body: { ...body, ...state.held, messages, thread: { type: 'create' } },
    };
  }
}

/** The 404 of a thread that is not there (any more), on which clients send the whole conversation. */
export function threadNotFound(thread: JsonObject): AnthropicError {
  const id = asString(thread.previous_message_id) ?? '';
  return codedError('thread_not_found', `thread: no thread state was found for '${id}'`, {}, 404);
}

function continuedTwice(state: ThreadState): AnthropicError {
  if (state.continuedBy?.answer?.endedAtMs === undefined) {
    return codedError('thread_continue_in_flight', 'thread: another request is still continuing from it');
  }
  return codedError('thread_already_continued', 'thread: this response has already been continued');
}

/** What a request with a thread may not hold beside it. */
export function threadError(body: JsonObject, checksFields: boolean): AnthropicError | undefined {
  const thread = asObject(body.thread);
  if (thread === undefined) return undefined;
  if (thread.type === 'continue') return threadNotFound(thread);
  const unsupported = ['cache_control', 'context_management', 'fallbacks'].filter(
    (key) => (body[key] ?? null) !== null,
  );
  if (!checksFields || unsupported.length === 0) return undefined;
  return codedError(
    'thread_unsupported_request',
    `thread: cannot be combined with ${unsupported.map((key) => `\`${key}\``).join(', ')}. Send the full conversation.`,
    { unsupported },
  );
}

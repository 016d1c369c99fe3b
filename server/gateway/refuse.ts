import type { Door } from '../kernel/env.ts';
import { type ErrorCode, httpStatusOf } from '../kernel/errors.ts';

/** An answer of our own making, in the error shape of the door's provider. */
export interface Refusal {
  readonly status: number;
  /** Names and values in turn; `content-length` and our request id among them. */
  readonly headers: string[];
  readonly body: Buffer;
  /** Why, in one word, for counters and logs. */
  readonly reason: string;
}

/** What went wrong, before it has a provider's shape. */
export interface RefusalCause {
  readonly code: ErrorCode;
  /** Sentences for the person at the agent: what was wrong, where, what to do. Never content or keys. */
  readonly message: string;
  readonly reason: string;
  /** Where the status is not the code's own (426, 408, 502). */
  readonly status?: number;
  /** Seconds; a 429 without it says 30. */
  readonly retryAfter?: number;
  /** True where the connection cannot be used again. */
  readonly close?: boolean;
}

/** Anthropic's error types by status (its API's error page); others are `api_error` or `invalid_request_error`. */
const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** OpenAI's error types by status; others are `server_error` or `invalid_request_error`. */
const OPENAI_TYPES: Readonly<Record<number, string>> = { 429: 'rate_limit_error' };

/** Seconds that a 429 names if its cause does not: Codex gives up on a 429 without `retry-after`. */
const DEFAULT_RETRY_AFTER = 30;

/** Shapes a refusal for a door; `null` is our own shape, for what is not a door. */
export function refusal(door: Door | null, requestId: string, cause: RefusalCause): Refusal {
  const status = cause.status ?? httpStatusOf[cause.code];
  const body = Buffer.from(JSON.stringify(shapeOf(door, status, requestId, cause)));
  const headers = ['content-type', 'application/json', 'content-length', String(body.length)];
  if (status === 429) headers.push('retry-after', String(cause.retryAfter ?? DEFAULT_RETRY_AFTER));
  if (cause.close) headers.push('connection', 'close');
  headers.push('x-context-mode-request-id', requestId, 'x-context-mode', `refused;reason=${cause.reason}`);
  return { status, headers, body, reason: cause.reason };
}

function shapeOf(door: Door | null, status: number, requestId: string, cause: RefusalCause): unknown {
  if (door === null) {
    return { error: { code: cause.code, message: cause.message, hint: '', requestId } };
  }
  const family = status >= 500 ? 'server' : 'client';
  if (door === 'anthropic') {
    const type = ANTHROPIC_TYPES[status] ?? (family === 'server' ? 'api_error' : 'invalid_request_error');
    return { type: 'error', error: { type, message: cause.message }, request_id: requestId };
  }
  const type = OPENAI_TYPES[status] ?? (family === 'server' ? 'server_error' : 'invalid_request_error');
  return { error: { message: cause.message, type, param: null, code: `context_mode_${cause.reason}` } };
}

/** A refusal as raw HTTP/1.1, for sockets that have no response object (parse errors, upgrades). */
export function rawRefusal(refused: Refusal, phrase: string): Buffer {
  const lines = [`HTTP/1.1 ${refused.status} ${phrase}`];
  for (let at = 0; at + 1 < refused.headers.length; at += 2) {
    lines.push(`${refused.headers[at]}: ${refused.headers[at + 1]}`);
  }
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), refused.body]);
}

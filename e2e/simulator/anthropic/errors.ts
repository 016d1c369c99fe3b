import type { Fault } from '../faults.ts';
import type { IdMaker } from '../ids.ts';
import type { JsonObject } from '../json.ts';
import { type Answer, jsonAnswer } from '../wire/answer.ts';

/** A refusal of a Messages request. */
export type AnthropicError = {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly details?: JsonObject;
};

/** The error type that belongs to a status code. */
export function anthropicErrorType(status: number): string {
  const types: Readonly<Record<number, string>> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    402: 'billing_error',
    403: 'permission_error',
    404: 'not_found_error',
    409: 'conflict_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    500: 'api_error',
    504: 'timeout_error',
    529: 'overloaded_error',
  };
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

const MESSAGES: Readonly<Record<number, string>> = {
  401: 'invalid x-api-key',
  403: 'Your API key does not have permission to use the specified resource.',
  404: 'Not found',
  429: 'This request would exceed the rate limit for your organization.',
  500: 'Internal server error',
  529: 'Overloaded',
};

/** A 400 of the kind that most validity rules give. */
export function invalidRequest(message: string): AnthropicError {
  return { status: 400, type: 'invalid_request_error', message };
}

/** A 400 for a member that the provider does not know, or not without a beta header. */
export function extraInput(path: string): AnthropicError {
  return invalidRequest(`${path}: Extra inputs are not permitted`);
}

/** A refusal with an error code in its details. */
export function codedError(
  code: string,
  message: string,
  details: JsonObject = {},
  status = 400,
): AnthropicError {
  const type = anthropicErrorType(status);
  return { status, type, message, details: { error_code: code, ...details } };
}

/** "prompt is too long", in the provider's reported words. */
export function promptTooLong(tokens: number, maximum: number): AnthropicError {
  return invalidRequest(`prompt is too long: ${tokens} tokens > ${maximum} maximum`);
}

/** The refusal of models before 4.5 when prompt and answer would not fit together. */
export function outputTooLong(tokens: number, maxTokens: number, window: number): AnthropicError {
  return invalidRequest(
    `input length and max_tokens exceed context limit: ${tokens} + ${maxTokens} > ${window}, decrease input length or max_tokens and try again`,
  );
}

/** The error as an HTTP answer. A 413 comes from the proxy in front of the API and is not JSON. */
export function anthropicErrorAnswer(
  error: AnthropicError,
  ids: IdMaker,
  extra: readonly (readonly [string, string])[] = [],
): Answer {
  if (error.status === 413) return tooLargePage(extra);
  const given = extra.find(([name]) => name === 'request-id')?.[1];
  const requestId = given ?? ids('req_', 24);
  const details = error.details === undefined ? {} : { details: error.details };
  const body = {
    type: 'error',
    error: { ...details, type: error.type, message: error.message },
    request_id: requestId,
  };
  const retry = error.status === 429 || error.status >= 500 ? 'true' : 'false';
  return jsonAnswer(error.status, body, [
    ...(given === undefined ? [['request-id', requestId] as const] : []),
    ['x-should-retry', retry],
    ...extra,
  ]);
}

/** The answer of a `status` fault. */
export function anthropicStatusFault(fault: Extract<Fault, { kind: 'status' }>, ids: IdMaker): Answer {
  const extra: (readonly [string, string])[] = [...(fault.headers ?? [])];
  if (fault.retryAfter !== undefined) extra.unshift(['retry-after', String(fault.retryAfter)]);
  if (fault.body !== undefined) {
    return {
      status: fault.status,
      headers: [['content-type', fault.contentType ?? 'text/plain; charset=utf-8'], ...extra],
      frames: [{ bytes: Buffer.from(fault.body) }],
      stream: false,
    };
  }
  const error: AnthropicError = {
    status: fault.status,
    type: fault.type ?? anthropicErrorType(fault.status),
    message: fault.message ?? MESSAGES[fault.status] ?? 'Error',
    ...(fault.details === undefined ? {} : { details: fault.details }),
  };
  return anthropicErrorAnswer(error, ids, extra);
}

function tooLargePage(extra: readonly (readonly [string, string])[]): Answer {
  const page =
    '<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n' +
    '<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n';
  return {
    status: 413,
    headers: [['content-type', 'text/html'], ...extra],
    frames: [{ bytes: Buffer.from(page) }],
    stream: false,
  };
}

import type { Fault } from '../faults.ts';
import type { IdMaker } from '../ids.ts';
import { type Answer, jsonAnswer } from '../wire/answer.ts';

/** A refusal of a Responses request. */
export type OpenAiError = {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly param: string | null;
  readonly code: string | null;
};

/** The provider's words for a prompt that does not fit. */
export const CONTEXT_LENGTH_MESSAGE =
  'Your input exceeds the context window of this model. Please adjust your input and try again.';

/** The refusal of a prompt that does not fit. */
export const CONTEXT_LENGTH_ERROR: OpenAiError = {
  status: 400,
  type: 'invalid_request_error',
  message: CONTEXT_LENGTH_MESSAGE,
  param: 'input',
  code: 'context_length_exceeded',
};

/** A 400 of the kind that most validity rules give. */
export function invalidInput(
  message: string,
  param: string | null = 'input',
  code: string | null = null,
): OpenAiError {
  return { status: 400, type: 'invalid_request_error', message, param, code };
}

const BY_STATUS: Readonly<Record<number, { type: string; code: string | null; message: string }>> = {
  400: { type: 'invalid_request_error', code: null, message: 'Invalid request.' },
  401: { type: 'invalid_request_error', code: 'invalid_api_key', message: 'Incorrect API key provided.' },
  403: { type: 'invalid_request_error', code: null, message: 'You are not allowed to use this resource.' },
  404: { type: 'invalid_request_error', code: null, message: 'Not found.' },
  429: {
    type: 'requests',
    code: 'rate_limit_exceeded',
    message: 'Rate limit reached. Please try again in 1s.',
  },
  500: {
    type: 'server_error',
    code: null,
    message: 'The server had an error while processing your request.',
  },
  503: { type: 'server_error', code: 'server_is_overloaded', message: 'The engine is currently overloaded.' },
};

/** The error as an HTTP answer. */
export function openAiErrorAnswer(
  error: OpenAiError,
  ids: IdMaker,
  extra: readonly (readonly [string, string])[] = [],
): Answer {
  const body = { error: { message: error.message, type: error.type, param: error.param, code: error.code } };
  return jsonAnswer(error.status, body, [['x-request-id', ids('req_', 32)], ...extra]);
}

/** The answer of a `status` fault. */
export function openAiStatusFault(fault: Extract<Fault, { kind: 'status' }>, ids: IdMaker): Answer {
  const extra: (readonly [string, string])[] = [...(fault.headers ?? [])];
  if (fault.retryAfter !== undefined) extra.unshift(['retry-after', String(fault.retryAfter)]);
  if (fault.body !== undefined || fault.status === 413) {
    return {
      status: fault.status,
      headers: [['content-type', fault.contentType ?? 'text/plain; charset=utf-8'], ...extra],
      frames: [{ bytes: Buffer.from(fault.body ?? 'Request Entity Too Large\n') }],
      stream: false,
    };
  }
  const known = BY_STATUS[fault.status] ?? { type: 'server_error', code: null, message: 'Error.' };
  const error: OpenAiError = {
    status: fault.status,
    type: fault.type ?? known.type,
    message: fault.message ?? known.message,
    param: null,
    code: fault.code ?? known.code,
  };
  return openAiErrorAnswer(error, ids, extra);
}

/** The closed set of faults that a user can cause or must be told of. */
export type ErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'too_large'
  | 'rate_limited'
  | 'unavailable'
  | 'configuration'
  | 'internal';

/**
 * The one error type of the project. `message` is public: what was wrong and where, without content or secrets.
 * `hint` says what to do. `detail` and `cause` stay inside (logs).
 */
export class ContextModeError extends Error {
  readonly code: ErrorCode;
  readonly hint: string;
  readonly detail: string | undefined;

  constructor(code: ErrorCode, message: string, options: { hint: string; detail?: string; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ContextModeError';
    this.code = code;
    this.hint = options.hint;
    this.detail = options.detail;
  }
}

/** HTTP status of each code; the protocols' own shapes are made at the rim. */
export const httpStatusOf: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  unavailable: 503,
  configuration: 500,
  internal: 500,
};

/**
 * True for an error of ours, also one that another copy of this module made: the server and the console are built apart
 * and run in one process, so that the class alone does not tell.
 */
function isOurs(thrown: unknown): thrown is ContextModeError {
  if (thrown instanceof ContextModeError) return true;
  return (
    thrown instanceof Error &&
    thrown.name === 'ContextModeError' &&
    'code' in thrown &&
    typeof thrown.code === 'string' &&
    Object.hasOwn(httpStatusOf, thrown.code) &&
    'hint' in thrown &&
    typeof thrown.hint === 'string'
  );
}

/** Any thrown value as one of ours; a foreign one becomes `internal` with its text kept inside. */
export function asContextModeError(thrown: unknown): ContextModeError {
  if (isOurs(thrown)) return thrown;
  const detail = thrown instanceof Error ? thrown.message : String(thrown);
  return new ContextModeError('internal', 'Something went wrong inside Context Mode.', {
    hint: 'Try again; if it stays, report it with the request id.',
    detail,
    cause: thrown,
  });
}

/**
 * What may be logged of a fault: its kind, its code, and where it was thrown. Its message stays out: those of parsers
 * and of the database quote what they were given, and that can be somebody's words.
 */
export function faultOf(thrown: unknown): string {
  if (thrown instanceof ContextModeError && thrown.cause !== undefined) return faultOf(thrown.cause);
  if (!(thrown instanceof Error)) return typeof thrown;
  const code = 'code' in thrown && typeof thrown.code === 'string' ? ` ${thrown.code}` : '';
  const at = /^ {4}at .*?([^/\\(]+:\d+:\d+)\)?$/m.exec(thrown.stack ?? '')?.[1];
  return `${thrown.name}${code}${at === undefined ? '' : ` at ${at}`}`;
}

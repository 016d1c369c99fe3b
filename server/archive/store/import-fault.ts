import { ContextModeError } from '../../kernel/errors.ts';

/** The error of a line that cannot be imported. `what` goes on after the number of the line, without a full stop. */
export function importFault(line: number, what: string, cause?: unknown): ContextModeError {
  return new ContextModeError('bad_request', `Line ${line} ${what}.`, {
    hint: 'Nothing of this session was imported. Export it again, and import the file as it was written.',
    ...(cause === undefined ? {} : { cause }),
  });
}

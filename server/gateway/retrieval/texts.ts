import { asContextModeError } from '../../kernel/errors.ts';

/** The answer where nothing of the conversation that asks is stored. */
export const NOT_KEPT =
  'Nothing of this conversation is kept, so there is no place to look in. Go on with what is in view.';

/** The answer where the window has no room for one. */
export const NO_ROOM =
  'There is no room left in the window for an answer of this tool. Go on with what is in view, without calling it again.';

/** The answer where the model has called the tool too often in one turn. */
export const TOO_OFTEN =
  'The bound of calls of this tool in one turn is reached, and it gives no more answers before the next one. Go on with what it gave so far, without calling it again.';

/** The answer where something went wrong: a request that cannot be answered says why, a fault of ours that it is one. */
export function faultAnswer(error: unknown): string {
  const { code, message, hint } = asContextModeError(error);
  if (code === 'bad_request') return `${message} ${hint}`;
  return 'The archive could not be read. Try once more; where it fails again, go on without it.';
}

/** A line for a file that hangs on a document and is not shown. */
export function notShown(mime: string, bytes: number, why: string): string {
  return `[a file of type ${mime} with ${bytes} bytes hangs on it and is not shown: ${why}]`;
}

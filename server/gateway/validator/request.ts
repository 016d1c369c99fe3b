import type { Edit } from './edits.ts';
import { type Finding, finding, type Verdict } from './verdict.ts';

/**
 * Which thinking may be left out of the latest assistant message, by what the model and the account accept:
 * - `untouched`: it stands there as the client sent it;
 * - `turn-untouched`: so does all thinking since the last typed message (models that demand the running turn's);
 * - `untouched-or-none`: it stands there as sent, or all of it is left out.
 *
 * On Responses, `untouched-or-none` is what allows to leave out reasoning items of a group that is kept.
 */
export type LatestThinking = 'untouched' | 'turn-untouched' | 'untouched-or-none';

/** An edited body, and what it is judged by. */
export interface EditedBody {
  /** The client's body, decoded, as it was received. */
  readonly client: Uint8Array;
  /** The body that is to go out. */
  readonly edited: Uint8Array;
  /** Every difference between the two; see {@link Edit}. */
  readonly edits: readonly Edit[];
  /** The name of our tool; null: there is none, and nothing may define or call it. */
  readonly ownTool: string | null;
  readonly latestThinking: LatestThinking;
  /** Tokens that the model takes at most; null: unknown, nothing is too large. */
  readonly window: number | null;
  /** Estimates the tokens of a body; asked once, for `edited`, where the window is known. Must not throw. */
  readonly estimate: (body: Uint8Array) => number;
}

/** The verdict of a finding, or of none. */
export function verdictOf(found: Finding | null): Verdict {
  return found === null ? { ok: true } : { ok: false, ...found };
}

/** The body fits into the window. */
export function checkWindow({ edited, window, estimate }: EditedBody): Finding | null {
  if (window === null) return null;
  const tokens = estimate(edited);
  if (tokens <= window) return null;
  return finding('window', '', `About ${tokens} tokens are more than the model's window of ${window}.`);
}

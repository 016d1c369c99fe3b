import type { Scan } from '../../conversation/index.ts';
import type { Edit } from './edits.ts';
import type { Outlines } from './outline.ts';
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
  /**
   * What is known of the client's body, so that only what changed is read: a scan of it with the entries of `messages` or
   * `input` and of `tools`, and what {@link outlinesIn} gave for those entries. The verdict is the same without.
   */
  readonly known?: { readonly scan: Scan; readonly outlines: Outlines };
  /** Tokens that the model takes at most; null: unknown, nothing is too large. */
  readonly window: number | null;
  /** Estimates the tokens of a body; asked once, for `edited`, where the window is known. Must not throw. */
  readonly estimate: (body: Uint8Array) => number;
}

function verdictOf(found: Finding | null): Verdict {
  return found === null ? { ok: true } : { ok: false, ...found };
}

/**
 * Judges by outlines first, where these can be made: what passes there passes. What does not is judged as it stands, so
 * that the finding is of the body itself.
 * @param lean the body with outlines; null: there are none
 */
export function judgedLean(
  body: EditedBody,
  lean: EditedBody | null,
  check: (body: EditedBody) => Finding | null,
): Verdict {
  const passes = lean !== null && check(lean) === null;
  return verdictOf((passes ? null : check(body)) ?? checkWindow(body));
}

/** The body fits into the window. */
function checkWindow({ edited, window, estimate }: EditedBody): Finding | null {
  if (window === null) return null;
  const tokens = estimate(edited);
  if (tokens <= window) return null;
  return finding('window', '', `About ${tokens} tokens are more than the model's window of ${window}.`);
}

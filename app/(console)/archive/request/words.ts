import type { WireViews } from '@/server/api/index.ts';
import { LAYOUT_REASONS } from '../../_recall/words.ts';

/** Why a request went out as its client sent it, in plain words; a reason that is not here is shown as it is. */
const UNEDITED: Readonly<Record<string, string>> = {
  deadline: 'Preparing it took longer than a request may wait.',
  fault: 'A step of Recall failed.',
  check_failed: 'What had been put together did not pass the check before sending, so it was dropped.',
  unknown_kind:
    'It holds a kind of part that Context Mode does not know, and what is not known is not moved.',
  boundary_not_found: 'The message at which the layout begins is not in this request.',
  running_turn_not_found: 'The typed message of the running turn is not in this request.',
  index_not_restored: 'The index could not be put together as it was sent before.',
};

/** Why the client's own bytes went out. */
export function uneditedWords(reason: string): string {
  return UNEDITED[reason] ?? `Reason: ${reason}.`;
}

/** Why no new layout was made, in plain words. */
const BECAUSE: Readonly<Record<string, string>> = {
  nothing_due: 'nothing was due',
  pause_waits_for_turn: 'a pause has passed; it waits for the next typed message',
  cost_waits_for_turn: 'it would pay; it waits for the next typed message',
  gain_too_small: 'it would have taken too little off the prompt',
  no_layout_possible: 'none is possible that is shorter',
  paused: 'the session is paused',
  off: 'Recall is switched off',
  not_archived: 'the archive has not confirmed all of the messages yet',
  too_big: 'head, tools and the newest messages alone pass the limit',
  no_place: 'there is no place where the conversation may be cut',
  resting: 'the provider refused what was put together here before',
};

/** Why nothing was put together, where the client's own body is all that was sent. */
const AS_SENT: Readonly<Record<string, string>> = {
  as_sent: 'Nothing of Recall was to stand in it: the agent’s body went out as it came.',
  unread:
    'The conversation was new and long: the agent’s body went out at once as it came, and was read behind it.',
  without_reasoning: 'The agent’s body without any reasoning.',
};

/** Why a form is the agent's own body; null: it was put together. */
export function asSentWords(because: string | null): string | null {
  return because === null ? null : (AS_SENT[because] ?? null);
}

/** What the first form was refused as. */
const REFUSED: Readonly<Record<string, string>> = {
  too_large: 'as too large',
  binding: 'because its reasoning was made under another view',
  pairing: 'for the order of its parts',
};

/** What the provider refused a first form as. */
export function refusedWords(refused: string): string {
  return REFUSED[refused] ?? `as ${refused}`;
}

/** Why nothing new was made. */
export function becauseWords(because: string): string {
  return BECAUSE[because] ?? because.replaceAll('_', ' ');
}

/** What stands on top: which layout the model saw the conversation under. */
export function layoutWords({ layout, edited }: Pick<WireViews, 'layout' | 'edited'>): string {
  if (layout === null)
    return edited ? 'No layout is in force; only what is marked below differs.' : 'No layout is in force.';
  const reason = layout.reason === null ? '' : `, ${LAYOUT_REASONS[layout.reason] ?? layout.reason}`;
  return layout.madeHere
    ? `This request made the layout${reason}.`
    : `Under a layout that was made before${reason}.`;
}

/** What a piece of ours is. */
export const OURS: Readonly<Record<string, readonly [name: string, why: string]>> = {
  tool: ['Tool', 'context-mode-search, with which the model can read back what has left its view'],
  head: [
    'Head',
    "what the agent put at the conversation's beginning for the model to live by, in its own bytes",
  ],
  memory: ['Memory', 'facts that hold now'],
  index: [
    'Index',
    'stands in the place of what was left out: every typed word, a line for each call and answer',
  ],
  hidden_round: [
    'Hidden call',
    "the model's own call of context-mode-search and its answer; the agent does not see it",
  ],
};

/** How a message differs. */
export const CHANGED: Readonly<Record<string, readonly [name: string, why: string]>> = {
  trimmed: [
    'trimmed',
    "a command's long output: sent with its beginning, its end and the lines that look like errors",
  ],
  filled: [
    'filled in',
    'the agent took an earlier result for still in view; the model got that result instead',
  ],
  reasoning_left_out: ['reasoning left out', 'it was made under an earlier view and is bound to that'],
  joined: ['joined', 'sent in one message with what stands before it, as the protocol wants'],
};

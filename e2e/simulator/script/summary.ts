import type { Turn } from './types.ts';

/** Length of a compaction summary in characters, at most. It is fixed, so that runs can be compared. */
export const SUMMARY_CHARACTERS = 4000;

const LAST_REQUEST = 'Last request: ';
const ROUNDS_DONE = 'Rounds done since: ';

/**
 * The deterministic summary that compaction requests get: the start of every text that was typed, oldest first,
 * until the length is used up, and how far the last one got. It simulates the mechanism of compaction, not a model's
 * judgement.
 */
export function extractiveSummary(turn: Turn): string {
  const typed = turn.typed.filter((text) => text.trim() !== '');
  const last = turn.prompt.replace(/\s+/g, ' ').trim().slice(0, 400);
  const tail = `\n${LAST_REQUEST}${last}\n${ROUNDS_DONE}${turn.round}`;
  const room = SUMMARY_CHARACTERS - tail.length;
  const share = Math.max(40, Math.floor(room / Math.max(1, typed.length)) - 8);
  const entries = typed.map(
    (text, index) => `${index + 1}. ${text.replace(/\s+/g, ' ').trim().slice(0, share)}`,
  );
  return ['The conversation so far, by what was asked:', ...entries].join('\n').slice(0, room) + tail;
}

/** What a summary tells of the request that was being worked on; `undefined` when the text holds no such summary. */
export function progressIn(text: string): { readonly prompt: string; readonly rounds: number } | undefined {
  const at = text.lastIndexOf(`\n${LAST_REQUEST}`);
  const match = at < 0 ? null : /^\nLast request: (.*)\nRounds done since: (\d+)/.exec(text.slice(at));
  return match === null ? undefined : { prompt: match[1] ?? '', rounds: Number(match[2]) };
}

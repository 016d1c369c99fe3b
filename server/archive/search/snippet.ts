import { isHigh, isLow } from './chunks.ts';
import type { Match, Passage } from './match.ts';

/** UTF-16 units of a snippet at most, and how many of them stand before its first match. */
export const SNIPPET = 320;
const BEFORE = 60;
/** How far the ends may move so that no word is cut. */
const SLACK = 24;

/** A part of a passage around what was looked for. */
export interface Snippet {
  readonly text: string;
  /** Ranges `[start, end)` of `text` in UTF-16 units, ascending, apart from each other. */
  readonly marks: readonly (readonly [number, number])[];
  /** Where in the passage the match begins that the snippet was made around, in UTF-16 units. */
  readonly begin: number;
}

/**
 * The snippet of a passage: around a phrase or literal where there is one, else where the words that are worth most stand
 * together. Without any match it is the beginning.
 * @param worth of each of the query's terms
 */
export function snippetOf({ text, matches, focus }: Passage, worth: readonly number[]): Snippet {
  const first = focus ?? bestStart(matches, worth);
  const begin = first?.start ?? 0;
  const from = beginAt(text, begin);
  const to = endAt(text, Math.min(text.length, from + SNIPPET), from);
  return { text: text.slice(from, to), marks: marksIn(matches, from, to), begin };
}

/** The match from which on a snippet's length holds the words that are worth most. */
function bestStart(matches: readonly Match[], worth: readonly number[]): Match | null {
  let best: Match | null = null;
  let most = -1;
  for (const [at, first] of matches.entries()) {
    const seen = new Set<number>();
    let sum = 0;
    for (let n = at; n < matches.length; n += 1) {
      const match = matches[n];
      if (match === undefined || match.end > first.start + SNIPPET - BEFORE - SLACK) break;
      if (!seen.has(match.term)) sum += worth[match.term] ?? 0;
      seen.add(match.term);
    }
    if (sum > most + 1e-9) {
      most = sum;
      best = first;
    }
  }
  return best;
}

function beginAt(text: string, match: number): number {
  const wanted = Math.max(0, match - BEFORE);
  if (wanted === 0) return 0;
  for (let at = wanted; at < Math.min(match, wanted + SLACK); at += 1)
    if (/\s/.test(text.charAt(at - 1))) return at;
  return isLow(text.charCodeAt(wanted)) && isHigh(text.charCodeAt(wanted - 1)) ? wanted + 1 : wanted;
}

function endAt(text: string, wanted: number, from: number): number {
  if (wanted >= text.length) return text.length;
  for (let at = wanted; at > Math.max(from, wanted - SLACK); at -= 1)
    if (/\s/.test(text.charAt(at))) return at;
  return isLow(text.charCodeAt(wanted)) && isHigh(text.charCodeAt(wanted - 1)) ? wanted - 1 : wanted;
}

/** The matches inside `[from, to)`, joined where they touch. One that is cut by an end is marked as far as it goes. */
function marksIn(
  matches: readonly Match[],
  from: number,
  to: number,
): readonly (readonly [number, number])[] {
  const marks: [number, number][] = [];
  for (const match of matches) {
    const start = Math.max(match.start, from) - from;
    const end = Math.min(match.end, to) - from;
    if (start >= end) continue;
    const last = marks.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else marks.push([start, end]);
  }
  return marks;
}

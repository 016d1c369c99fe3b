import { indexOfCharacter, PIECE, type TextRun } from './text-pieces.ts';

/** Where words stand in a text: the piece in which they begin, the UTF-16 index there, and how long they are. */
export interface Match {
  readonly piece: number;
  readonly at: number;
  readonly length: number;
}

/** A range of a text that is marked; `now`: it is the one that the reader stands at. */
export interface TextMark {
  readonly from: number;
  readonly to: number;
  readonly now: boolean;
}

/** What is looked for: the words as they stand, case ignored. Null: nothing. */
export function patternOf(words: string): RegExp | null {
  if (words.trim() === '') return null;
  return new RegExp(words.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'), 'giu');
}

/**
 * Matches that begin in a piece, also those that end in the next.
 * @param following the beginning of the next piece, at least as long as the words
 */
export function matchesIn(piece: number, text: string, following: string, words: string): readonly Match[] {
  const pattern = patternOf(words);
  if (pattern === null) return [];
  const matches: Match[] = [];
  for (const found of (text + following).matchAll(pattern)) {
    if (found.index >= text.length) break;
    matches.push({ piece, at: found.index, length: found[0].length });
  }
  return matches;
}

/** The matches that stand in a run as ranges of its text. `now` is the number of the match that is stood at. */
export function marksOf(run: TextRun, matches: readonly Match[], now: number): readonly TextMark[] {
  const last = run.first + run.starts.length;
  const marks: TextMark[] = [];
  for (const [number, match] of matches.entries()) {
    if (match.piece < run.first || match.piece >= last) continue;
    const from = (run.starts[match.piece - run.first] ?? 0) + match.at;
    marks.push({ from, to: from + match.length, now: number === now });
  }
  return marks;
}

/** The marks that touch a range, moved to count from its beginning and cut at its edges. */
export function marksWithin(marks: readonly TextMark[], from: number, to: number): readonly TextMark[] {
  const within: TextMark[] = [];
  for (let at = firstEndingAfter(marks, from); at < marks.length; at += 1) {
    const mark = marks[at];
    if (mark === undefined || mark.from >= to) break;
    within.push({ from: Math.max(0, mark.from - from), to: Math.min(to, mark.to) - from, now: mark.now });
  }
  return within;
}

function firstEndingAfter(marks: readonly TextMark[], from: number): number {
  let low = 0;
  let high = marks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((marks[middle]?.to ?? 0) <= from) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Where a character stands: its piece, and the index in that piece's text once this is known (else 0). */
export function placeOf(offset: number, pieces: ReadonlyMap<number, string>): { piece: number; at: number } {
  const piece = Math.floor(offset / PIECE);
  const text = pieces.get(piece);
  return { piece, at: text === undefined ? 0 : indexOfCharacter(text, offset - piece * PIECE) };
}

/** Number of the first match at a place or behind it; the last one where there is none behind; -1 without matches. */
export function matchFrom(matches: readonly Match[], place: { piece: number; at: number }): number {
  const found = matches.findIndex(
    (match) => match.piece > place.piece || (match.piece === place.piece && match.at >= place.at),
  );
  return found < 0 ? matches.length - 1 : found;
}

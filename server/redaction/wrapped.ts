import { findByPattern, findInTurns, tokenPatterns } from './patterns.ts';
import type { Finding } from './types.ts';

/** A line break with what a file reader puts before the next line (`   12→`, `12\t`, `12:`), between two token letters. */
const seam = /(?<=[A-Za-z0-9_+/=-])\r?\n(?:[ \t]{0,8}\d{1,7}[→\t:|][ \t]?)?(?=[A-Za-z0-9_+/=-])/g;

/**
 * Tokens that a terminal or a file reader broke over lines. The text is joined at its line breaks and looked at
 * again; only what lies across a join counts, the rest was seen already.
 */
export async function findWrapped(text: string): Promise<Finding[]> {
  const joins: Join[] = [];
  let shift = 0;
  const pieces: string[] = [];
  let from = 0;
  for (const match of text.matchAll(seam)) {
    pieces.push(text.slice(from, match.index));
    from = match.index + match[0].length;
    shift += match[0].length;
    joins.push({ joined: from - shift, shift });
  }
  if (joins.length === 0) return [];
  pieces.push(text.slice(from));
  const joined = pieces.join('');
  const findings: Finding[] = [];
  for (const { start, end: longest, type } of await findInTurns(joined, tokenPatterns)) {
    const end = endOfToken(joined, joins, start, longest);
    const first = shiftAt(joins, start);
    const last = shiftAt(joins, end - 1);
    if (first !== last) findings.push({ start: start + first, end: end + last, type });
  }
  return findings;
}

/**
 * Where a joined token really ends: at the first line end at which it is whole, and further only while the next line
 * goes on like a token. Without this a token at a line's end would swallow the word that begins the next line.
 */
function endOfToken(joined: string, joins: readonly Join[], start: number, longest: number): number {
  const ends = joins
    .filter((join) => join.joined > start && join.joined < longest)
    .map((join) => join.joined);
  ends.push(longest);
  let end = longest;
  for (const [index, candidate] of ends.entries()) {
    if (!findByPattern(joined.slice(start, candidate), tokenPatterns).some((one) => one.start === 0))
      continue;
    end = candidate;
    const piece = joined.slice(candidate, ends[index + 1] ?? candidate);
    if (!(piece.length >= 8 && /[A-Za-z]/.test(piece) && /[0-9]/.test(piece))) break;
  }
  return end;
}

interface Join {
  /** Position in the joined text of the first character behind the join. */
  readonly joined: number;
  /** Characters taken out up to there. */
  readonly shift: number;
}

/** How many characters were taken out before position `at` of the joined text. */
function shiftAt(joins: readonly Join[], at: number): number {
  let low = 0;
  let high = joins.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((joins[middle]?.joined ?? Infinity) <= at) low = middle + 1;
    else high = middle;
  }
  return joins[low - 1]?.shift ?? 0;
}

/** A stretch of a text, `[start, end)` in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A sentence where it stands. */
export interface Sentence extends Span {
  readonly text: string;
}

/** Longest sentence that is looked at, in UTF-16 units: rules are for what is said in a breath. */
const LONGEST = 400;
/** From so many lines on a text is taken for something pasted; only its first and last lines are a person's. */
const PASTED_LINES = 60;
const OWN_LINES = 5;
/** Longest text that is looked at, in UTF-16 units. */
const LONGEST_TEXT = 200_000;

/**
 * The sentences of a typed text that say something in the person's own words: no questions, no code, no quoted lines, no
 * blocks in tags (reminders, output of commands), nothing that Context Mode put there.
 */
export function sentencesIn(text: string): readonly Sentence[] {
  if (text.length > LONGEST_TEXT) return [];
  return ownLines(withoutBlocks(text)).flatMap(({ start, end }) => sentencesOfLine(text, start, end));
}

/** The text with a blank for each character of what is not the person's own, so that places stay. */
function withoutBlocks(text: string): string {
  let left = text;
  for (const block of BLOCKS) left = left.replace(block, (found) => found.replace(/[^\n]/g, ' '));
  return left;
}

const BLOCKS: readonly RegExp[] = [
  // What we put before a model stands to the end of its text.
  /\[Context Mode, generated[\s\S]*$/g,
  /```[\s\S]*?(?:```|$)/g,
  /~~~[\s\S]*?(?:~~~|$)/g,
  /<([a-z][\w-]*)(?:\s[^<>]{0,200})?>[\s\S]*?<\/\1>/gi,
  // A block that was cut off.
  /<(?:system-reminder|environment_context|local-command-stdout|command-message)>[\s\S]*$/gi,
  /^[ \t]*[>|].*$/gm,
  /^(?: {4,}|\t).*$/gm,
];

function ownLines(text: string): readonly Span[] {
  const lines: Span[] = [];
  for (const { index, 0: line } of text.matchAll(/[^\n]+/g)) {
    if (line.trim() !== '') lines.push({ start: index, end: index + line.length });
  }
  if (lines.length <= PASTED_LINES) return lines;
  return [...lines.slice(0, OWN_LINES), ...lines.slice(-OWN_LINES)];
}

/** An end of a sentence: a mark with a blank or nothing behind it, and no abbreviation before it. */
const END = /(?<!\b(?:e\.g|i\.e|etc|vs|approx|no|mr|mrs|dr|st))[.!?]+(?=\s|$)/gi;
const BULLET = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/;

function sentencesOfLine(text: string, start: number, end: number): readonly Sentence[] {
  const bullet = BULLET.exec(text.slice(start, end))?.[0].length ?? 0;
  const line = text.slice(start + bullet, end);
  const found: Sentence[] = [];
  let from = 0;
  const take = (to: number, mark: string): void => {
    const words = line.slice(from, to);
    const at = start + bullet + from + (words.length - words.trimStart().length);
    const trimmed = words.trim();
    if (trimmed !== '' && trimmed.length <= LONGEST && !mark.includes('?') && !trimmed.includes('?'))
      found.push({ text: trimmed, start: at, end: at + trimmed.length });
    from = to + mark.length;
  };
  for (const { index, 0: mark } of line.matchAll(END)) if (!isInCode(line, index)) take(index, mark);
  take(line.length, '');
  return found;
}

/** True behind an odd number of backticks. */
function isInCode(line: string, at: number): boolean {
  let count = 0;
  for (let index = line.indexOf('`'); index >= 0 && index < at; index = line.indexOf('`', index + 1))
    count += 1;
  return count % 2 === 1;
}

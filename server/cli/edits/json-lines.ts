/**
 * JSON strings that hold lines of their own (`Name: value`, as HTTP headers): one line is put in or taken out, every
 * other character stays as it is written.
 */

/** A line of a written string: its text, and where it stands between the quotes. */
interface Line {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The part of a written string that gives way: offsets between its quotes, and what comes there, written. */
export interface LineEdit {
  readonly start: number;
  readonly end: number;
  readonly written: string;
}

/** One character of a written string, escaped or not; a line ending of two is one. */
const CHARACTER = /(?:\\r|\\u000d)(?:\\n|\\u000a)|\\u[0-9a-f]{4}|\\.|./gis;
const NEWLINE = /(?:\\n|\\u000a)$/i;

/**
 * The edit that puts a line in: in the place of the last line of its name, else behind all others.
 * @param inside what is written between the quotes of the string
 * @returns null where the line stands there already
 */
export function putLine(inside: string, line: string): LineEdit | null {
  const lines = linesOf(inside);
  const same = lines.findLast(({ text }) => nameOf(text) === nameOf(line));
  if (same?.text === line) return null;
  const written = escaped(line);
  if (same) return { start: same.start, end: same.end, written };
  const at = inside.length;
  const last = lines.at(-1)?.text ?? '';
  if (last !== '') return { start: at, end: at, written: `\\n${written}` };
  return { start: at, end: at, written: inside === '' ? written : `${written}\\n` };
}

/**
 * The edit that takes a line out with one line ending, or puts another one in its place.
 * @param instead what stood there before; empty: nothing
 * @returns null where the line does not stand there
 */
export function takeLine(inside: string, line: string, instead: string): LineEdit | null {
  const lines = linesOf(inside);
  const at = lines.findLastIndex(({ text }) => text === line);
  const found = lines[at];
  if (found === undefined) return null;
  const { start, end } = found;
  if (instead !== '') return { start, end, written: escaped(instead) };
  const next = lines[at + 1];
  if (next) return { start, end: next.start, written: '' };
  return { start: lines[at - 1]?.end ?? start, end, written: '' };
}

/** The last line of a value that has the name of a given one, or null. */
export function lineNamedAs(value: string, line: string): string | null {
  return value.split(/\r?\n/).findLast((text) => nameOf(text) === nameOf(line)) ?? null;
}

function nameOf(line: string): string {
  return (line.split(':', 1)[0] ?? '').trim().toLowerCase();
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function linesOf(inside: string): Line[] {
  const lines: Line[] = [];
  let start = 0;
  const close = (end: number) => {
    lines.push({ text: String(JSON.parse(`"${inside.slice(start, end)}"`)), start, end });
  };
  for (const match of inside.matchAll(CHARACTER)) {
    if (!NEWLINE.test(match[0])) continue;
    close(match.index);
    start = match.index + match[0].length;
  }
  close(inside.length);
  return lines;
}

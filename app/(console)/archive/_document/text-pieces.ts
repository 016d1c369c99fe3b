/** Characters (code points) of one piece, in which long texts are asked for. */
export const PIECE = 200_000;
/** Bytes up to which a text is loaded whole; of a longer one its first and last piece, and what is asked for. */
export const WHOLE_BYTES = 2_000_000;

/** Pieces of a text that follow each other without a gap. */
export interface TextRun {
  /** Number of its first piece; the text's own first is 0. */
  readonly first: number;
  /** Index in `text` at which each of its pieces begins. */
  readonly starts: readonly number[];
  readonly text: string;
}

/** Lines that are drawn together, or pieces that are not loaded. */
export type Block =
  | {
      readonly shape: 'lines';
      readonly run: TextRun;
      /** Range `[from, to)` of the run's text. */
      readonly from: number;
      readonly to: number;
      /** Number of the line that the block begins in; null where the lines before it are not known. */
      readonly line: number | null;
      /** Rows that the block takes on the screen, by a guess. */
      readonly rows: number;
    }
  | { readonly shape: 'gap'; readonly first: number; readonly last: number };

/** A line, or a part of one that is too long to be drawn at once. */
export interface Segment {
  /** Range `[from, to)` without the line's end. */
  readonly from: number;
  readonly to: number;
  /** True where a line begins here. */
  readonly begins: boolean;
  /** Where the next segment begins. */
  readonly next: number;
}

/** UTF-16 units that are drawn in one go at most. */
const LONGEST = 2000;
/** Lines and units of one block at most. */
const BLOCK_LINES = 40;
const BLOCK_UNITS = 6000;
/** Letters that are guessed to stand in one row. */
const ROW_LETTERS = 90;

/** How many pieces a text of so many characters has; at least one. */
export function pieceCount(characters: number): number {
  return Math.max(1, Math.ceil(characters / PIECE));
}

/** The pieces that are known, those that follow each other joined. */
export function runsOf(pieces: ReadonlyMap<number, string>): readonly TextRun[] {
  const runs: { first: number; starts: number[]; texts: string[]; units: number }[] = [];
  for (const [number, text] of [...pieces].sort(([a], [b]) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && last.first + last.starts.length === number) {
      last.starts.push(last.units);
      last.texts.push(text);
      last.units += text.length;
    } else runs.push({ first: number, starts: [0], texts: [text], units: text.length });
  }
  return runs.map(({ first, starts, texts }) => ({ first, starts, text: texts.join('') }));
}

/** Everything of a text of `count` pieces in order: what is loaded as blocks of lines, the rest as gaps. */
export function blocksOf(runs: readonly TextRun[], count: number): readonly Block[] {
  const blocks: Block[] = [];
  let next = 0;
  for (const run of runs) {
    if (run.first > next) blocks.push({ shape: 'gap', first: next, last: run.first - 1 });
    pushLines(blocks, run);
    next = run.first + run.starts.length;
  }
  if (next < count) blocks.push({ shape: 'gap', first: next, last: count - 1 });
  return blocks;
}

function pushLines(blocks: Block[], run: TextRun): void {
  let line = run.first === 0 ? 0 : null;
  let begun: { from: number; line: number | null; lines: number; rows: number } | null = null;
  for (const segment of segmentsOf(run.text, 0, run.text.length, true)) {
    if (segment.begins && line !== null) line += 1;
    begun ??= { from: segment.from, line, lines: 0, rows: 0 };
    begun.lines += 1;
    begun.rows += Math.max(1, Math.ceil((segment.to - segment.from) / ROW_LETTERS));
    if (begun.lines < BLOCK_LINES && segment.next - begun.from < BLOCK_UNITS) continue;
    blocks.push({
      shape: 'lines',
      run,
      from: begun.from,
      to: segment.next,
      line: begun.line,
      rows: begun.rows,
    });
    begun = null;
  }
  if (begun === null) return;
  const { from, rows } = begun;
  blocks.push({ shape: 'lines', run, from, to: run.text.length, line: begun.line, rows });
}

/**
 * The segments of a range that begins where a segment begins. No segment ends inside a character.
 * @param begins whether a line begins at `from`
 */
export function* segmentsOf(text: string, from: number, to: number, begins: boolean): Generator<Segment> {
  let at = from;
  let isBegin = begins;
  let lineEnd = -1;
  while (at < to) {
    if (lineEnd < at) {
      const found = text.indexOf('\n', at);
      lineEnd = found < 0 || found >= to ? to : found;
    }
    if (lineEnd - at <= LONGEST) {
      const next = Math.min(to, lineEnd + 1);
      yield { from: at, to: lineEnd, begins: isBegin, next };
      at = next;
      isBegin = true;
      continue;
    }
    const end = at + LONGEST - (isHighSurrogate(text, at + LONGEST - 1) ? 1 : 0);
    yield { from: at, to: end, begins: isBegin, next: end };
    at = end;
    isBegin = false;
  }
}

/** True where a block begins with the beginning of a line. */
export function beginsLine(run: TextRun, from: number): boolean {
  return from === 0 || run.text.charCodeAt(from - 1) === 10;
}

function isHighSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800;
}

/** The index behind `count` characters of a text. */
export function indexOfCharacter(text: string, count: number): number {
  let at = 0;
  for (let left = count; left > 0 && at < text.length; left -= 1) {
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return at;
}

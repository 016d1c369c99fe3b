import type { DocId } from '../conversation/index.ts';
import type { AnswerEntry, CallEntry, IndexEntry, TypedEntry } from './index-entries.ts';

/** Code points of a call's input, and of an assistant's text, that a line shows. */
const INPUT_POINTS = 160;
const ANSWER_POINTS = 200;
/** Code points that are left of a typed line in the last resort. */
const TYPED_POINTS = 200;

/** A part of a line: text of ours, or a range (UTF-16 units) of what a person typed in a document, with its words. */
export type LinePart = string | TypedRange;

/** Words that a person typed. */
export interface TypedRange {
  readonly docid: DocId;
  readonly start: number;
  readonly words: string;
}

/** The line of an entry: whole, as it stands in an index within its budget. */
export function lineOf(entry: IndexEntry, timeOf: (at: number) => string): readonly LinePart[] {
  switch (entry.kind) {
    case 'typed':
      return [`${timeOf(entry.at)} user: `, { docid: entry.docid, start: 0, words: entry.text }];
    case 'media':
      return [`${timeOf(entry.at)} user: [${entry.mime}] (${entry.docid})`];
    case 'call':
      return [callLine(entry)];
    case 'answer':
      return [answerLine(entry)];
  }
}

/** A typed line that was cut, and says so. */
export function cutTypedLine({ text, docid }: TypedEntry, at: string): readonly LinePart[] {
  const words = firstPoints(text, TYPED_POINTS);
  return [`${at} user: `, { docid, start: 0, words }, `… [cut; whole: ${docid}]`];
}

/**
 * A paste that was folded to its beginning and end, and says so.
 * @param ends its first and last words, and the estimated tokens between them
 */
export function foldedPasteLine(
  { text, docid }: TypedEntry,
  at: string,
  { first, last, leftOut }: { readonly first: string; readonly last: string; readonly leftOut: number },
): readonly LinePart[] {
  return [
    `${at} user: `,
    { docid, start: 0, words: first },
    `\n[… about ${leftOut} tokens left out here; whole: ${docid} …]\n`,
    { docid, start: text.length - last.length, words: last },
  ];
}

/** A turn's calls and answers in one line: how many, with which tools, first and last docid. */
export function foldedTurnLine(entries: readonly (CallEntry | AnswerEntry)[]): string {
  const tools = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind === 'call') tools.set(entry.tool, (tools.get(entry.tool) ?? 0) + 1);
  }
  const answers = entries.filter((entry) => entry.kind === 'answer').length;
  const calls = entries.length - answers;
  const parts = [
    ...(calls === 0 ? [] : [`${counted(calls, 'call')} (${toolList(tools)})`]),
    ...(answers === 0 ? [] : [counted(answers, 'answer')]),
  ];
  const [first, last] = [entries[0]?.docid ?? '', entries.at(-1)?.docid ?? ''];
  return `· ${parts.join(', ')}: ${first === last ? first : `${first} to ${last}`}`;
}

function callLine(entry: CallEntry): string {
  const shown = entry.mainInput === null ? '' : oneLine(entry.mainInput, INPUT_POINTS);
  const input = shown === '' ? '' : entry.bare ? ` ${shown}` : ` "${shown}"`;
  const line = `→ ${entry.tool}${input}${entry.failed ? ' failed' : ''} (${entry.docid})`;
  if (entry.result === null) return line;
  return `${line}\n← ${entry.tool}: ${oneLine(entry.result, ANSWER_POINTS)} (${entry.docid})`;
}

function answerLine(entry: AnswerEntry): string {
  return `← assistant: ${oneLine(entry.text, ANSWER_POINTS)} (${entry.docid})`;
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** Most used first; equally often used ones by name, so that the order is the same everywhere. */
function toolList(tools: ReadonlyMap<string, number>): string {
  return [...tools]
    .sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1))
    .map(([tool, count]) => `${tool} ${count}`)
    .join(', ');
}

/** A text on one line: runs of blanks and control characters become one space, the rest is cut with an ellipsis. */
function oneLine(text: string, points: number): string {
  // A bound before the work: a cut text needs no more of it than this, whatever it is made of.
  const bounded = text.slice(0, points * 8);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not reach the line
  const flat = bounded.replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  const cut = firstPoints(flat, points);
  return cut.length < flat.length || bounded.length < text.length ? `${cut}…` : cut;
}

/** The first code points of a text; a surrogate pair is never parted. */
export function firstPoints(text: string, points: number): string {
  let at = 0;
  for (let count = 0; count < points && at < text.length; count += 1) at += widthAt(text, at);
  return text.slice(0, at);
}

function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

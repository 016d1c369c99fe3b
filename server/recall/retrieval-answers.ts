import { firstWithin } from './text-ends.ts';

/** A place that a search found. */
export interface FoundPlace {
  readonly docid: string;
  /** `user`, `assistant`, or the tool whose result it is. */
  readonly who: string;
  readonly at: number;
  /** Character at which the match begins. */
  readonly offset: number;
  readonly snippet: string;
  /** The session's title where it is another one than the asking; null: it is the same. */
  readonly elsewhere: string | null;
}

/** A document that is read back. */
export interface ReadDocument {
  readonly docid: string;
  readonly who: string;
  readonly at: number;
  /** A tool call's input as JSON text; null for other kinds. */
  readonly input: string | null;
  /** The text from `offset`, as much of it as was read. Offsets and lengths are in characters (code points). */
  readonly text: string;
  readonly offset: number;
  readonly length: number;
  readonly masked: boolean;
  /** The newest later change of the file that it holds; null: none is known. */
  readonly changed: { readonly at: number; readonly docid: string } | null;
}

/** What answers are written with. */
export interface AnswerOptions {
  /** Estimated tokens that an answer may have. */
  readonly tokens: number;
  readonly estimate: (text: string) => number;
  /** `YYYY-MM-DD HH:MM` in the account's zone. */
  readonly timeOf: (at: number) => string;
  readonly now: number;
}

/**
 * The answer to a search: facts that fit, a line each, then each place on lines of its own, as many as there is room for. A
 * miss is final and says what else to try.
 */
export function searchAnswer(
  q: string,
  places: readonly FoundPlace[],
  notes: readonly string[],
  options: AnswerOptions,
  facts: readonly string[] = [],
): string {
  const known = facts.length === 0 ? [] : [FACTS, ...facts.map((fact) => `- ${fact}`), ''];
  if (places.length === 0) {
    const miss = `Nothing that was kept holds ${JSON.stringify(q)}. Asking again with the same words finds nothing either: try fewer or other words, a part of a name, or the words of the answer rather than of the question.`;
    return [...known, miss].join('\n');
  }
  const head = `${places.length === 1 ? 'One place' : `${places.length} places`}, the best first. Read one whole with {"docid": "…"}.`;
  const lines = [...known, head, ...notes];
  let tokens = options.estimate(lines.join('\n'));
  for (const [index, place] of places.entries()) {
    const block = placeLines(place, options);
    tokens += options.estimate(`\n${block}`);
    if (tokens > options.tokens && index > 0) {
      lines.push(`[${places.length - index} more left out: ask with more words.]`);
      break;
    }
    lines.push(block);
  }
  return lines.join('\n');
}

const FACTS = 'Facts that hold now, as they were stated:';

function placeLines(place: FoundPlace, { timeOf }: AnswerOptions): string {
  const where = place.elsewhere === null ? '' : `, in "${place.elsewhere}"`;
  const from = place.offset > 0 ? `, from character ${place.offset}` : '';
  return `${place.docid} (${place.who}, ${timeOf(place.at)}${where}${from})\n  ${place.snippet.replaceAll('\n', '\n  ')}`;
}

/** A document, as much of it as there is room for, and how to read on. */
export function documentAnswer(document: ReadDocument, options: AnswerOptions): string {
  const { docid, who, at, input, offset, length } = document;
  const front = [
    `${docid} (${who}, ${options.timeOf(at)})`,
    ...(document.changed === null ? [] : [changedLine(document.changed, options)]),
    ...(document.masked
      ? [
          'Secrets and addresses in it are masked: what stands in [masked:…] is not the real text. Read the file before you write it.',
        ]
      : []),
    ...(input === null || offset > 0 ? [] : [`input: ${firstWithin(input, INPUT_TOKENS, options.estimate)}`]),
  ].join('\n');
  const room = Math.max(MIN_TEXT_TOKENS, options.tokens - options.estimate(front) - LINE_TOKENS);
  const text = firstWithin(document.text, room, options.estimate);
  const end = offset + pointsOf(text);
  const on =
    end < length
      ? `\n[characters ${offset} to ${end} of ${length}; read on with {"docid": "${docid}", "offset": ${end}}]`
      : '';
  return `${front}\n\n${text}${on}`;
}

function pointsOf(text: string): number {
  let points = 0;
  for (const _ of text) points += 1;
  return points;
}

/** Tokens of a call's input that are shown, of the text at least, and of the line that says how to read on. */
const INPUT_TOKENS = 1_000;
const MIN_TEXT_TOKENS = 500;
const LINE_TOKENS = 60;

/** `changed at 14:02, newer: …`, with the date when it is not today's. */
function changedLine(
  changed: { readonly at: number; readonly docid: string },
  { timeOf, now }: AnswerOptions,
): string {
  const [day, time] = timeOf(changed.at).split(' ');
  const today = timeOf(now).split(' ')[0];
  return `The file was changed at ${day === today ? time : `${day} ${time}`}, newer: ${changed.docid}`;
}

/** The answer to an id that nothing has. */
export function missingAnswer(docid: string): string {
  return `Nothing is kept under ${JSON.stringify(docid)}. Ids stand in the index and in the answers to {"q": "…"}; search for words of it instead.`;
}

/** The answer to a beginning that several ids have. */
export function ambiguousAnswer(docid: string, candidates: readonly string[]): string {
  return `Several ids begin with ${JSON.stringify(docid)}: ${candidates.join(', ')}. Give one of them whole.`;
}

/** The answer where the archive did not answer in time. */
export const LATE_ANSWER = 'The archive did not answer in time. Try once more.';

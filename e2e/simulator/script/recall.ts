import type { Json, JsonObject } from '../json.ts';
import type { Part, Turn } from './types.ts';

/**
 * A question that is answered only from text that the model was sent or fetched in this request. `form` is a regular
 * expression of the asked value (its first group, or the whole match).
 *
 * 1. A line of the prompt that holds the form and at least `shared` words of the question is answered from at once.
 * 2. Else `tool` is called: `by: 'q'` with words of the question and nothing else, `by: 'docid'` with a docid that
 *    stands in the prompt, taken from the line that shares most words with the question.
 * 3. From what the call gave, the first line that holds the form is taken. Nothing else is looked at.
 * 4. Without a hit the tool is called again up to `tries` times in all, each time with fewer words or the next docid;
 *    then `otherwise` is said.
 */
export type RecallStep = {
  readonly recall: {
    readonly tool: string;
    readonly namespace?: string;
    readonly form: string;
    readonly by: 'q' | 'docid';
    /** What a docid looks like; {@link DOCID_FORM} if left out. */
    readonly docidForm?: string;
    /** Words that a line of the prompt must share with the question; 3 if left out. 0 never answers from the prompt. */
    readonly shared?: number;
    /** Calls at most; 1 if left out. */
    readonly tries?: number;
    /** What is said around the value, in the place of `{{value}}`; the value alone if left out. */
    readonly say?: string;
    /** What is said without a hit; "I do not know." if left out. */
    readonly otherwise?: string;
  };
};

/** How docids look: a name, a kind and hexadecimal digits, such as `context-mode-msg-3f2a90`. */
export const DOCID_FORM = '\\b[a-z][a-z-]*-[a-z]+-[0-9a-f]{4,}\\b';

/** Words that a query leaves out; they stand in every text. */
const COMMON = new Set(
  'a an and are as at be been by can did do does for from had has have how i in is it its me my of on or our say said tell that the their then there this to us was we were what when where which who why will with you your'.split(
    ' ',
  ),
);

/** What the model does next: one call, or the answer. */
export function recallPart(step: RecallStep, turn: Turn): Part {
  const { form, shared = 3, tries = 1, say = '{{value}}', otherwise = 'I do not know.' } = step.recall;
  const text = (value: string): Part => ({ kind: 'text', chunks: [value] });
  const fetched = turn.results.at(-1)?.map((result) => result.text) ?? [];
  const calls = turn.results.length;
  const value =
    calls > 0
      ? firstValue(fetched.join('\n').split('\n'), form)
      : shared === 0
        ? undefined
        : firstValue(nearest(promptLines(turn), turn.prompt, shared), form);
  if (value !== undefined) return text(say.replaceAll('{{value}}', value));
  const input = calls < tries ? inputOf(step, turn, calls) : undefined;
  return input === undefined ? text(otherwise) : callOf(step, turn, input);
}

/** The words of a question that a query is made of, in their order, each once. */
export function queryWords(question: string): string[] {
  const words = question.match(/[\p{L}\p{N}][\p{L}\p{N}._/-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu) ?? [];
  return [...new Set(words.filter((word) => !COMMON.has(word.toLowerCase())))];
}

/** Each further call drops the last word, or takes the next docid; `undefined` when there is none left. */
function inputOf({ recall }: RecallStep, turn: Turn, calls: number): JsonObject | undefined {
  if (recall.by === 'q') {
    const words = queryWords(turn.prompt);
    const kept = words.slice(0, words.length - calls);
    return kept.length === 0 ? undefined : { q: kept.join(' ') };
  }
  const pattern = new RegExp(recall.docidForm ?? DOCID_FORM, 'gu');
  const lines = nearest(promptLines(turn), turn.prompt, 0);
  const docids = [...new Set(lines.flatMap((line) => line.match(pattern) ?? []))];
  const docid = docids[calls];
  return docid === undefined ? undefined : { docid };
}

function callOf({ recall }: RecallStep, turn: Turn, input: JsonObject): Part {
  const offered = turn.tools.find((tool) => tool.name === recall.tool);
  const custom = offered?.kind === 'custom';
  const sent: Json = custom ? JSON.stringify(input) : input;
  return {
    kind: 'call',
    name: recall.tool,
    namespace: recall.namespace ?? offered?.namespace,
    id: undefined,
    input: sent,
    custom,
  };
}

/** The lines of the prompt without the question itself, wherever it stands. */
function promptLines(turn: Turn): string[] {
  const asked = new Set(turn.prompt.split('\n').map((line) => line.trim()));
  return turn
    .text()
    .split('\n')
    .filter((line) => !asked.has(line.trim()));
}

/** Lines by how many words they share with the question, most first, later lines before earlier ones. */
function nearest(lines: readonly string[], question: string, least: number): string[] {
  const words = queryWords(question).map((word) => word.toLowerCase());
  return lines
    .map((line, at) => {
      const lower = line.toLowerCase();
      return { line, at, shared: words.filter((word) => lower.includes(word)).length };
    })
    .filter(({ shared }) => shared >= least)
    .sort((one, other) => other.shared - one.shared || other.at - one.at)
    .map(({ line }) => line);
}

function firstValue(lines: readonly string[], form: string): string | undefined {
  const pattern = new RegExp(form, 'u');
  for (const line of lines) {
    const match = pattern.exec(line);
    if (match !== null) return match[1] ?? match[0];
  }
  return undefined;
}

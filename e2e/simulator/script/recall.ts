import type { Json, JsonObject } from '../json.ts';
import type { Part, RecallStep, Turn } from './types.ts';

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

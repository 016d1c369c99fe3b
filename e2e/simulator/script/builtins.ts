import { extractiveSummary } from './summary.ts';
import type { Round, Turn } from './types.ts';

/** A built-in answer with the name that the log shows. */
export type BuiltinAnswer = { readonly name: string; readonly round: Round };

/** The answers to the requests that agents send on their own; `undefined` for conversation turns. */
export function sideAnswer(turn: Turn): BuiltinAnswer | undefined {
  switch (turn.kind) {
    case 'title':
      return { name: 'builtin:title', round: { steps: [{ say: JSON.stringify({ title: titleOf(turn) }) }] } };
    case 'compaction':
      return { name: 'builtin:compaction', round: { steps: [{ say: compactionText(turn) }] } };
    case 'web-search':
      return {
        name: 'builtin:web-search',
        round: { steps: [{ say: `No results were found for: ${excerpt(turn.prompt)}` }] },
      };
    case 'suggestion':
      return { name: 'builtin:suggestion', round: { steps: [{ say: 'run the tests' }] } };
    case 'prewarm':
      return { name: 'builtin:prewarm', round: { steps: [] } };
    default:
      return undefined;
  }
}

/** The answer to a prompt that no scenario knows: a short echo of it. */
export function echoAnswer(turn: Turn): BuiltinAnswer {
  const results = turn.results.at(-1)?.length ?? 0;
  const say = results === 0 ? `You said: ${excerpt(turn.prompt)}` : `Done after ${results} tool results.`;
  return { name: 'builtin:echo', round: { steps: [{ say }] } };
}

/** What is said when a scenario's rounds are used up but its last round called tools. */
export function closingAnswer(): BuiltinAnswer {
  return { name: 'builtin:closing', round: { steps: [{ say: 'Done.' }] } };
}

function titleOf(turn: Turn): string {
  const words = turn.prompt
    .replace(/<[^>]*>/g, ' ')
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 6);
  const title = words.join(' ').slice(0, 60);
  return title === '' ? 'Untitled' : title.charAt(0).toUpperCase() + title.slice(1);
}

function compactionText(turn: Turn): string {
  const summary = extractiveSummary(turn);
  if (turn.protocol === 'openai') return summary;
  return `<analysis>\nRead in order.\n</analysis>\n\n<summary>\n${summary}\n</summary>`;
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return Array.from(line).slice(0, 120).join('');
}

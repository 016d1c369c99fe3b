import type { Json, JsonObject } from '../json.ts';
import type { Turn } from './types.ts';

/**
 * Fills the placeholders of a script's text:
 * `{{prompt}}` the typed prompt, `{{cwd}}` the agent's working folder, `{{round}}` the round's number,
 * `{{result}}` the last round's tool results as text (joined by line breaks), `{{result.N}}` one of them from 0,
 * `{{N}}` the N-th group of the scenario's pattern. Unknown placeholders stay as they are.
 */
export function fill(text: string, turn: Turn, groups: readonly string[]): string {
  return text.replace(/\{\{([a-z]*)\.?(\d*)\}\}/g, (whole, word: string, number: string) => {
    if (word === '' && number !== '') return groups[Number(number)] ?? whole;
    if (word === 'prompt') return turn.prompt;
    if (word === 'cwd') return turn.cwd;
    if (word === 'round') return String(turn.round);
    if (word !== 'result') return whole;
    const last = turn.results.at(-1) ?? [];
    if (number !== '') return last[Number(number)]?.text ?? '';
    return last.map((result) => result.text).join('\n');
  });
}

/** Fills the placeholders in every string of a JSON value. */
export function fillJson(value: JsonObject, turn: Turn, groups: readonly string[]): JsonObject {
  const walk = (node: Json): Json => {
    if (typeof node === 'string') return fill(node, turn, groups);
    if (Array.isArray(node)) return node.map(walk);
    if (node === null || typeof node !== 'object') return node;
    return fillJson(node, turn, groups);
  };
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, member === undefined ? undefined : walk(member)]),
  );
}

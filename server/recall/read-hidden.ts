import type { ShownCall } from './read-types.ts';
import { RETRIEVAL_TOOL } from './retrieval-tool.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The calls of our tool in the record of a hidden round, each with its answer. The record holds JSON texts as they were
 * sent; which of its fields they stand in is its adapter's matter, so every text in it is looked at.
 */
export function callsOf(data: unknown): readonly ShownCall[] {
  const calls = new Map<string, string>();
  const results = new Map<string, string>();
  for (const part of partsIn(data)) {
    const { type, name } = part;
    if (type === 'tool_use' && name === RETRIEVAL_TOOL)
      calls.set(wordOf(part.id), JSON.stringify(part.input));
    if (type === 'function_call' && name === RETRIEVAL_TOOL)
      calls.set(wordOf(part.call_id), wordOf(part.arguments));
    if (type === 'tool_result') results.set(wordOf(part.tool_use_id), textOf(part.content));
    if (type === 'function_call_output') results.set(wordOf(part.call_id), textOf(part.output));
  }
  return [...calls].map(([id, input]) => ({ input, result: results.get(id) ?? null }));
}

/** Every object in a value, also in its JSON texts; what stands inside an object that is a part is not looked at. */
function partsIn(value: unknown): readonly Fields[] {
  if (typeof value === 'string') return /^\s*[[{]/.test(value) ? partsIn(parsed(value)) : [];
  if (Array.isArray(value)) return value.flatMap(partsIn);
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Fields;
  return typeof fields.type === 'string' && fields.type !== 'message'
    ? [fields]
    : Object.values(fields).flatMap(partsIn);
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? null : value;
  } catch {
    return null;
  }
}

/** The text of a result: a string, or the texts of its parts; other parts are named by their type. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return wordOf(content);
  return content.map((part: Fields) => wordOf(part.text) || `[${wordOf(part.type)}]`).join('\n');
}

function wordOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

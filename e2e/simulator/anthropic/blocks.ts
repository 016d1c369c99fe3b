import { asObjects, asString, type JsonObject } from '../json.ts';

/** A content block with its place in the body, such as `messages.3.content.0`. */
export type PlacedBlock = { readonly path: string; readonly block: JsonObject };

/** Consecutive messages of one role, which the provider reads as one message. */
export type RoleRun = {
  readonly role: string;
  /** Index of the run's first message. */
  readonly start: number;
  readonly blocks: readonly PlacedBlock[];
};

/** Content of a message as placed blocks; a string is one text block. */
export function placedBlocks(message: JsonObject, index: number): PlacedBlock[] {
  const text = asString(message.content);
  if (text !== undefined) return [{ path: `messages.${index}.content`, block: { type: 'text', text } }];
  return asObjects(message.content).map((block, at) => ({ path: `messages.${index}.content.${at}`, block }));
}

/** The messages as runs of one role. */
export function roleRuns(messages: readonly JsonObject[]): RoleRun[] {
  const runs: { role: string; start: number; blocks: PlacedBlock[] }[] = [];
  messages.forEach((message, index) => {
    const role = asString(message.role) ?? '';
    const last = runs.at(-1);
    const blocks = placedBlocks(message, index);
    if (last !== undefined && last.role === role && role !== 'system') last.blocks.push(...blocks);
    else runs.push({ role, start: index, blocks });
  });
  return runs;
}

/** True for results of tools that run on the provider's side, such as `web_search_tool_result`. */
export function isServerResult(block: JsonObject): boolean {
  const type = asString(block.type) ?? '';
  return type.endsWith('_tool_result') && block.tool_use_id !== undefined;
}

/** True for blocks that hold a model's thinking. */
export function isThinking(block: JsonObject): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

import { fieldsOf, type Slice, viewOf } from '../../conversation/index.ts';
import type { NotComposed, OlderPart } from '../compose/plan.ts';
import { type HeadText, headTexts, newestOfEach } from './head.ts';
import { type MessagePart, partsOfList, readParts } from './message-parts.ts';

/**
 * Parts of a conversation's past: they leave for the archive. Any other type is not known, or changes what the rest lives
 * by where only its own place will do, and forbids a layout.
 */
const PAST: ReadonlySet<string> = new Set([
  'text',
  'image',
  'document',
  'search_result',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'server_tool_use',
  'mcp_tool_use',
  'mcp_tool_result',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'advisor_tool_result',
  'container_upload',
  'fallback',
]);

/** Fields of a system message that say nothing to a model but its words. */
const SYSTEM_FIELDS: ReadonlySet<string> = new Set(['role', 'content']);

/**
 * What a layout keeps of the elements before a boundary: the agent's own head, and whole pairs of calls and results that
 * loaded deferred tools. A kind that nobody knows, or that cannot leave its place, gives its name: then there is no layout.
 */
export function olderMessages(
  body: Uint8Array,
  elements: readonly Slice[],
  at: number,
): OlderPart | NotComposed {
  const older = elements.slice(0, at);
  const stays = new Set<number>();
  const texts: HeadText[] = [];
  for (const [index, { start, end }] of older.entries()) {
    const element = viewOf(body.subarray(start, end));
    const message = readParts(element);
    if (message === null) return { unknown: 'a message that cannot be read' };
    const strange = message.parts.find(({ type }) => !PAST.has(type));
    if (strange !== undefined) return { unknown: strange.type };
    if (message.role === 'system') {
      const field = [...fieldsOf(element).keys()].find((name) => !SYSTEM_FIELDS.has(name));
      if (field !== undefined) return { unknown: `a system message with ${field}` };
    }
    texts.push(...headTexts(message));
    if (!message.parts.some(loadsTools)) continue;
    stays.add(index);
    // A result stays with its call, and a search that a server ran with the results of the calls beside it.
    if (message.role === 'user') stays.add(index - 1);
    else if (message.parts.some(({ type }) => type === 'tool_use')) stays.add(index + 1);
  }
  return {
    head: newestOfEach(texts),
    stays: [...stays].filter((index) => index >= 0 && index < at).sort((a, b) => a - b),
  };
}

/** True for a result that names tools which the model may call from then on. */
function loadsTools({ type, json, members }: MessagePart): boolean {
  const content = members.get('content');
  if (!type.endsWith('tool_result') || content === undefined) return false;
  const value = json.subarray(content.start, content.end);
  // A list of parts, or an object that holds one.
  const listed = value[0] === 0x7b ? fieldsOf(value).get('tool_references') : undefined;
  const list = listed === undefined ? value : value.subarray(listed.start, listed.end);
  return partsOfList(list).some((part) => part.type === 'tool_reference');
}

import { itemsOf, type JsonNode, member, stringMember } from '../../conversation/index.ts';
import type { EventSplice } from '../hidden/splice-event.ts';

/** The provider tells in a response which tools its request had: what takes ours out of that. None where it is not there. */
export function withoutOwnTool(response: JsonNode | undefined, tool: string): readonly EventSplice[] {
  const tools = itemsOf(member(response, 'tools'));
  const at = tools.findIndex((one) => stringMember(one, 'name') === tool);
  const own = tools[at];
  if (own === undefined) return [];
  const start = tools[at - 1]?.end ?? own.start;
  const end = at > 0 ? own.end : (tools[1]?.start ?? own.end);
  return [{ node: { ...own, start, end }, json: '' }];
}

import { fieldNamed, fieldsOf, type Scan } from '../../conversation/index.ts';
import type { AddedTool } from '../compose/changed.ts';

/**
 * Puts our tool last into `tools`, or before the client's last where that bears a cache mark, so that the mark still ends
 * the list. Null for a request without tools: it gets none.
 * @param scan of the body, with the entries of `tools`
 */
export function addToolToMessages(body: Uint8Array, scan: Scan, toolJson: string): AddedTool | null {
  const tools = fieldNamed(scan, 'tools')?.elements ?? [];
  const last = tools.at(-1);
  if (last === undefined) return null;
  const tool = body.subarray(last.start, last.end);
  const mark = fieldsOf(tool).get('cache_control');
  const isMarked = mark !== undefined && tool[mark.start] === 0x7b;
  return isMarked
    ? {
        edit: { start: last.start, end: last.start, insert: Buffer.from(`${toolJson},`) },
        named: { kind: 'tool-definition', index: tools.length - 1 },
      }
    : {
        edit: { start: last.end, end: last.end, insert: Buffer.from(`,${toolJson}`) },
        named: { kind: 'tool-definition', index: tools.length },
      };
}

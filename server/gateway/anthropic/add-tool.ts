import { fieldNamed, member, readJson, type Scan } from '../../conversation/index.ts';
import type { Edit } from '../splice.ts';
import type { Edit as NamedEdit } from '../validator/index.ts';

/** Our tool in a request: what changes in its bytes, and the name of the change for the validator. */
export interface AddedTool {
  readonly edit: Edit;
  readonly named: NamedEdit;
}

/**
 * Puts our tool last into `tools`, or before the client's last where that bears a cache mark, so that the mark still ends
 * the list. Null for a request without tools: it gets none.
 * @param scan of the body, with the entries of `tools`
 */
export function addToolToMessages(body: Uint8Array, scan: Scan, toolJson: string): AddedTool | null {
  const tools = fieldNamed(scan, 'tools')?.elements ?? [];
  const last = tools.at(-1);
  if (last === undefined) return null;
  const marked = member(readJson(body.subarray(last.start, last.end)) ?? undefined, 'cache_control');
  const isMarked = marked !== undefined && marked.type !== 'null';
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

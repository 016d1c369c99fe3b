import {
  fieldNamed,
  itemsOf,
  member,
  readJson,
  type Scan,
  type Slice,
  stringMember,
  viewOf,
} from '../../conversation/index.ts';
import type { Edit } from '../splice.ts';
import type { Edit as NamedEdit } from '../validator/index.ts';

/** Our tool in a request: what changes in its bytes, and the name of the change for the validator. */
export interface AddedTool {
  readonly edit: Edit;
  readonly named: NamedEdit;
}

/**
 * Puts our tool last into `tools`; where the client's tools come in an `additional_tools` item, last into the list of the
 * first of these, as a plain function beside the namespaces. Null for a request without tools: it gets none.
 * @param scan of the body, with the entries of `tools` and `input`
 */
export function addToolToResponses(body: Uint8Array, scan: Scan, toolJson: string): AddedTool | null {
  const tools = fieldNamed(scan, 'tools')?.elements ?? [];
  const last = tools.at(-1);
  if (last !== undefined) {
    return {
      edit: { start: last.end, end: last.end, insert: Buffer.from(`,${toolJson}`) },
      named: { kind: 'tool-definition', index: tools.length },
    };
  }
  const items = fieldNamed(scan, 'input')?.elements ?? [];
  for (const [item, slice] of items.entries()) {
    const added = addToItem(body, slice, item, toolJson);
    if (added !== null) return added;
  }
  return null;
}

function addToItem(body: Uint8Array, slice: Slice, item: number, toolJson: string): AddedTool | null {
  const element = viewOf(body.subarray(slice.start, slice.end));
  if (!element.includes('"additional_tools"')) return null;
  const node = readJson(element) ?? undefined;
  if (stringMember(node, 'type') !== 'additional_tools') return null;
  const tools = itemsOf(member(node, 'tools'));
  const last = tools.at(-1);
  if (last === undefined) return null;
  const at = slice.start + last.end;
  return {
    edit: { start: at, end: at, insert: Buffer.from(`,${toolJson}`) },
    named: { kind: 'tool-definition', index: tools.length, item },
  };
}

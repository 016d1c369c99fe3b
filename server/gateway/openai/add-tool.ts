import { entriesOf, fieldNamed, fieldsOf, type Scan, stringIn, viewOf } from '../../conversation/index.ts';
import type { AddedTool, Piece } from '../compose/changed.ts';

/** Puts our tool last into `tools`. Null for a request that has none there. @param scan of the body, with its entries */
export function addToolToResponses(scan: Scan, toolJson: string): AddedTool | null {
  const tools = fieldNamed(scan, 'tools')?.elements ?? [];
  const last = tools.at(-1);
  if (last === undefined) return null;
  return {
    edit: { start: last.end, end: last.end, insert: Buffer.from(`,${toolJson}`) },
    named: { kind: 'tool-definition', index: tools.length },
  };
}

/**
 * An `additional_tools` item with our tool last in its list, as a plain function beside the namespaces. Null for every
 * other item, and for one without tools.
 */
export function addToolToItem(item: Uint8Array, toolJson: string): Piece | null {
  const element = viewOf(item);
  if (!element.includes('"additional_tools"')) return null;
  const fields = fieldsOf(element);
  const list = fields.get('tools');
  if (stringIn(element, fields.get('type')) !== 'additional_tools' || list === undefined) return null;
  const tools = entriesOf(element.subarray(list.start, list.end));
  const last = tools.at(-1);
  if (last === undefined) return null;
  const at = list.start + last.end;
  const json = Buffer.concat([element.subarray(0, at), Buffer.from(`,${toolJson}`), element.subarray(at)]);
  return { json, edits: [{ kind: 'tool-definition', index: tools.length }] };
}

import { type Scan, type ScannedField, type Slice, scanBody, viewOf } from '../../conversation/index.ts';
import type { EditBook } from './edits.ts';
import type { Skim, SkimNode } from './skim.ts';
import { type Finding, finding, firstAmong } from './verdict.ts';

/** The client's body, read as far as keeping its bytes needs. */
export interface ClientBody {
  readonly bytes: Buffer;
  readonly fields: readonly ScannedField[];
  /** The entries of the list that is the conversation; a bare string is one entry. */
  readonly elements: readonly Slice[];
  /** The entries of `tools`; null: the client sent none. */
  readonly tools: readonly Slice[] | null;
}

/** Reads the client's body; `list` is the name of the conversation. A finding where it is not whole JSON. */
export function readClient(client: Uint8Array, list: 'messages' | 'input'): ClientBody | Finding {
  const scan: Scan | null = scanBody(client, new Set([list, 'tools']));
  if (scan === null || scan.fault !== null)
    return finding('kept', 'client:', "The client's body is not whole, so nothing of it can be kept.");
  const names = new Set(scan.fields.map((field) => field.name));
  if (names.size < scan.fields.length)
    return finding('kept', 'client:', "The client's body names a field twice.");
  const named = (name: string) => scan.fields.find((field) => field.name === name);
  const conversation = named(list);
  const bare = conversation?.kind === 'string' ? [conversation.value] : [];
  const tools = named('tools')?.elements ?? null;
  return {
    bytes: viewOf(client),
    fields: scan.fields,
    elements: conversation?.elements ?? bare,
    tools: tools !== null && tools.length > 0 ? tools : null,
  };
}

/** True where a value of the edited body is the client's, byte for byte. */
export function isSlice(doc: Skim, node: SkimNode, { bytes }: ClientBody, slice: Slice): boolean {
  const start = doc.start(node);
  const end = doc.end(node);
  return (
    end - start === slice.end - slice.start &&
    doc.bytes.compare(bytes, slice.start, slice.end, start, end) === 0
  );
}

/**
 * All fields are the client's, in its order: names and bytes. The conversation and the tools are looked at by
 * themselves, and `thinking` may have got its binding control where that edit is named.
 */
export function checkFields(
  doc: Skim,
  client: ClientBody,
  book: EditBook,
  list: 'messages' | 'input',
): Finding | null {
  const bindsThinking = book.meetKind('block-binding') >= 0;
  const members = doc.children(0);
  let at = 0;
  for (const member of members) {
    const name = doc.key(member);
    const field = client.fields[at];
    if (name === 'thinking' && bindsThinking) {
      const before = field?.name === 'thinking' ? field : null;
      if (before !== null) at++;
      if (!isBound(doc, member, client, before?.value ?? null))
        return finding('addition', '/thinking', 'More was changed than the binding control.');
      continue;
    }
    at++;
    if (field === undefined || field.name !== name)
      return finding('kept', `/${name}`, 'The field is not at its place in the client body.');
    const kind = doc.kind(member) === 'array' ? 'array' : 'other';
    if (
      (name === list || (name === 'tools' && client.tools !== null)) &&
      kind === 'array' &&
      field.kind === 'array'
    )
      continue;
    if (!isSlice(doc, member, client, field.value))
      return finding('kept', `/${name}`, "The field is not the client's, byte for byte.");
  }
  const missing = client.fields[at];
  return missing === undefined ? null : finding('kept', `client:/${missing.name}`, 'The field is missing.');
}

/** True where `thinking` is the client's with the binding control set to `drop_block`, or that alone. */
function isBound(doc: Skim, node: SkimNode, client: ClientBody, before: Slice | null): boolean {
  const control = doc.member(node, 'block_binding');
  if (doc.stringMember(control, 'prefix_mismatch_behavior') !== 'drop_block') return false;
  if (doc.children(control).length !== 1) return false;
  const rest = doc.children(node).filter((member) => doc.key(member) !== 'block_binding');
  if (before === null) return rest.length === 1 && doc.stringMember(node, 'type') === 'adaptive';
  const scan = scanBody(client.bytes.subarray(before.start, before.end), new Set());
  const kept = scan?.fields.filter((field) => field.name !== 'block_binding') ?? [];
  return (
    rest.length === kept.length &&
    rest.every((member, index) => {
      const field = kept[index];
      if (field === undefined || field.name !== doc.key(member)) return false;
      const { start, end } = field.value;
      return isSlice(doc, member, client, { start: before.start + start, end: before.start + end });
    })
  );
}

/** Where a list of tools stands, and what of it is the client's. */
export interface ToolList {
  readonly nodes: readonly SkimNode[];
  readonly slices: readonly Slice[];
  /** Position of the `additional_tools` item that the list is in; null: the body's own list. */
  readonly item: number | null;
  readonly where: string;
}

/** The tools are the client's in its order, with our definition where it is named: last, or before a marked last. */
export function checkToolList(
  doc: Skim,
  client: ClientBody,
  book: EditBook,
  ownTool: string | null,
  { nodes, slices, item, where }: ToolList,
): Finding | null {
  let at = 0;
  let owned = false;
  return (
    firstAmong(nodes, (node, index) => {
      const place = `${where}/${index}`;
      if (book.isOwnTool(item, index)) {
        if (owned) return finding('addition', place, 'Our tool is defined twice.');
        owned = true;
        return checkOwnTool(doc, node, ownTool, place, nodes.slice(index + 1));
      }
      const slice = slices[at++];
      if (slice === undefined || !isSlice(doc, node, client, slice))
        return finding('kept', place, "The tool is not the client's, byte for byte and at its place.");
      return null;
    }) ?? (at < slices.length ? finding('kept', `client:${where}/${at}`, 'The tool is missing.') : null)
  );
}

function checkOwnTool(
  doc: Skim,
  node: SkimNode,
  ownTool: string | null,
  where: string,
  behind: readonly SkimNode[],
): Finding | null {
  if (ownTool === null || doc.stringMember(node, 'name') !== ownTool)
    return finding('addition', where, 'Our definition does not bear the name of our tool.');
  if (doc.kind(doc.member(node, 'defer_loading')) === 'true' || doc.member(node, 'cache_control') !== null)
    return finding('addition', where, 'Our tool is neither deferred nor marked for the cache.');
  const [next] = behind;
  const marked = next !== undefined && doc.kind(doc.member(next, 'cache_control')) === 'object';
  return behind.length === 0 || (behind.length === 1 && marked)
    ? null
    : finding('addition', where, "Our tool stands last, or right before the client's marked last tool.");
}

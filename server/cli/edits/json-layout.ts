import type { Node } from 'jsonc-parser';
import { lineEndFrom, type Property, propertiesOf, skipTrivia } from './json-tree.ts';
import { lineEndingOf, type Splice } from './splice.ts';

/** A value to insert: written JSON, or the pairs (key, value) of a new object. */
export type Written = string | readonly (readonly [string, Written])[];

/**
 * Splices that add a property at the end of an object, in the layout that the object already has: own lines with
 * the indentation of the property before, or one line with its gaps. A comment behind the last property stays
 * beside it; a trailing comma stays a trailing comma.
 */
export function insertionOf(text: string, object: Node, key: string, value: Written): Splice[] {
  const last = propertiesOf(object).at(-1);
  return last ? insertBehind(text, object, last, key, value) : insertFirst(text, object, key, value);
}

/** Splices that take a property out with the comma that it needs and, if it has one to itself, its line. */
export function removalOf(text: string, object: Node, property: Property): Splice[] {
  const siblings = propertiesOf(object);
  const index = siblings.findIndex((sibling) => sibling.node.offset === property.node.offset);
  const start = property.node.offset;
  const end = start + property.node.length;
  const comma = commaBehind(text, end);
  const previous = siblings[index - 1];
  const splices: Splice[] = [];
  if (comma !== null) {
    splices.push(...blankOut(text, start, end, comma));
  } else {
    splices.push(...blankOut(text, start, end, null));
    const before = previous ? commaBehind(text, previous.node.offset + previous.node.length) : null;
    if (before !== null) splices.push({ at: before, removed: ',', inserted: '' });
  }
  return splices;
}

function insertBehind(text: string, object: Node, last: Property, key: string, value: Written): Splice[] {
  const end = last.node.offset + last.node.length;
  const comma = commaBehind(text, end);
  const indent = indentOf(text, object, last);
  const property = (own: string | null) => writtenProperty(text, object, key, value, own);
  if (indent === null) {
    const gap = gapBefore(text, last.node.offset);
    const inserted = comma === null ? `,${gap}${property(null)}` : `${gap}${property(null)},`;
    return [{ at: comma === null ? end : comma + 1, removed: '', inserted }];
  }
  const line = lineEndingOf(text) + indent + property(indent);
  const behind = behindComment(text, comma === null ? end : comma + 1);
  if (comma !== null) return [{ at: behind, removed: '', inserted: `${line},` }];
  if (behind === end) return [{ at: end, removed: '', inserted: `,${line}` }];
  return [
    { at: behind, removed: '', inserted: line },
    { at: end, removed: '', inserted: ',' },
  ];
}

function insertFirst(text: string, object: Node, key: string, value: Written): Splice[] {
  const at = object.offset + 1;
  const inside = text.slice(at, object.offset + object.length - 1);
  if (!text.includes('\n') && text.trim() !== '{}') {
    return [{ at, removed: '', inserted: writtenProperty(text, object, key, value, null) }];
  }
  const outer = leadingSpace(text, object.offset);
  const indent = outer + unitOf(text);
  const line = lineEndingOf(text) + indent + writtenProperty(text, object, key, value, indent);
  const closing = inside.includes('\n') ? '' : lineEndingOf(text) + outer;
  return [{ at, removed: '', inserted: line + closing }];
}

/** A property in text. `indent` is that of its line, or null in a document of one line. */
function writtenProperty(
  text: string,
  object: Node,
  key: string,
  value: Written,
  indent: string | null,
): string {
  const colon = colonOf(text, object);
  return JSON.stringify(key) + colon + writtenValue(text, colon, value, indent);
}

function writtenValue(text: string, colon: string, value: Written, indent: string | null): string {
  if (typeof value === 'string') return value;
  const deeper = indent === null ? null : indent + unitOf(text);
  const pairs = value.map(
    ([inner, written]) => JSON.stringify(inner) + colon + writtenValue(text, colon, written, deeper),
  );
  if (deeper === null) return `{${pairs.join(colon.endsWith(' ') ? ', ' : ',')}}`;
  const line = lineEndingOf(text);
  return `{${pairs.map((pair) => line + deeper + pair).join(',')}${line}${indent}}`;
}

/** The offset of the comma that follows (behind white space and comments), or null. */
function commaBehind(text: string, end: number): number | null {
  const at = skipTrivia(text, end);
  return text[at] === ',' ? at : null;
}

/** Takes out a property and its comma: the whole line where nothing else stands on it. */
function blankOut(text: string, start: number, end: number, comma: number | null): Splice[] {
  const adjacent = comma !== null && text.slice(end, comma).trim() === '';
  const stop = adjacent ? comma + 1 : end;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const lineEnd = lineEndFrom(text, stop);
  const alone = text.slice(lineStart, start).trim() === '' && text.slice(stop, lineEnd).trim() === '';
  const splices: Splice[] = [];
  if (comma !== null && !adjacent) splices.push({ at: comma, removed: ',', inserted: '' });
  if (alone && lineEnd < text.length && lineStart > 0) {
    const past = text.indexOf('\n', lineEnd) + 1;
    splices.push({ at: lineStart, removed: text.slice(lineStart, past), inserted: '' });
    return splices;
  }
  let from = start;
  if (comma === null) while (from > 0 && /[ \t]/.test(text[from - 1] ?? '')) from -= 1;
  let to = stop;
  if (comma !== null) while (/[ \t]/.test(text[to] ?? '')) to += 1;
  splices.push({ at: from, removed: text.slice(from, to), inserted: '' });
  return splices;
}

/** The offset behind a comment that stands on the same line, or the offset given. */
function behindComment(text: string, from: number): number {
  const lineEnd = lineEndFrom(text, from);
  const rest = text.slice(from, lineEnd);
  const isOneComment = /^[ \t]*(\/\/.*|(\/\*([^*]|\*(?!\/))*\*\/[ \t]*)+)$/.test(rest);
  return isOneComment && lineEnd < text.length ? lineEnd : from;
}

/** The indentation of a property that begins a line of its own, or null where the object is written in a line. */
function indentOf(text: string, object: Node, property: Property): string | null {
  const siblings = propertiesOf(object);
  const before = siblings[siblings.length - 2];
  const from = before ? before.node.offset + before.node.length : object.offset;
  if (!text.slice(from, property.node.offset).includes('\n')) return null;
  return leadingSpace(text, property.node.offset);
}

/** The white space at the beginning of the line that holds an offset. */
function leadingSpace(text: string, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart, offset))?.[0] ?? '';
}

/** The step of indentation in a document: that of the first indented line, two spaces where there is none. */
function unitOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
}

/** The blanks before an offset: they are repeated between one-line properties. */
function gapBefore(text: string, offset: number): string {
  return /[ \t]*$/.exec(text.slice(0, offset))?.[0] ?? '';
}

/** How this document writes its colons: taken from the first property of the object or of its document. */
function colonOf(text: string, object: Node): string {
  let node: Node | undefined = object;
  while (node) {
    const first = node.type === 'object' ? propertiesOf(node)[0] : undefined;
    if (first) {
      const between = text.slice(first.keyNode.offset + first.keyNode.length, first.value.offset);
      return /^[ \t]*:[ \t]*$/.test(between) ? between : ': ';
    }
    node = node.parent;
  }
  return ': ';
}

import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { UnreadableConfig } from './config-format.ts';
import { positionAt } from './splice.ts';

/** A property of an object: the node jsonc-parser gives, with its key and value at hand. */
export interface Property {
  readonly node: Node;
  readonly key: string;
  readonly keyNode: Node;
  readonly value: Node;
}

/** The tree of a JSON text that may hold comments and trailing commas; null for a text of white space alone. */
export function readTree(text: string): Node | null {
  const errors: ParseError[] = [];
  let root: Node | undefined;
  try {
    root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  } catch {
    throw new UnreadableConfig('It nests too deeply to be read.', { line: 1, column: 1 });
  }
  const first = errors[0];
  if (first) throw new UnreadableConfig(inWords(first), positionAt(text, first.offset));
  if (root) return root;
  if (text.trim() === '') return null;
  throw new UnreadableConfig('It holds comments and no value.', { line: 1, column: 1 });
}

/**
 * Where a text is not JSON in the strict sense (comments, trailing commas), or null where it is. Claude Code
 * 2.1.197 was seen to ignore a settings file as a whole for one comment or trailing comma.
 */
export function strictProblemOf(text: string): { what: string; line: number; column: number } | null {
  if (text.trim() === '') return null;
  try {
    JSON.parse(text);
    return null;
  } catch {
    const errors: ParseError[] = [];
    parseTree(text, errors, { disallowComments: true });
    const first = errors[0];
    const position = positionAt(text, first?.offset ?? 0);
    const commented = first !== undefined && text[first.offset] === '/';
    return { what: commented ? 'a comment' : 'a trailing comma', ...position };
  }
}

/** The properties of an object node, in order, twins included. */
export function propertiesOf(object: Node): Property[] {
  return (object.children ?? []).flatMap((node) => {
    const [keyNode, value] = node.children ?? [];
    return keyNode && value ? [{ node, key: String(keyNode.value), keyNode, value }] : [];
  });
}

/** The property that counts for a key: the last of its name, as JSON readers do it. */
export function propertyOf(object: Node, key: string): Property | null {
  return propertiesOf(object).findLast((property) => property.key === key) ?? null;
}

/** The node at a path of keys, or null. */
export function nodeAt(root: Node | null, path: readonly string[]): Node | null {
  let node = root;
  for (const key of path) {
    if (node?.type !== 'object') return null;
    node = propertyOf(node, key)?.value ?? null;
  }
  return node;
}

/** A value without its formatting: objects as lists of pairs, so that order and twins count in a comparison. */
export type Shape =
  | { readonly pairs: [string, Shape][] }
  | { readonly list: Shape[] }
  | { readonly leaf: unknown };

/** The shape of a node; an empty text has the shape of an empty object. */
export function shapeOf(node: Node | null): Shape {
  if (node === null) return { pairs: [] };
  if (node.type === 'object') {
    return { pairs: propertiesOf(node).map(({ key, value }) => [key, shapeOf(value)]) };
  }
  if (node.type === 'array') return { list: (node.children ?? []).map(shapeOf) };
  return { leaf: node.type === 'null' ? null : node.value };
}

/** The offset behind white space and comments that begin at `from`. */
export function skipTrivia(text: string, from: number): number {
  let at = from;
  for (;;) {
    const rest = text.slice(at, at + 2);
    if (/^[ \t\r\n]/.test(rest)) at += 1;
    else if (rest === '//') at = lineEndFrom(text, at);
    else if (rest === '/*') at = text.indexOf('*/', at + 2) + 2;
    else return at;
  }
}

/** The offset of the line ending (its "\r" included) or of the text's end, from an offset on. */
export function lineEndFrom(text: string, from: number): number {
  const found = text.indexOf('\n', from);
  if (found === -1) return text.length;
  return found > from && text[found - 1] === '\r' ? found - 1 : found;
}

function inWords(error: ParseError): string {
  const name = printParseErrorCode(error.error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return `It is not valid JSON: ${name}.`;
}

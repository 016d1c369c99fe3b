import { isDeepStrictEqual } from 'node:util';
import type { Node } from 'jsonc-parser';
import { type ConfigFormat, type Entry, type OwnEntry, UnreadableConfig } from './config-format.ts';
import { insertionOf, removalOf, type Written } from './json-layout.ts';
import { type LineEdit, putLine, takeLine } from './json-lines.ts';
import { nodeAt, propertyOf, readTree, type Shape, shapeOf } from './json-tree.ts';
import { applySplices, positionAt, type Splice } from './splice.ts';

/** JSON with comments and trailing commas. */
export const jsonFormat: ConfigFormat = {
  check(text) {
    const root = readTree(text);
    if (root !== null && root.type !== 'object') {
      throw new UnreadableConfig('It does not hold an object.', positionAt(text, root.offset));
    }
  },

  find(text, path) {
    const node = nodeAt(readTree(text), path);
    if (node === null) return null;
    const written = text.slice(node.offset, node.offset + node.length);
    return { value: node.type === 'string' ? String(node.value) : null, written };
  },

  set(text, entries) {
    jsonFormat.check(text);
    const splices: Splice[] = [];
    let current = text;
    const add = (made: readonly Splice[]) => {
      splices.push(...made);
      current = mustApply(current, made);
    };
    for (const group of groupedByTable(entries)) add(setInTable(current, group.table, group.entries));
    const expected = entries.reduce(withEntry, shapeOf(readTree(text)));
    mustEqual(shapeOf(readTree(current)), expected);
    return splices;
  },

  takeOut(text, entries, emptied) {
    jsonFormat.check(text);
    const splices: Splice[] = [];
    let current = text;
    const add = (made: readonly Splice[]) => {
      splices.push(...made);
      current = mustApply(current, made);
    };
    for (const entry of entries) add(takeOutOne(current, entry));
    for (const table of [...emptied].sort((a, b) => b.length - a.length)) add(takeOutIfEmpty(current, table));
    jsonFormat.check(current);
    return splices;
  },

  missingTables(text, entries) {
    const root = readTree(text);
    const tables = groupedByTable(entries).flatMap(({ table }) =>
      table.map((_, index) => table.slice(0, index + 1)),
    );
    const missing = tables.filter((table) => nodeAt(root, table) === null);
    return [...new Map(missing.map((table) => [JSON.stringify(table), table])).values()];
  },
};

function setInTable(text: string, table: readonly string[], entries: readonly Entry[]): Splice[] {
  const root = readTree(text);
  if (root === null) return [emptyDocument(text, table, entries)];
  const { node: object, depth } = deepest(root, table);
  if (object.type !== 'object') {
    const name = table.slice(0, depth).join('.');
    throw new UnreadableConfig(`"${name}" is not an object.`, positionAt(text, object.offset));
  }
  const [missing, ...deeper] = table.slice(depth);
  if (missing !== undefined) {
    const values = entries.map((entry): [string, string] => [
      lastOf(entry.path),
      JSON.stringify(entry.value),
    ]);
    const value = deeper.reduceRight<Written>((inner, name) => [[name, inner]], values);
    return insertionOf(text, object, missing, value);
  }
  const splices: Splice[] = [];
  let current = text;
  for (const entry of entries) {
    const made = setOne(current, table, entry);
    splices.push(...made);
    current = mustApply(current, made);
  }
  return splices;
}

/** How far a path of tables is there, and the node at which it ends. */
function deepest(root: Node, table: readonly string[]): { readonly node: Node; readonly depth: number } {
  let node = root;
  for (const [depth, name] of table.entries()) {
    const next = node.type === 'object' ? propertyOf(node, name) : null;
    if (next === null) return { node, depth };
    node = next.value;
  }
  return { node, depth: table.length };
}

function setOne(text: string, table: readonly string[], entry: Entry): Splice[] {
  const object = objectAt(text, table);
  const value = JSON.stringify(entry.value);
  const property = propertyOf(object, lastOf(entry.path));
  if (property === null) return insertionOf(text, object, lastOf(entry.path), value);
  if (entry.asLine) {
    if (property.value.type !== 'string') {
      const position = positionAt(text, property.value.offset);
      throw new UnreadableConfig(`"${entry.path.join('.')}" is not a text.`, position);
    }
    return spliceOf(text, property.value, putLine(insideOf(text, property.value), entry.value));
  }
  if (property.value.type === 'string' && property.value.value === entry.value) return [];
  const { offset, length } = property.value;
  return [{ at: offset, removed: text.slice(offset, offset + length), inserted: value }];
}

function takeOutOne(text: string, entry: OwnEntry): Splice[] {
  const root = readTree(text);
  const object = nodeAt(root, entry.path.slice(0, -1));
  if (object?.type !== 'object') return [];
  const property = propertyOf(object, lastOf(entry.path));
  if (property?.value.type !== 'string') return [];
  if (entry.asLine && property.value.value !== entry.value) {
    const edit = takeLine(insideOf(text, property.value), entry.value, entry.before ?? '');
    return spliceOf(text, property.value, edit);
  }
  if (property.value.value !== entry.value) return [];
  const { offset, length } = property.value;
  if (entry.before === null) return removalOf(text, object, property);
  const inserted = entry.asLine ? JSON.stringify(entry.before) : entry.before;
  return [{ at: offset, removed: text.slice(offset, offset + length), inserted }];
}

/** What is written between the quotes of a string. */
function insideOf(text: string, node: Node): string {
  return text.slice(node.offset + 1, node.offset + node.length - 1);
}

function spliceOf(text: string, node: Node, edit: LineEdit | null): Splice[] {
  if (edit === null) return [];
  const inside = insideOf(text, node);
  const at = node.offset + 1 + edit.start;
  return [{ at, removed: inside.slice(edit.start, edit.end), inserted: edit.written }];
}

function takeOutIfEmpty(text: string, table: readonly string[]): Splice[] {
  const root = readTree(text);
  const parent = nodeAt(root, table.slice(0, -1));
  if (parent?.type !== 'object') return [];
  const property = propertyOf(parent, lastOf(table));
  if (property?.value.type !== 'object') return [];
  const { offset, length } = property.value;
  const inside = text.slice(offset + 1, offset + length - 1);
  return inside.trim() === '' ? removalOf(text, parent, property) : [];
}

function emptyDocument(text: string, table: readonly string[], entries: readonly Entry[]): Splice {
  const line = text.includes('\r\n') ? '\r\n' : '\n';
  const nested = Object.fromEntries(entries.map((entry) => [lastOf(entry.path), entry.value]));
  const value = table.reduceRight<unknown>((inner, name) => ({ [name]: inner }), nested);
  const body = JSON.stringify(value, null, 2).replaceAll('\n', line);
  return { at: 0, removed: '', inserted: text === '' ? body + line : body };
}

function groupedByTable(entries: readonly Entry[]): { table: readonly string[]; entries: Entry[] }[] {
  const groups = new Map<string, { table: readonly string[]; entries: Entry[] }>();
  for (const entry of entries) {
    const table = entry.path.slice(0, -1);
    const key = JSON.stringify(table);
    const group = groups.get(key) ?? { table, entries: [] };
    group.entries.push(entry);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** The shape of a document after one entry was set: the last twin's value changes, or a new pair stands last. */
function withEntry(shape: Shape, entry: Entry): Shape {
  const set = (current: Shape | undefined, path: readonly string[]): Shape => {
    const [name, ...rest] = path;
    if (name === undefined) return { leaf: leafOf(current, entry) };
    const pairs = current !== undefined && 'pairs' in current ? current.pairs : [];
    const index = pairs.findLastIndex(([key]) => key === name);
    const next: [string, Shape] = [name, set(pairs[index]?.[1], rest)];
    return { pairs: index === -1 ? [...pairs, next] : pairs.with(index, next) };
  };
  return set(shape, entry.path);
}

function leafOf(current: Shape | undefined, entry: Entry): string {
  if (!entry.asLine || current === undefined || !('leaf' in current)) return entry.value;
  const inside = JSON.stringify(String(current.leaf)).slice(1, -1);
  const edit = putLine(inside, entry.value);
  if (edit === null) return String(current.leaf);
  return String(JSON.parse(`"${inside.slice(0, edit.start)}${edit.written}${inside.slice(edit.end)}"`));
}

function objectAt(text: string, table: readonly string[]): Node {
  const object = nodeAt(readTree(text), table);
  if (object?.type !== 'object') throw new Error('the table was there a moment ago');
  return object;
}

function lastOf(path: readonly string[]): string {
  const last = path.at(-1);
  if (last === undefined) throw new Error('a path has at least one name');
  return last;
}

function mustApply(text: string, splices: readonly Splice[]): string {
  const result = applySplices(text, splices);
  if (result === null) throw new Error('a splice does not fit its text');
  return result;
}

function mustEqual(got: Shape, expected: Shape): void {
  if (!isDeepStrictEqual(got, expected))
    throw new Error('the edit would have changed more than our own keys');
}

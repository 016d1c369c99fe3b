import { isDeepStrictEqual } from 'node:util';
import { parse, TomlError, type TomlTable } from 'smol-toml';
import { type ConfigFormat, type Entry, type OwnEntry, UnreadableConfig } from './config-format.ts';
import { applySplices, lineEndingOf, type Splice } from './splice.ts';
import { type RootPart, type Statement, scanRoot } from './toml-scan.ts';

/**
 * TOML, for keys of the root table alone: what Codex's config.toml needs. A new key goes behind the last root
 * statement, or to the very top where there is none, so that it never falls into a table.
 */
export const tomlFormat: ConfigFormat = {
  check(text) {
    read(text);
    rootOf(text);
  },

  find(text, path) {
    const statement = statementOf(rootOf(text), nameOf(path));
    if (statement === null) return null;
    const value = read(text)[nameOf(path)];
    const written = text.slice(statement.valueStart, statement.valueEnd);
    return { value: typeof value === 'string' ? value : null, written };
  },

  set(text, entries) {
    const splices: Splice[] = [];
    let current = text;
    for (const entry of entries) {
      const made = setOne(current, entry);
      if (made === null) continue;
      splices.push(made);
      current = mustApply(current, made);
    }
    const expected = {
      ...read(text),
      ...Object.fromEntries(entries.map((entry) => [nameOf(entry.path), entry.value])),
    };
    if (!isDeepStrictEqual({ ...read(current) }, expected)) {
      throw new Error('the edit would have changed more than our own keys');
    }
    return splices;
  },

  takeOut(text, entries) {
    const splices: Splice[] = [];
    let current = text;
    for (const entry of entries) {
      const made = takeOutOne(current, entry);
      if (made === null) continue;
      splices.push(made);
      current = mustApply(current, made);
    }
    read(current);
    return splices;
  },

  missingTables: () => [],
};

function setOne(text: string, entry: Entry): Splice | null {
  const root = rootOf(text);
  const name = nameOf(entry.path);
  const statement = statementOf(root, name);
  const value = JSON.stringify(entry.value);
  if (statement) {
    if (read(text)[name] === entry.value) return null;
    const removed = text.slice(statement.valueStart, statement.valueEnd);
    return { at: statement.valueStart, removed, inserted: value };
  }
  const line = `${name} = ${value}`;
  const ending = lineEndingOf(text);
  const last = root.statements.at(-1);
  if (!last) return { at: 0, removed: '', inserted: line + ending };
  const next = text.indexOf('\n', last.valueEnd);
  if (next === -1) return { at: text.length, removed: '', inserted: ending + line };
  return { at: next + 1, removed: '', inserted: line + ending };
}

/** Takes a statement of ours out: its whole line, or all but a comment that somebody put behind it. */
function takeOutOne(text: string, entry: OwnEntry): Splice | null {
  const name = nameOf(entry.path);
  const statement = statementOf(rootOf(text), name);
  if (statement === null || read(text)[name] !== entry.value) return null;
  if (entry.before !== null) {
    const removed = text.slice(statement.valueStart, statement.valueEnd);
    return { at: statement.valueStart, removed, inserted: entry.before };
  }
  const newline = text.indexOf('\n', statement.valueEnd);
  const lineEnd = newline === -1 ? text.length : newline;
  if (text.slice(statement.valueEnd, lineEnd).trim() !== '') {
    return { at: statement.start, removed: text.slice(statement.start, statement.valueEnd), inserted: '' };
  }
  let from = text.lastIndexOf('\n', statement.start - 1) + 1;
  if (newline === -1 && from > 0) from -= text[from - 2] === '\r' ? 2 : 1;
  const to = newline === -1 ? text.length : newline + 1;
  return { at: from, removed: text.slice(from, to), inserted: '' };
}

function read(text: string): TomlTable {
  try {
    return parse(text, { integersAsBigInt: true });
  } catch (fault) {
    const position = fault instanceof TomlError ? fault : { line: 1, column: 1 };
    const reason = fault instanceof Error ? (fault.message.split('\n')[0] ?? '') : '';
    throw new UnreadableConfig(
      `${reason.replace('Invalid TOML document', 'It is not valid TOML')}.`,
      position,
    );
  }
}

function rootOf(text: string): RootPart {
  const root = scanRoot(text);
  if (root) return root;
  throw new UnreadableConfig('Its lines before the first table could not be told apart.', {
    line: 1,
    column: 1,
  });
}

function statementOf(root: RootPart, name: string): Statement | null {
  return root.statements.find((statement) => statement.key.length === 1 && statement.key[0] === name) ?? null;
}

function nameOf(path: readonly string[]): string {
  const [name, ...deeper] = path;
  if (name === undefined || deeper.length > 0) throw new Error('only keys of the root table are edited');
  return name;
}

function mustApply(text: string, splice: Splice): string {
  const result = applySplices(text, [splice]);
  if (result === null) throw new Error('a splice does not fit its text');
  return result;
}

import { isUtf8 } from 'node:buffer';
import { viewOf } from './bytes.ts';

/**
 * A JSON value with nothing lost: numbers as they were written, duplicate keys and key order kept, strings with lone
 * surrogates and NUL. `start` and `end` are the bytes it was read from (0, 0 for values that code made).
 */
export type JsonNode =
  | { readonly type: 'null'; readonly start: number; readonly end: number }
  | { readonly type: 'boolean'; readonly value: boolean; readonly start: number; readonly end: number }
  | { readonly type: 'number'; readonly raw: string; readonly start: number; readonly end: number }
  | { readonly type: 'string'; readonly value: string; readonly start: number; readonly end: number }
  | JsonArray
  | JsonObject;

export interface JsonArray {
  readonly type: 'array';
  readonly items: readonly JsonNode[];
  readonly start: number;
  readonly end: number;
}

export interface JsonObject {
  readonly type: 'object';
  readonly entries: readonly JsonEntry[];
  readonly start: number;
  readonly end: number;
}

export interface JsonEntry {
  readonly key: string;
  readonly value: JsonNode;
}

/** A string value made by code. */
export function jsonString(value: string): JsonNode {
  return { type: 'string', value, start: 0, end: 0 };
}

/** An array made by code. */
export function jsonArray(items: readonly JsonNode[]): JsonArray {
  return { type: 'array', items, start: 0, end: 0 };
}

/** An object made by code. */
export function jsonObject(entries: readonly JsonEntry[]): JsonObject {
  return { type: 'object', entries, start: 0, end: 0 };
}

/** The value of a key (the last, where it stands twice); undefined where the node is no object or has no such key. */
export function member(node: JsonNode | undefined, key: string): JsonNode | undefined {
  if (node?.type !== 'object') return undefined;
  return node.entries.findLast((entry) => entry.key === key)?.value;
}

/** The string under a key, else null. */
export function stringMember(node: JsonNode | undefined, key: string): string | null {
  const value = member(node, key);
  return value?.type === 'string' ? value.value : null;
}

/** The number under a key as JavaScript has it, else null. */
export function numberMember(node: JsonNode | undefined, key: string): number | null {
  const value = member(node, key);
  return value?.type === 'number' ? Number(value.raw) : null;
}

/** The entries of an array node; none for anything else. */
export function itemsOf(node: JsonNode | undefined): readonly JsonNode[] {
  return node?.type === 'array' ? node.items : [];
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const LITERALS: readonly (readonly [string, boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

/** An array or object that is still open, and the key that waits for its value. */
type Open =
  | { readonly type: 'array'; readonly items: JsonNode[]; readonly start: number }
  | { readonly type: 'object'; readonly entries: JsonEntry[]; readonly start: number; key: string };

/**
 * Reads exactly what JSON (RFC 8259) allows, at any depth, without recursion. Null where the bytes are not UTF-8 or
 * not JSON.
 */
export function readJson(raw: Uint8Array): JsonNode | null {
  const bytes = viewOf(raw);
  if (!isUtf8(bytes)) return null;
  return new Reader(bytes).read();
}

class Reader {
  private at = 0;
  private readonly open: Open[] = [];

  constructor(private readonly bytes: Buffer) {}

  read(): JsonNode | null {
    let root: JsonNode | null = null;
    for (;;) {
      this.skipSpace();
      const value = this.value();
      if (value === null) return null;
      if (value !== 'opened') {
        let done: JsonNode | null = value;
        while (done !== null) {
          const parent = this.open.at(-1);
          if (parent === undefined) {
            root = done;
            break;
          }
          if (parent.type === 'array') parent.items.push(done);
          else parent.entries.push({ key: parent.key, value: done });
          const next = this.afterValue(parent);
          if (next === null) return null;
          done = next === 'more' ? null : next;
        }
      }
      if (root !== null) break;
    }
    this.skipSpace();
    return this.at === this.bytes.length ? root : null;
  }

  /** A scalar or an empty container; `opened` where a container's first value comes next; null: not JSON. */
  private value(): JsonNode | 'opened' | null {
    const start = this.at;
    const byte = this.bytes[start];
    if (byte === 0x22) {
      const value = this.string();
      return value === null ? null : { type: 'string', value, start, end: this.at };
    }
    if (byte === 0x7b) {
      this.at++;
      this.skipSpace();
      if (this.take(0x7d)) return { type: 'object', entries: [], start, end: this.at };
      const key = this.key();
      if (key === null) return null;
      this.open.push({ type: 'object', entries: [], start, key });
      return 'opened';
    }
    if (byte === 0x5b) {
      this.at++;
      this.skipSpace();
      if (this.take(0x5d)) return { type: 'array', items: [], start, end: this.at };
      this.open.push({ type: 'array', items: [], start });
      return 'opened';
    }
    return this.scalar(start);
  }

  private scalar(start: number): JsonNode | null {
    for (const [word, value] of LITERALS) {
      if (this.bytes[start] !== word.charCodeAt(0)) continue;
      if (this.bytes.toString('latin1', start, start + word.length) !== word) return null;
      this.at = start + word.length;
      return value === null
        ? { type: 'null', start, end: this.at }
        : { type: 'boolean', value, start, end: this.at };
    }
    let end = start;
    while (end < this.bytes.length && IN_NUMBER[this.bytes[end] as number] === 1) end++;
    const text = this.bytes.toString('latin1', start, end);
    NUMBER.lastIndex = 0;
    if (text === '' || NUMBER.exec(text)?.[0].length !== text.length) return null;
    this.at = end;
    return { type: 'number', raw: text, start, end };
  }

  /** What follows a value in `parent`: another one, or the parent's end (then the parent itself). */
  private afterValue(parent: Open): JsonNode | 'more' | null {
    this.skipSpace();
    if (this.take(0x2c)) {
      if (parent.type === 'array') return 'more';
      this.skipSpace();
      const key = this.key();
      if (key === null) return null;
      parent.key = key;
      return 'more';
    }
    if (!this.take(parent.type === 'array' ? 0x5d : 0x7d)) return null;
    this.open.pop();
    return parent.type === 'array'
      ? { type: 'array', items: parent.items, start: parent.start, end: this.at }
      : { type: 'object', entries: parent.entries, start: parent.start, end: this.at };
  }

  /** A key and its colon. */
  private key(): string | null {
    if (this.bytes[this.at] !== 0x22) return null;
    const key = this.string();
    this.skipSpace();
    return key !== null && this.take(0x3a) ? key : null;
  }

  private string(): string | null {
    const start = this.at;
    let end = this.bytes.indexOf(0x22, start + 1);
    while (end >= 0) {
      let before = end - 1;
      while (this.bytes[before] === 0x5c) before--;
      if ((end - 1 - before) % 2 === 0) break;
      end = this.bytes.indexOf(0x22, end + 1);
    }
    if (end < 0) return null;
    this.at = end + 1;
    const text = this.bytes.toString('utf8', start + 1, end);
    if (!NOT_PLAIN.test(text)) return text;
    try {
      return JSON.parse(`"${text}"`) as string;
    } catch {
      return null;
    }
  }

  private take(byte: number): boolean {
    if (this.bytes[this.at] !== byte) return false;
    this.at++;
    return true;
  }

  private skipSpace(): void {
    for (;;) {
      const byte = this.bytes[this.at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.at++;
    }
  }
}

/** Characters that a JSON string cannot hold bare: escapes to resolve and control characters to refuse. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const NOT_PLAIN = /[\\\u0000-\u001f]/;

const IN_NUMBER = new Uint8Array(256);
for (const character of '0123456789+-.eE') IN_NUMBER[character.charCodeAt(0)] = 1;

import { isUtf8 } from 'node:buffer';
import { viewOf } from '../../conversation/index.ts';

/** What a skimmed value is. */
export type SkimKind = 'object' | 'array' | 'string' | 'number' | 'true' | 'false' | 'null';

/** A value of a {@link Skim}: its number there. The whole body is 0. */
export type SkimNode = number;

/** Containers within containers that list what is in them: down to what parts, results and their references hold. */
export const DEEPEST = 8;

const KINDS: readonly SkimKind[] = ['object', 'array', 'string', 'number', 'true', 'false', 'null'];
const OBJECT = 0;
const ARRAY = 1;
const STRING = 2;
const NUMBER = 3;
const TRUE = 4;
const ESCAPED_STRING = 8;
const ESCAPED_KEY = 16;

/** Whole numbers that one value takes in the list: kind, start, end, key's start and end, the value behind it. */
const WIDTH = 6;

/**
 * JSON read in one pass that decodes nothing: a list of values by their places in the bytes. It stands in one typed
 * array, since a body has up to a million values and one object for each took ten times as long (measured).
 */
export class Skim {
  constructor(
    readonly bytes: Buffer,
    private readonly list: Int32Array,
  ) {}

  /** The kind of a value; null for none. */
  kind(node: SkimNode | null): SkimKind | null {
    return node === null ? null : (KINDS[this.at(node, 0) & 7] ?? null);
  }

  /** Where a value begins in the bytes. */
  start(node: SkimNode): number {
    return this.at(node, 1);
  }

  /** Where a value ends in the bytes. */
  end(node: SkimNode): number {
    return this.at(node, 2);
  }

  /** The bytes of a value. */
  raw(node: SkimNode): Buffer {
    return this.bytes.subarray(this.at(node, 1), this.at(node, 2));
  }

  /** The entries of an array or the members of an object, in order; none for every other value. */
  children(node: SkimNode | null): SkimNode[] {
    if (node === null) return [];
    const found: SkimNode[] = [];
    const behind = this.at(node, 5);
    for (let child = node + 1; child < behind; child = this.at(child, 5)) found.push(child);
    return found;
  }

  /** The entries of an array; none for every other value. */
  entries(node: SkimNode | null): SkimNode[] {
    return this.kind(node) === 'array' ? this.children(node) : [];
  }

  /** The value under a key (the last, where it stands twice); null: no object, or no such key. */
  member(node: SkimNode | null, key: string): SkimNode | null {
    if (node === null || (this.at(node, 0) & 7) !== OBJECT) return null;
    let found: SkimNode | null = null;
    const behind = this.at(node, 5);
    for (let child = node + 1; child < behind; child = this.at(child, 5)) {
      if (this.hasKey(child, key)) found = child;
    }
    return found;
  }

  /** The key of an object's member, its escapes resolved. */
  key(member: SkimNode): string {
    const text = this.bytes.toString('utf8', this.at(member, 3), this.at(member, 4));
    return (this.at(member, 0) & ESCAPED_KEY) === 0 ? text : (JSON.parse(`"${text}"`) as string);
  }

  /** The string that a value is; null for every other value. */
  string(node: SkimNode | null): string | null {
    if (node === null || (this.at(node, 0) & 7) !== STRING) return null;
    const text = this.bytes.toString('utf8', this.at(node, 1) + 1, this.at(node, 2) - 1);
    return (this.at(node, 0) & ESCAPED_STRING) === 0 ? text : (JSON.parse(`"${text}"`) as string);
  }

  /** The string under a key, else null. */
  stringMember(node: SkimNode | null, key: string): string | null {
    return this.string(this.member(node, key));
  }

  private hasKey(member: SkimNode, key: string): boolean {
    if ((this.at(member, 0) & ESCAPED_KEY) !== 0) return this.key(member) === key;
    const start = this.at(member, 3);
    if (this.at(member, 4) - start !== key.length) return false;
    for (let index = 0; index < key.length; index++) {
      if (this.bytes[start + index] !== key.charCodeAt(index)) return false;
    }
    return true;
  }

  private at(node: SkimNode, field: number): number {
    return this.list[node * WIDTH + field] ?? 0;
  }
}

/** Per byte of a string: 1 is a quote, a backslash or a control character. */
const SPECIAL = new Uint8Array(256);
for (let byte = 0; byte < 0x20; byte++) SPECIAL[byte] = 1;
SPECIAL[0x22] = 1;
SPECIAL[0x5c] = 1;
/** Bytes that are looked at one by one before four are at once: most strings and most runs between escapes are short. */
const STEPS_BEFORE_WORDS = 12;

/**
 * True where one of four bytes is special, told for all four at once (three times as fast as byte by byte, measured):
 * a byte is below another where taking that away borrows from its highest bit; a byte is another where the two differ
 * by nothing, which is below one.
 */
function hasSpecial(four: number): boolean {
  const quote = four ^ 0x22222222;
  const backslash = four ^ 0x5c5c5c5c;
  const control = (four - 0x20202020) & ~four;
  return (
    ((control | ((quote - 0x01010101) & ~quote) | ((backslash - 0x01010101) & ~backslash)) & 0x80808080) !== 0
  );
}

/** Per byte: 1 may follow a backslash (`u` is looked at by itself), 2 is a hexadecimal digit, 3 is both. */
const ESCAPES = new Uint8Array(256);
for (const character of '0123456789abcdefABCDEF') ESCAPES[character.charCodeAt(0)] = 2;
for (const character of '"\\/bfnrt') {
  const code = character.charCodeAt(0);
  ESCAPES[code] = (ESCAPES[code] as number) | 1;
}
const NUMBER_FORM = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const IN_NUMBER = new Uint8Array(256);
for (const character of '0123456789+-.eE') IN_NUMBER[character.charCodeAt(0)] = 1;

/**
 * Reads exactly what JSON (RFC 8259) allows, in UTF-8 without a byte order mark, at any depth and without recursion.
 * Containers deeper than {@link DEEPEST} are checked but list nothing. Null: the bytes are no JSON.
 */
export function skim(raw: Uint8Array): Skim | null {
  const bytes = viewOf(raw);
  return isUtf8(bytes) ? new Skimmer(bytes).read() : null;
}

class Skimmer {
  private at = 0;
  private keyStart = 0;
  private keyEnd = 0;
  private keyFlag = 0;
  private escaped = false;
  private readonly words: DataView;
  private list: Int32Array;
  private count = 0;
  /** Of each open container: 1 for an array, and its number (-1: too deep to be listed). */
  private readonly isArray: boolean[] = [];
  private readonly open: number[] = [];

  constructor(private readonly bytes: Buffer) {
    this.words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.list = new Int32Array(WIDTH * Math.max(16, bytes.length >> 6));
  }

  read(): Skim | null {
    this.skipSpace();
    for (;;) {
      const opened = this.value();
      if (opened === null) return null;
      if (opened) continue;
      for (;;) {
        const depth = this.open.length;
        this.skipSpace();
        if (depth === 0) return this.at === this.bytes.length ? new Skim(this.bytes, this.list) : null;
        const isArray = this.isArray[depth - 1] === true;
        const byte = this.bytes[this.at++];
        if (byte === 0x2c) {
          if (!this.toValue(isArray)) return null;
          break;
        }
        if (byte !== (isArray ? 0x5d : 0x7d)) return null;
        this.close();
      }
    }
  }

  /** Steps over a scalar or an empty container; true where a container's first value comes next; null: no JSON. */
  private value(): boolean | null {
    const start = this.at;
    const byte = this.bytes[start];
    if (byte === 0x22) {
      if (!this.string()) return null;
      this.add(STRING | (this.escaped ? ESCAPED_STRING : 0), start);
      return false;
    }
    if (byte !== 0x7b && byte !== 0x5b) return this.bare(start) ? false : null;
    const isArray = byte === 0x5b;
    this.at++;
    const node = this.add(isArray ? ARRAY : OBJECT, start);
    this.open.push(node);
    this.isArray.push(isArray);
    this.skipSpace();
    if (this.bytes[this.at] === (isArray ? 0x5d : 0x7d)) {
      this.at++;
      this.close();
      return false;
    }
    return this.toValue(isArray) ? true : null;
  }

  private bare(start: number): boolean {
    for (let kind = TRUE; kind < KINDS.length; kind++) {
      const word = KINDS[kind] as string;
      if (this.bytes[start] !== word.charCodeAt(0)) continue;
      if (this.bytes.toString('latin1', start, start + word.length) !== word) return false;
      this.at = start + word.length;
      this.add(kind, start);
      return true;
    }
    let end = start;
    while (end < this.bytes.length && IN_NUMBER[this.bytes[end] as number] === 1) end++;
    const text = this.bytes.toString('latin1', start, end);
    NUMBER_FORM.lastIndex = 0;
    if (text === '' || NUMBER_FORM.exec(text)?.[0].length !== text.length) return false;
    this.at = end;
    this.add(NUMBER, start);
    return true;
  }

  private add(kind: number, start: number): number {
    if (this.open.length > DEEPEST) return -1;
    const node = this.count++;
    const place = node * WIDTH;
    if (place + WIDTH > this.list.length) {
      const longer = new Int32Array(this.list.length * 2);
      longer.set(this.list);
      this.list = longer;
    }
    const { list } = this;
    list[place] = kind | this.keyFlag;
    list[place + 1] = start;
    list[place + 2] = this.at;
    list[place + 3] = this.keyStart;
    list[place + 4] = this.keyEnd;
    list[place + 5] = this.count;
    return node;
  }

  private close(): void {
    this.isArray.pop();
    const node = this.open.pop() ?? -1;
    if (node < 0) return;
    this.list[node * WIDTH + 2] = this.at;
    this.list[node * WIDTH + 5] = this.count;
  }

  /** Goes on to where the next value begins; in an object its key and colon stand before it. */
  private toValue(isArray: boolean): boolean {
    this.keyStart = 0;
    this.keyEnd = 0;
    this.keyFlag = 0;
    this.skipSpace();
    if (isArray) return true;
    const start = this.at + 1;
    if (this.bytes[this.at] !== 0x22 || !this.string()) return false;
    this.keyStart = start;
    this.keyEnd = this.at - 1;
    this.keyFlag = this.escaped ? ESCAPED_KEY : 0;
    this.skipSpace();
    if (this.bytes[this.at] !== 0x3a) return false;
    this.at++;
    this.skipSpace();
    return true;
  }

  /** Steps over the string that opens here; false where it does not end or JSON does not allow it. */
  private string(): boolean {
    const { bytes, words } = this;
    const { length } = bytes;
    let at = this.at + 1;
    this.escaped = false;
    for (;;) {
      const stop = Math.min(length, at + STEPS_BEFORE_WORDS);
      while (at < stop && SPECIAL[bytes[at] as number] === 0) at++;
      if (at === stop) {
        while (at + 4 <= length && !hasSpecial(words.getInt32(at))) at += 4;
        while (at < length && SPECIAL[bytes[at] as number] === 0) at++;
      }
      if (at >= length) return false;
      if (bytes[at] === 0x22) {
        this.at = at + 1;
        return true;
      }
      if (bytes[at] !== 0x5c) return false;
      this.escaped = true;
      const next = bytes[at + 1] ?? 0;
      if (next === 0x75) {
        for (let digit = at + 2; digit < at + 6; digit++) {
          if (((ESCAPES[bytes[digit] ?? 0] as number) & 2) === 0) return false;
        }
        at += 6;
      } else if (((ESCAPES[next] as number) & 1) === 1) at += 2;
      else return false;
    }
  }

  private skipSpace(): void {
    for (;;) {
      const byte = this.bytes[this.at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
      this.at++;
    }
  }
}

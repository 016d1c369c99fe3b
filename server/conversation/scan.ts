import { viewOf } from './bytes.ts';
import type { Slice } from './model.ts';

/** What the first byte of a JSON value says about it. */
export type ValueKind = 'object' | 'array' | 'string' | 'number' | 'literal';

/** One `"name": value` of the outermost object, in body order. Duplicates are all listed. */
export interface ScannedField {
  /** The name with its escapes resolved; where they are broken, as it stands. */
  readonly name: string;
  readonly kind: ValueKind;
  /** The value without surrounding whitespace; it ends where the scan broke if `whole` is false. */
  readonly value: Slice;
  /** The entries of an array that was asked for; null for everything else. Only whole entries are listed. */
  readonly elements: readonly Slice[] | null;
  readonly whole: boolean;
}

/** Where a body stopped being JSON, as far as the scan looks. */
export interface ScanFault {
  readonly at: number;
  readonly reason: 'end' | 'byte' | 'trailing';
}

/** What one pass over a body found. */
export interface Scan {
  readonly fields: readonly ScannedField[];
  /** Null: the outermost object is closed and only whitespace follows. */
  readonly fault: ScanFault | null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Bytes of a string that are looked at one by one before a native search takes over (measured: scan.bench). */
const STEPS_BEFORE_SEARCH = 40;

/** Per byte: 1 ends a bare scalar (whitespace, punctuation, quote, control characters). */
const ENDS_SCALAR = new Uint8Array(256);
for (let byte = 0; byte <= 0x20; byte++) ENDS_SCALAR[byte] = 1;
for (const byte of [QUOTE, COMMA, COLON, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT])
  ENDS_SCALAR[byte] = 1;

/** Per byte: what it means between strings. Bare scalars are {@link SCALAR}. */
const SCALAR = 0;
const INSIDE = 1;
const STRING = 2;
const OPENS = 3;
const CLOSES = 4;
const CLASS = new Uint8Array(256).fill(SCALAR);
for (let byte = 0; byte <= 0x20; byte++) CLASS[byte] = INSIDE;
for (const byte of [COMMA, COLON]) CLASS[byte] = INSIDE;
for (const byte of [OPEN_ARRAY, OPEN_OBJECT]) CLASS[byte] = OPENS;
for (const byte of [CLOSE_ARRAY, CLOSE_OBJECT]) CLASS[byte] = CLOSES;
CLASS[QUOTE] = STRING;

/**
 * Finds the fields of a JSON object and the entries of those arrays that are named in `arrays`, without parsing any
 * value. Whatever the bytes are it ends, in time that grows with their number, and never throws; what it found before
 * a fault is given with the fault. Inside values it trusts brackets and quotes alone: a value that is not JSON inside
 * is still found whole where these balance. A UTF-8 byte order mark is skipped. Null: not an object at all.
 */
export function scanBody(body: Uint8Array, arrays: ReadonlySet<string>): Scan | null {
  const bytes = viewOf(body);
  const start = skipSpace(bytes, bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0);
  if (bytes[start] !== OPEN_OBJECT) return null;
  const fields: ScannedField[] = [];
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === CLOSE_OBJECT) return { fields, fault: trailingFault(bytes, at + 1) };
  for (;;) {
    if (bytes[at] !== QUOTE) return { fields, fault: faultAt(bytes, at) };
    const nameEnd = skipString(bytes, at);
    if (nameEnd < 0) return { fields, fault: faultAt(bytes, bytes.length) };
    const name = nameOf(bytes, at, nameEnd);
    at = skipSpace(bytes, nameEnd);
    if (bytes[at] !== COLON) return { fields, fault: faultAt(bytes, at) };
    at = skipSpace(bytes, at + 1);
    const kind = kindAt(bytes, at);
    if (kind === null) return { fields, fault: faultAt(bytes, at) };
    const field = readField(bytes, at, name, kind, kind === 'array' && arrays.has(name));
    fields.push(field.found);
    if (field.fault !== null) return { fields, fault: field.fault };
    at = skipSpace(bytes, field.found.value.end);
    if (bytes[at] === CLOSE_OBJECT) return { fields, fault: trailingFault(bytes, at + 1) };
    if (bytes[at] !== COMMA) return { fields, fault: faultAt(bytes, at) };
    at = skipSpace(bytes, at + 1);
  }
}

/** The field that counts where a name stands more than once: the last, as JSON parsers have it. */
export function fieldNamed(scan: Scan, name: string): ScannedField | null {
  return scan.fields.findLast((field) => field.name === name) ?? null;
}

/** The fields of a small JSON object given as a slice, by name; empty where it is none. The last of a name wins. */
export function fieldsOf(value: Uint8Array): ReadonlyMap<string, Slice> {
  const scan = scanBody(value, new Set());
  return new Map(scan?.fields.filter((field) => field.whole).map((field) => [field.name, field.value]));
}

/**
 * Where the value of the first field of that name begins in a JSON object; nothing behind it is looked at. Null: there is
 * none, or what stands before it is broken.
 */
export function fieldStart(body: Uint8Array, name: string): number | null {
  const bytes = viewOf(body);
  const start = skipSpace(bytes, 0);
  if (bytes[start] !== OPEN_OBJECT) return null;
  let at = skipSpace(bytes, start + 1);
  for (;;) {
    const nameEnd = bytes[at] === QUOTE ? skipString(bytes, at) : -1;
    if (nameEnd < 0) return null;
    const found = nameOf(bytes, at, nameEnd);
    at = skipSpace(bytes, nameEnd);
    if (bytes[at] !== COLON) return null;
    at = skipSpace(bytes, at + 1);
    if (found === name) return at;
    const next = nextEntry(bytes, valueEnd(bytes, at));
    if (next === null) return null;
    at = next;
  }
}

/** Where the value that begins at a place ends; -1 where none begins there or it does not end. */
export function valueEnd(body: Uint8Array, at: number): number {
  const bytes = viewOf(body);
  return kindAt(bytes, at) === null ? -1 : skipValue(bytes, at);
}

/** Where the first entry of a list or object begins that opens at a place; null where it has none. */
export function firstEntry(body: Uint8Array, opens: number): number | null {
  const bytes = viewOf(body);
  const at = skipSpace(bytes, opens + 1);
  return bytes[at] === CLOSE_ARRAY || bytes[at] === CLOSE_OBJECT || at >= bytes.length ? null : at;
}

/** Where the next entry of a list or object begins behind the end of one; null where none follows. */
export function nextEntry(body: Uint8Array, end: number): number | null {
  const bytes = viewOf(body);
  if (end < 0) return null;
  const at = skipSpace(bytes, end);
  return bytes[at] === COMMA ? skipSpace(bytes, at + 1) : null;
}

/** The string that a slice of JSON is; null for every other value, and for none. */
export function stringIn(bytes: Uint8Array, slice: Slice | undefined): string | null {
  if (slice === undefined || bytes[slice.start] !== QUOTE) return null;
  const text = viewOf(bytes).toString('utf8', slice.start + 1, slice.end - 1);
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return null;
  }
}

/** The entries of a JSON array given as a slice; none where it is none, and those before a fault where it is broken. */
export function entriesOf(value: Uint8Array): readonly Slice[] {
  return value[0] === OPEN_ARRAY ? readEntries(viewOf(value), 0).elements : [];
}

function readField(
  bytes: Buffer,
  at: number,
  name: string,
  kind: ValueKind,
  wanted: boolean,
): { found: ScannedField; fault: ScanFault | null } {
  if (wanted) {
    const entries = readEntries(bytes, at);
    const found = { name, kind, value: { start: at, end: entries.end }, elements: entries.elements };
    return { found: { ...found, whole: entries.fault === null }, fault: entries.fault };
  }
  const end = skipValue(bytes, at);
  const whole = end >= 0;
  const value = { start: at, end: whole ? end : bytes.length };
  return {
    found: { name, kind, value, elements: null, whole },
    fault: whole ? null : faultAt(bytes, bytes.length),
  };
}

/** The entries of the array that opens at `at`. */
function readEntries(
  bytes: Buffer,
  from: number,
): { elements: Slice[]; end: number; fault: ScanFault | null } {
  const elements: Slice[] = [];
  let at = skipSpace(bytes, from + 1);
  if (bytes[at] === CLOSE_ARRAY) return { elements, end: at + 1, fault: null };
  for (;;) {
    if (kindAt(bytes, at) === null)
      return { elements, end: Math.min(at, bytes.length), fault: faultAt(bytes, at) };
    const end = skipValue(bytes, at);
    if (end < 0) return { elements, end: bytes.length, fault: faultAt(bytes, bytes.length) };
    elements.push({ start: at, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_ARRAY) return { elements, end: at + 1, fault: null };
    if (bytes[at] !== COMMA) return { elements, end: Math.min(at, bytes.length), fault: faultAt(bytes, at) };
    at = skipSpace(bytes, at + 1);
  }
}

/** The end of the value that begins at `from` (which {@link kindAt} accepts), or -1 where the body ends before it. */
function skipValue(bytes: Buffer, from: number): number {
  const length = bytes.length;
  let depth = 0;
  let at = from;
  while (at < length) {
    switch (CLASS[bytes[at] as number]) {
      case INSIDE:
        at++;
        continue;
      case STRING:
        at = skipString(bytes, at);
        if (at < 0) return -1;
        break;
      case OPENS:
        depth++;
        at++;
        continue;
      case CLOSES:
        depth--;
        at++;
        break;
      default:
        while (at < length && ENDS_SCALAR[bytes[at] as number] === 0) at++;
    }
    if (depth === 0) return at;
  }
  return -1;
}

/**
 * The position behind the string that opens at `from`, or -1 where it does not end. Short strings are stepped
 * through; in long ones the search jumps from quote to quote and counts the backslashes before each.
 */
function skipString(bytes: Buffer, from: number): number {
  const length = bytes.length;
  let at = from + 1;
  for (;;) {
    const stop = Math.min(length, at + STEPS_BEFORE_SEARCH);
    while (at < stop) {
      const byte = bytes[at];
      if (byte === QUOTE) return at + 1;
      at += byte === BACKSLASH ? 2 : 1;
    }
    if (at >= length) return -1;
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return -1;
    let before = quote - 1;
    while (before >= at && bytes[before] === BACKSLASH) before--;
    if ((quote - 1 - before) % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function kindAt(bytes: Buffer, at: number): ValueKind | null {
  const byte = bytes[at];
  if (byte === QUOTE) return 'string';
  if (byte === OPEN_OBJECT) return 'object';
  if (byte === OPEN_ARRAY) return 'array';
  if (byte === 0x2d || (byte !== undefined && byte >= 0x30 && byte <= 0x39)) return 'number';
  if (byte !== undefined && byte >= 0x61 && byte <= 0x7a) return 'literal';
  return null;
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at++;
  }
}

function nameOf(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('utf8', start + 1, end - 1);
  if (!raw.includes('\\')) return raw;
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return raw;
  }
}

function faultAt(bytes: Buffer, at: number): ScanFault {
  return at >= bytes.length ? { at: bytes.length, reason: 'end' } : { at, reason: 'byte' };
}

function trailingFault(bytes: Buffer, from: number): ScanFault | null {
  const at = skipSpace(bytes, from);
  return at >= bytes.length ? null : { at, reason: 'trailing' };
}

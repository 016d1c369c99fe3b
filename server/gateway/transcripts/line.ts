import { fieldNamed, fieldsOf, readJson, type Scan, scanBody, viewOf } from '../../conversation/index.ts';
import type { Millis } from '../../kernel/clock.ts';

/** Arrays whose entries are looked at without parsing the rest of a line. */
const ARRAYS: ReadonlySet<string> = new Set(['content', 'replacement_history']);
/** Small fields that are parsed; larger ones are no names, times or settings. */
const SMALL_BYTES = 64 * 1024;

/** A JSON object of a transcript: its fields by name, found without parsing them. */
export class LineObject {
  readonly #bytes: Uint8Array;
  readonly #scan: Scan;

  private constructor(bytes: Uint8Array, scan: Scan) {
    this.#bytes = bytes;
    this.#scan = scan;
  }

  /** Null where the bytes are no whole JSON object. */
  static read(bytes: Uint8Array): LineObject | null {
    const scan = scanBody(bytes, ARRAYS);
    return scan === null || scan.fault !== null ? null : new LineObject(bytes, scan);
  }

  /** The raw bytes of a field's value; null where it is absent. */
  raw(name: string): Uint8Array | null {
    const field = fieldNamed(this.#scan, name);
    return field === null ? null : this.#bytes.subarray(field.value.start, field.value.end);
  }

  /** The raw entries of an array (of those that lines have); null where the field is none. */
  entries(name: string): readonly Uint8Array[] | null {
    const elements = fieldNamed(this.#scan, name)?.elements ?? null;
    return elements?.map(({ start, end }) => this.#bytes.subarray(start, end)) ?? null;
  }

  /** A text, or null where the field is none or is long. */
  text(name: string): string | null {
    const raw = this.raw(name);
    return raw === null ? null : textOf(raw);
  }

  /** True where the field is `true`. */
  flag(name: string): boolean {
    const raw = this.raw(name);
    return raw !== null && viewOf(raw).equals(TRUE);
  }

  /** An object inside; null where the field is none. */
  object(name: string): LineObject | null {
    const raw = this.raw(name);
    return raw === null ? null : LineObject.read(raw);
  }

  /** A time of the form that `Date` reads, between 1970 and now; null where there is none. */
  time(name: string): Millis | null {
    const at = Date.parse(this.text(name) ?? '');
    return Number.isFinite(at) && at >= 0 ? (at as Millis) : null;
  }
}

const TRUE = Buffer.from('true');

/** The text of raw JSON bytes; null where they are no string, or a long one. */
export function textOf(raw: Uint8Array): string | null {
  if (raw[0] !== 0x22 || raw.length > SMALL_BYTES) return null;
  const node = readJson(raw);
  return node?.type === 'string' ? node.value : null;
}

/** A field of a small object given as raw bytes, as text. */
export function fieldText(object: Uint8Array, name: string): string | null {
  const slice = fieldsOf(object).get(name);
  return slice === undefined ? null : textOf(object.subarray(slice.start, slice.end));
}

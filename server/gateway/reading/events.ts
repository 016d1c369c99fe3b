import { viewOf } from '../../conversation/index.ts';

/** One event of a stream, its data lines joined by newlines. */
export interface StreamEvent {
  readonly event: string | null;
  readonly data: string;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * The events of a whole or broken-off event stream (the WHATWG rules: lines end in LF, CR or CRLF; comments and
 * unknown fields are passed over). What stands behind the last blank line is given too, as far as its lines go: the
 * caller sees by its JSON whether it is whole.
 */
export function* readEvents(body: Uint8Array): Generator<StreamEvent> {
  const bytes = viewOf(body);
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let event: string | null = null;
  let data: string[] = [];
  while (at < bytes.length) {
    const end = lineEnd(bytes, at);
    const line = bytes.toString('utf8', at, end);
    at = end + (bytes[end] === CARRIAGE_RETURN && bytes[end + 1] === LINE_FEED ? 2 : 1);
    if (line === '') {
      if (data.length > 0) yield { event, data: data.join('\n') };
      event = null;
      data = [];
    } else if (line.startsWith('data:')) data.push(fieldValue(line, 5));
    else if (line === 'data') data.push('');
    else if (line.startsWith('event:')) event = fieldValue(line, 6);
  }
  if (data.length > 0) yield { event, data: data.join('\n') };
}

/** The data of an event as an object, or null where it is not one (`[DONE]`, half an event). */
export function dataOf(event: StreamEvent): Readonly<Record<string, unknown>> | null {
  try {
    return recordOf(JSON.parse(event.data));
  } catch {
    return null;
  }
}

/** The value as an object with string keys, or null. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : null;
}

/** The value if it is a string, else null. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The value if it is a whole number of at least zero, else null. */
export function countOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function lineEnd(bytes: Buffer, from: number): number {
  const feed = bytes.indexOf(LINE_FEED, from);
  const stop = feed < 0 ? bytes.length : feed;
  const carriage = bytes.subarray(from, stop).indexOf(CARRIAGE_RETURN);
  return carriage < 0 ? stop : from + carriage;
}

function fieldValue(line: string, from: number): string {
  return line.slice(line[from] === ' ' ? from + 1 : from);
}

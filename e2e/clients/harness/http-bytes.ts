/** An HTTP message as it stood on the wire. */
export interface WireMessage {
  /** The first line without its line ending. */
  readonly start: string;
  /** Header pairs in order, case and number as sent. */
  readonly headers: readonly (readonly [string, string])[];
  /** The body with a chunked transfer coding undone, content codings left as they are. */
  readonly body: Buffer;
  /** False where the bytes end before the message does. */
  readonly complete: boolean;
}

interface Framed {
  readonly body: Buffer;
  readonly complete: boolean;
  /** Where the next message begins. */
  readonly next: number;
}

/** Reads the requests that stand one after the other in the bytes of a connection. */
export function readRequests(bytes: Buffer): readonly WireMessage[] {
  return readAll(bytes, () => 'length or nothing');
}

/** Reads the answers to requests of these methods; interim answers (1xx) are passed over. */
export function readAnswers(bytes: Buffer, methods: readonly string[]): readonly WireMessage[] {
  let index = 0;
  const final = (start: string) => !/^HTTP\/1\.1 1\d\d/.test(start);
  return readAll(bytes, (start) => {
    const bodiless = !final(start) || /^HTTP\/1\.1 (204|304)/.test(start) || methods[index] === 'HEAD';
    if (final(start)) index += 1;
    return bodiless ? 'none' : 'length or rest';
  }).filter((message) => final(message.start));
}

/** The value of a header, its name compared without case; null if it is absent. */
export function headerOf(message: WireMessage, name: string): string | null {
  return message.headers.find(([key]) => key.toLowerCase() === name)?.[1] ?? null;
}

type BodyRule = 'none' | 'length or nothing' | 'length or rest';

function readAll(bytes: Buffer, ruleOf: (start: string) => BodyRule): WireMessage[] {
  const messages: WireMessage[] = [];
  let at = 0;
  while (at < bytes.length) {
    const headEnd = bytes.indexOf('\r\n\r\n', at, 'latin1');
    if (headEnd < 0) break;
    const [start = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n');
    const headers = lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()] as const;
    });
    const { next, ...framed } = readBody(bytes, headEnd + 4, headers, ruleOf(start));
    messages.push({ start, headers, ...framed });
    at = next;
  }
  return messages;
}

function readBody(bytes: Buffer, from: number, headers: WireMessage['headers'], rule: BodyRule): Framed {
  const value = (name: string) => headers.find(([key]) => key.toLowerCase() === name)?.[1];
  if (rule === 'none') return { body: Buffer.alloc(0), complete: true, next: from };
  if (/chunked/i.test(value('transfer-encoding') ?? '')) return readChunks(bytes, from);
  const length = value('content-length');
  if (length === undefined && rule === 'length or nothing') {
    return { body: Buffer.alloc(0), complete: true, next: from };
  }
  const end = length === undefined ? bytes.length : from + Number(length);
  return {
    body: bytes.subarray(from, Math.min(end, bytes.length)),
    complete: end <= bytes.length,
    next: end,
  };
}

function readChunks(bytes: Buffer, from: number): Framed {
  const parts: Buffer[] = [];
  let at = from;
  while (at < bytes.length) {
    const lineEnd = bytes.indexOf('\r\n', at, 'latin1');
    if (lineEnd < 0) break;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const start = lineEnd + 2;
    if (size === 0) return { body: Buffer.concat(parts), complete: true, next: trailerEnd(bytes, start) };
    parts.push(bytes.subarray(start, Math.min(start + size, bytes.length)));
    at = start + size + 2;
  }
  return { body: Buffer.concat(parts), complete: false, next: bytes.length };
}

function trailerEnd(bytes: Buffer, from: number): number {
  if (bytes.toString('latin1', from, from + 2) === '\r\n') return from + 2;
  const end = bytes.indexOf('\r\n\r\n', from, 'latin1');
  return end < 0 ? bytes.length : end + 4;
}
